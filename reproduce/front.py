"""What the README's one screen says in numbers: three findings and a row per paper.

The whole story is :mod:`reproduce.found`; what stands here is settled, and fits a screen. Every
number comes from the ledger, the accounting or the table behind the README's picture.
"""

import textwrap

from figures import registry, style
from figures.across import five_lines
from figures.style import number
from privrl.privacy import noise
from privrl.run import measure
from theory import ledger, numbering
from theory.papers.vietri2020 import theorem_1

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
DELTA = 1e-6
USERS = (10**3, 10**9)  # planned, over which a range is told


def overpay(paper: str, as_displayed: bool = False) -> tuple[float, float]:
    """The printed noise over the least that is enough, for one user replaced: the least and the
    most over ``EPSILONS``, where the paper has a delta at ``DELTA``. Where the printed line slipped
    it is what the paper's derivation has, or, ``as_displayed``, that line."""
    delta = DELTA if noise.DEFAULTS[paper].delta else None
    meant = noise.paper(paper).meant_over_printed
    ratios = []
    for epsilon in EPSILONS:
        setting = noise.setting(paper, epsilon=epsilon, delta=delta)
        read = 1.0 if as_displayed or meant is None else meant(setting)
        ratios.append(read / noise.noise(paper, setting).factor)
    return min(ratios), max(ratios)


def losses() -> dict[str, tuple[float, float]]:
    """What the released counters of vietri2020 lose, over the epsilon that is claimed: least and
    most over ``USERS``, by the noise ("printed-2" where log is to base 2)."""
    curve = registry.figure("vietri2020_privacy").tables()["loss"]
    curve = curve[(curve["adjacency"] == "replace") & curve["episodes"].between(*USERS)]
    by_noise = curve.groupby("noise")["loss"]
    return dict(zip(by_noise.groups, zip(by_noise.min(), by_noise.max(), strict=True), strict=True))


def _range(low: float, high: float, digits: int = 2) -> str:
    ends = dict.fromkeys((number(low, digits), number(high, digits)))
    return " to ".join(ends)


def _percent(median: float, low: float, high: float) -> str:
    """A share with its interval, which is left out where it has no width."""
    middle = f"{number(100 * median, 2)} %"
    least, most = (number(100 * end, 2) for end in measure.outward(low, high))
    return middle if least == most else f"{middle} ({least} to {most})"


def findings() -> str:
    """Three findings with their ranges (Markdown)."""
    rows = ledger.recorded()
    tallies = [ledger.tally(rows, paper, numbered=True) for paper in ledger.PAPERS]
    total = {verdict: sum(tally[verdict] for tally in tallies) for verdict in ledger.VERDICTS}
    mended = sum(count for verdict, count in total.items() if verdict.startswith("corrected"))
    questions = len(
        {row["cause"] for row in rows if row["numbered"] and row.get("verdict") == "open"}
    )
    lost = losses()
    factors = [overpay(paper) for paper in larger()]
    percent = {name: _percent(*ends) for name, ends in five_lines.shares().items()}
    text = f"""1. **Most statements can be repaired.** Of the {sum(total.values())} statements that
the papers number, {total["holds"]} hold as printed and {mended} after a correction, which
stands beside each (for {total["corrected: wording"]} a word is enough); {total["open"]} rest on
{questions} open questions, {total["unspecified"]} hide constants, and
{total["fails"] or "none"} fails beyond repair.
2. **The printed noise is never the right amount.** In one paper it is too small: the sums that
PUCB releases give away {_range(lost["printed-2"][0], lost["printed-e"][1])} times the epsilon that
its proof claims (by the base of its logarithm, for {USERS[0]:,} to {number(USERS[1])} users); in
{len(factors)}, {repaired()} of which need a repair besides, it is
{_range(min(low for low, _ in factors), max(high for _, high in factors))}
times what is needed (delta = {number(DELTA)}, epsilon from {EPSILONS[0]:g} to {EPSILONS[-1]:g},
one line read as its derivation has it; [paper by paper](docs/found.md)).
3. **At epsilon = 1 one algorithm learns and another does not.** On a river of three states, after
{five_lines.EPISODES:,} users, the next one loses {percent["PUCB"]} of what uniform play loses with
PUCB as printed, {percent["private UCBVI"]} with private UCBVI (delta = {number(DELTA)}) and
{percent["no privacy"]} without privacy (medians of {five_lines.REPLICATES} runs; in brackets where
98 % of medians of {five_lines.AGAIN} other runs fall)."""
    return (
        "\n".join(
            textwrap.fill(" ".join(item.split()), 100, subsequent_indent="   ")
            for item in text.replace("\n2. ", "\n\n2. ").replace("\n3. ", "\n\n3. ").split("\n\n")
        )
        + "\n"
    )


def repaired() -> int:
    """How many of those keep epsilon once one line is repaired."""
    return sum(bool(noise.paper(paper).proviso) for paper in larger())


def larger() -> list[str]:
    """The papers whose printed noise is more than is needed."""
    return [paper for paper in noise.PAPERS if overpay(paper)[0] > 1]


def printed_noise() -> str:
    """The second finding, paper by paper (Markdown)."""
    lost, (bracket_two, bracket) = losses(), zip(*theorem_1.bracket(), strict=True)
    factors = [f"{_range(*overpay(paper))} times in {paper}" for paper in larger()]
    slipped = ", ".join(
        f"{_range(*overpay(paper, as_displayed=True))} times in {paper}"
        for paper in larger()
        if noise.paper(paper).meant_over_printed
    )
    text = f"""For {USERS[0]:,} to {number(USERS[1])} users the counters of vietri2020 lose
{_range(*lost["printed-2"])} times (logarithms to base 2) or {_range(*lost["printed-e"])} times
(natural) the epsilon that the proof claims, whatever epsilon is. Its actions alone exceed epsilon
in events of a tiny probability, at worst by a factor between
{number(bracket_two[0])} and {number(bracket_two[1])} (base 2), {number(bracket[0])} and
{number(bracket[1])} (natural). In the others the noise is more than is needed:
{", ".join(factors[:-1])} and {factors[-1]}, at delta = {number(DELTA)}, for epsilon from
{EPSILONS[0]:g} to {EPSILONS[-1]:g}. That is with epsilon outside the root of sigma, as a
derivation has it; with epsilon inside, as the line is displayed, it is {slipped}."""
    return textwrap.fill(" ".join(text.split()), 118) + "\n"


def papers() -> str:
    """A row per paper: its notebook, how many statements hold, how much noise is needed."""
    rows, lost = ledger.recorded(), losses()
    least = {paper: overpay(paper) for paper in noise.PAPERS}
    # over the bases of the logarithm and the numbers of users of the second finding
    least["vietri2020"] = 1 / lost["printed-e"][1], 1 / lost["printed-2"][0]
    lines = []
    for paper in ledger.PAPERS:
        facts, tally = numbering.load()[paper], ledger.tally(rows, paper, numbered=True)
        needed = f"{_range(*least[paper])} times" if paper in least else "not known"
        lines.append(
            (
                f"`{paper}`: {facts.authors}, *{facts.title}*",
                f"[{facts.algorithm}](notebooks/{facts.notebook}.ipynb)",
                f"[{tally['holds']} of {sum(tally.values())}](theory/ledger/{paper}.md)",
                needed,
            )
        )
    head = ("paper", "algorithm, notebook", "hold as printed", "printed noise over the least")
    return style.markdown(head, lines)
