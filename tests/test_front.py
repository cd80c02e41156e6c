"""The README's findings are the ledger's, the accounting's and the picture's."""

import re

import pytest

from figures.across import five_lines
from privrl.privacy import noise
from reproduce import front
from theory import ledger
from theory.papers.liao2021 import privacy as liao2021
from theory.papers.zhou2022 import privacy as zhou2022


def test_the_statements_add_up() -> None:
    rows = ledger.recorded()
    first = " ".join(front.findings().partition("\n2. ")[0].removeprefix("1. ").split())
    tallies = [ledger.tally(rows, paper, numbered=True) for paper in ledger.PAPERS]
    total = sum(sum(tally.values()) for tally in tallies)
    assert f"Of the {total} statements" in first and "none fails beyond repair" in first
    (words,) = re.findall(r" \(for (\d+) a word is enough\)", first)
    assert int(words) == sum(tally["corrected: wording"] for tally in tallies)
    statements = re.sub(r"rest on \d+ open questions| \(for \d+ a word .*?\)", "", first)
    counted = [int(word.strip(";,")) for word in statements.split() if word.strip(";,").isdigit()]
    assert sum(counted[1:]) == total == counted[0]


def test_only_pucbs_noise_is_too_small() -> None:
    least = {paper: front.overpay(paper)[0] for paper in noise.PAPERS}
    assert [paper for paper, ratio in least.items() if ratio < 1] == ["vietri2020"]
    lost = front.losses()
    assert 2 <= lost["printed-2"][0] < lost["printed-2"][1] < lost["printed-e"][0] < 4
    assert lost["corrected"][1] == pytest.approx(1)


def test_the_second_finding_is_the_ends_of_what_found_md_says_paper_by_paper() -> None:
    second = " ".join(front.findings().partition("\n2. ")[2].partition("\n3. ")[0].split())
    pairs = re.findall(r"(?:give away|it is) (\d[\d.]*) to (\d[\d.]*) times", second)
    ends = [float(end) for pair in pairs for end in pair]
    lost, factors = front.losses(), [front.overpay(paper) for paper in front.larger()]
    low, high = min(low for low, _ in factors), max(high for _, high in factors)
    expected = [lost["printed-2"][0], lost["printed-e"][1], low, high]
    assert ends == pytest.approx(expected, rel=0.05)
    assert f"in {len(factors)}, {front.repaired()} of which need a repair besides, it is" in second
    settings = f"epsilon from {front.EPSILONS[0]:g} to {front.EPSILONS[-1]:g}"
    assert settings in second and f"{front.USERS[0]:,} to " in second
    told = " ".join(front.printed_noise().split())
    displayed = front.overpay("liao2021", as_displayed=True)
    assert all(f"{float(f'{end:.2g}'):g}" in told for end in displayed)
    assert settings in told
    assert all(f"{end:g}" in told for end in ends)


def test_the_factors_are_those_of_the_papers_own_derivations() -> None:
    """By the formulas of theory; liao2021's epsilon leaves the root."""

    def ends(ratios: list[float]) -> tuple[float, float]:
        return min(ratios), max(ratios)

    displayed = [liao2021.overpay(epsilon, front.DELTA, 6) for epsilon in front.EPSILONS]
    assert front.overpay("liao2021", as_displayed=True) == pytest.approx(ends(displayed), rel=1e-9)
    meant = [ratio / epsilon**0.5 for ratio, epsilon in zip(displayed, front.EPSILONS, strict=True)]
    assert front.overpay("liao2021") == pytest.approx(ends(meant), rel=1e-9)
    printed = [zhou2022.overpay(epsilon, front.DELTA, 10) for epsilon in front.EPSILONS]
    assert front.overpay("zhou2022") == pytest.approx(ends(printed), rel=1e-9)


def test_the_title_of_the_picture_is_so() -> None:
    shares = five_lines.shares()
    assert shares["PUCB"][1] > 0.99
    assert shares["no privacy"][2] < shares["private UCBVI"][1]
    assert shares["private UCBVI"][2] < 0.1
    assert f"{five_lines.EPISODES:,} users" in five_lines.MESSAGE


def test_every_paper_has_a_row() -> None:
    rows = front.papers().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(ledger.PAPERS)
