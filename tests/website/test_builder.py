"""The builder's parts, without Sphinx and without a browser."""

import functools
import html
import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from docutils import nodes
from docutils.core import publish_doctree, publish_parts

from privrl.cli import main
from theory import ledger
from theory.numbering import CLAIM
from website import (
    build,
    check,
    claims,
    derivations,
    divided,
    markup,
    pages,
    places,
    reference,
    tables,
)

ROWS = ledger.recorded()
NAMES = claims.known(ROWS)


@pytest.mark.parametrize(
    "words",
    [
        "a * b ** c",
        "|x| <= ||y||_2",
        "`code` and x_",
        "1. no list",
        ("- no list"),
        "*r*",
        "..no directive::",
        "E = (3/eps) <x>",
        "a\\b",
        "::",
        "\"q\" 'q' [1]_ {a} ~ ^",
    ],
)
def test_words_stay_words_in_restructuredtext(words: str) -> None:
    assert publish_doctree(markup.rst(words)).astext() == words


@pytest.mark.parametrize(
    ("words", "html"),
    [
        ("T >= H^2 (S-2), d^{1/4}", "T &gt;= H<sup>2</sup> (S-2), d<sup>1/4</sup>"),
        ("V^k_{h+1} of Q_h", "V<sup>k</sup><sub>h+1</sub> of Q<sub>h</sub>"),
        (
            "(1 - E)^(1/(r+1)), U'^-1 and phi^.",
            ("(1 - E)<sup>1/(r+1)</sup>, U'<sup>-1</sup> and phi\u0302."),
        ),
        ("an *open* one, *H* * x", "an <em>open</em> one, *H* * x"),
        ("2^-(a b)", "2<sup>-(a b)</sup>"),
        ("2 sqrt(8 ln 2)/sqrt 3", "2 √(8 ln 2)/√3"),
        ("||Theta_* - Theta^_k||", "||Theta<sub>*</sub> - Theta\u0302<sub>k</sub>||"),
        (
            "`a^b` and $a^b$",
            (
                r'<code>a^b</code> and <span class="math notranslate '
                r'nohighlight">\(a^b\)</span>'
            ),
        ),
    ],
)
def test_typed_formulas_have_powers_indices_and_hats(words: str, html: str) -> None:
    assert markup.text(words) == html


def test_signs_are_typeset_but_in_formulas_and_code() -> None:
    assert markup.typed(r"epsilon = 1e-06, `epsilon` and $\epsilon$") == (
        r'ε = 10<sup>-6</sup>, <code>epsilon</code> and <span class="math notranslate '
        r'nohighlight">\(\epsilon\)</span>'
    )


def test_names_of_claims() -> None:
    ids = (
        "a/lemma-B.4",
        "chowdhury2021/equation-9",
        "liao2021/algorithm-1-sigma",
        "vietri2020/claim-2",
    )
    assert [markup.name(claim_id) for claim_id in ids] == [
        "Lemma B.4",
        "The optimistic choice (9)",
        "The noise of line 1 of algorithm 1",
        "Claim 2",
    ]
    # a name is an anchor, so no two are alike
    assert len(
        {markup.name(row["id"]) for row in ROWS if row["id"].startswith("vietri2020/")}
    ) == sum(row["id"].startswith("vietri2020/") for row in ROWS)


def test_every_check_is_found_where_its_decorator_stands() -> None:
    check_places = places.checks()
    decided = {row["id"] for row in ROWS if row.get("records")}
    assert decided <= set(check_places)
    for identifier, place in check_places.items():
        line = (ledger.ROOT / place.path).read_text(encoding="utf-8").splitlines()[place.line - 1]
        assert line.startswith("@claim("), identifier


@pytest.mark.parametrize(
    ("words", "paper", "expected"),
    [
        ("the bounds (theorems 4 and 6)", "vietri2020", ["theorem-4", "theorem-6"]),
        (
            "The lemmas on Gaussian matrices (lemmas 9 to 11)",
            "chowdhury2021",
            ["lemma-9", "lemma-10", "lemma-11"],
        ),
        (
            "lemma 3.1, theorems 4.1 and 5.1",
            "zhou2022",
            ["lemma-3.1", "theorem-4.1", "theorem-5.1"],
        ),
        ("T = 10^8, theorem 4 times 5", "vietri2020", ["theorem-4"]),
        ("theorem 4 and 12 replicates", "vietri2020", ["theorem-4", "theorem-12"]),
        ("theorem 99", "vietri2020", []),
    ],
)
def test_which_claims_words_name(words: str, paper: str, expected: list[str]) -> None:
    assert places.mentions(words, NAMES, paper) == [f"{paper}/{name}" for name in expected]


def test_a_sentence_begins_and_ends_as_one_and_a_letter_stays() -> None:
    assert markup.sentence("theorem 5.2: a width falls") == "Theorem 5.2: a width falls."
    assert markup.sentence("$H$ in the place of $h$.") == "$H$ in the place of $h$."
    assert markup.sentence("beta_h falls") == "beta_h falls."


def test_full_ids_carry_on_within_a_sentence() -> None:
    words = "Sources: chowdhury2021/lemma-11, lemma-12, zhou2022/lemma-B.3, lemma-B.4. And lemma 9."
    assert places.mentions(words, NAMES) == [
        "chowdhury2021/lemma-11",
        "chowdhury2021/lemma-12",
        "zhou2022/lemma-B.3",
        "zhou2022/lemma-B.4",
    ]


def test_two_claims_in_five_have_a_section_of_a_notebook() -> None:
    claim_rows = [row for row in ROWS if row["role"] == CLAIM]
    assert sum(bool(places.speaking(row["id"], NAMES)) for row in claim_rows) > 0.4 * len(
        claim_rows
    )


@pytest.mark.slow
def test_every_item_has_a_page_with_all_its_records() -> None:
    made = claims.claim_pages(ROWS, "1.0")
    assert [*made] == [f"claims/{row['id']}.rst" for row in ROWS]
    for row in ROWS:
        page = made[f"claims/{row['id']}.rst"]
        assert page.count(f"<code>{row['id']}</code>, ") == 1
        for record in row.get("records", ()):
            for name in ("evidence", "mutant"):
                assert markup.typed(markup.sentence(ledger.words(record, name))) in page


def test_a_papers_page_leads_to_every_item_by_each_of_its_numbers() -> None:
    for paper in ledger.PAPERS:
        page = claims.page(ROWS, paper, "the paper")
        for row in claims.of_paper(ROWS, paper):
            assert page.count(f'<a href="../claims/{row["id"]}.html">') == 1
            for identifier in (row["id"], *row["aliases"]):
                assert page.count(f'<span id="{markup.anchor(identifier)}"></span>') == 1


@pytest.mark.slow
def test_items_lead_to_their_neighbours() -> None:
    made = claims.claim_pages(ROWS, "1.0")
    own = claims.of_paper(ROWS, "vietri2020")
    for before, row in pairwise(own):
        assert f"claims/{before['id']}.html" in made[f"claims/{row['id']}.rst"]
        assert f"claims/{row['id']}.html" in made[f"claims/{before['id']}.rst"]
    for row in own:
        around = f'<a href="../vietri2020.html#{markup.anchor(row["id"])}">All of vietri2020</a>'
        assert around in made[f"claims/{row['id']}.rst"]


@pytest.mark.parametrize(
    ("words", "typeset"),
    [
        ("4.37e+05 beside 437000 and 437,000", "437,000 beside 437,000 and 437,000"),
        ("1e6, 2.5e6, 5e3", "1,000,000, 2,500,000, 5000"),
        ("1.6e+12 and 1e9", "1.6 · 10<sup>12</sup> and 10<sup>9</sup>"),
        ("1e-06, 0.00001 and 2.5e-3", "10<sup>-6</sup>, 0.00001 and 2.5 · 10<sup>-3</sup>"),
        ("in 2020, 108982.5 of 10000", "in 2020, 108,982.5 of 10,000"),
        ("v1.10000, a20000, &#123456;", "v1.10000, a20000, &#123456;"),
        ('<a href="12345">12345</a>', '<a href="12345">12,345</a>'),
    ],
)
def test_numbers_have_one_style(words: str, typeset: str) -> None:
    assert markup.numbers(words) == typeset


@pytest.mark.slow
def test_numbers_of_a_pages_code_stay_as_they_are_typed() -> None:
    words = (
        "at 1e-6\n\n    run 1e-6\n\n    run 437000\n\nof 437000, `1e-6`\n"
        "```\n437000\n```\nand 1e-6\n"
    )
    assert pages.numbered(words) == (
        "at 10<sup>-6</sup>\n\n    run 1e-6\n\n    run 437000\n\nof 437,000, `1e-6`\n"
        "```\n437000\n```\nand 10<sup>-6</sup>\n"
    )
    for name in pages.DOCUMENTS:
        code = "".join(re.findall(r"(?<=\n\n)(?: {4}.*\n)+", pages.document(ledger.ROOT, name)))
        assert "<sup>" not in code, name


def test_options_of_commands_stay_in_one_line() -> None:
    head = '<div class="highlight-default notranslate"><div class="highlight"><pre>'
    listing = (
        f'{head}<span></span><span class="n">privrl</span> <span class="n">run</span> '
        f'<span class="o">--</span><span class="n">delta</span> <span class="mf">1e-06</span></pre>'
    )
    words = 'privrl run <span class="whole">--delta</span> <span class="whole">1e-06</span>'
    assert markup.whole_commands(listing) == f"{head}{words}</pre>"
    assert markup.whole_commands('<span class="pre">--delta</span> <span class="pre">a</span>') == (
        '<span class="pre whole">--delta</span> <span class="pre">a</span>'
    )
    for python in ("privrl.run(1 - x)", "import privrl", "&gt;&gt;&gt; privrl"):
        marked = f'{head}<span></span><span class="n">{python}</span></pre>'
        assert markup.whole_commands(marked) == marked


def test_pictures_of_cells_lead_to_themselves() -> None:
    image = '<img alt="words" class="x" src="../_images/3f.png" />'
    page = f'<p>{image}</p><img src="../_static/logo.png">'
    assert markup.alone(page) == page.replace(
        image, f'<a class="alone" href="../_images/3f.png">{image}</a>'
    )


def test_the_filter_finds_every_word_of_a_statement() -> None:
    searched = dict(
        re.findall(r'data-names="([^|"]+)\|[^"]*" data-words="([^"]*)"', claims.ledger(ROWS))
    )
    assert len(searched) == len(ROWS)
    for row in ROWS:
        words = html.unescape(searched[row["id"].lower()])
        texts = [row["statement"], row.get("short", ""), row["label"]]
        texts += row["latex"].values()
        lacking = [word for text in texts for word in text.lower().split() if word not in words]
        assert lacking == [], row["id"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("U is \\chi^2", "chi-square"),
        ("X ~ N(0, 1)", "gaussian"),
        ("|| x ||", "norm"),
        ("epsilon > 0", "ε"),
        ("a <= b", "at most"),
    ],
)
def test_signs_are_found_by_their_names(written: str, said: str) -> None:
    assert said in claims.searched([written])
    assert said not in claims.searched(["a word"])


@pytest.mark.slow
def test_a_claim_begins_in_short_and_folds_its_steps() -> None:
    page = claims.page(ROWS, "zhou2022", "the paper")
    section = claims.claim_pages(ROWS, "1.0")["claims/zhou2022/theorem-6.4.rst"]
    order = [
        section.index(marker)
        for marker in ("In short.", 'class="statement"', 'record-printed"', "<details")
    ]
    assert order == sorted(order)
    folded = section[section.index("<details") : section.index("</details>")]
    assert (
        "record-step" in folded
        and "record-printed" not in folded
        and "record-corrected" not in folded
    )
    assert "privrl check zhou2022/theorem-6.4" in section
    assert all(f"<dt>{markup.text(symbol)}</dt>" in page for symbol in claims.SYMBOLS["zhou2022"])
    assert set(claims.SYMBOLS) <= set(ledger.PAPERS)


def test_the_first_page_says_what_was_found_and_what_to_run() -> None:
    page = pages.index(ledger.ROOT, ROWS)
    phrases = [
        "What was found\n--",
        "Two commands\n--",
        "make reproduce",
        "make test",
        "Five lines\n--",
        "import privrl as rl",
        "What to run\n--",
        "privrl check ",
        "figures/advice_users.png",
    ]
    places_ = [page.index(phrase) for phrase in phrases]
    assert places_ == sorted(places_)
    assert page[places_[0] : places_[1]].count("<li>") == 3


def test_the_ledger_has_a_row_for_every_item() -> None:
    page = claims.ledger(ROWS)
    assert page.count("data-paper=") == len(ROWS)
    assert 'data-names="vietri2020/lemma-18|lemma-18|lemma 18' in page
    assert page.count('<option value="">all</option>') == 4


def test_what_a_citation_says() -> None:
    row = next(row for row in ROWS if row["id"] == "vietri2020/claim-2")
    assert claims.citation(row, "0.1.0").startswith("vietri2020/claim-2: holds (kernel")
    assert pages.paper_citation("liao2021").startswith("Liao, He and Gu (2021), Locally")


def test_a_notebooks_pictures_get_their_figures_words() -> None:
    path = sorted((ledger.ROOT / "notebooks").glob("01*.ipynb"))[0]
    notebook_page = build.notebook(path)
    alts = re.findall(r'"image": \{"alt": "([^"]+)"', notebook_page)
    figure_alts = {" ".join(figure.alt.split()) for figure in places.figures()}
    assert alts
    # a reader's own run has no words of ours
    assert set(alts) <= figure_alts | {"A picture made by the cell above"}


@functools.cache
def whole_sources() -> dict[str, str]:
    return build.sources(ledger.ROOT)


@pytest.mark.slow
def test_a_derived_record_leads_to_its_proof() -> None:
    """The builder checks that the page is there."""
    proofs = [(row["id"], record["proof"]) for row in ROWS for record in row.get("records", ())]
    for identifier, heading in proofs:
        page = derivations.name(markup.paper(identifier), heading)
        linked = f'href="../../{page}.html"' in whole_sources()[f"claims/{identifier}.rst"]
        assert linked == bool(heading)
        assert not heading or f"# {heading} (" in whole_sources()[f"{page}.md"]


def test_a_paper_without_proofs_by_hand_has_no_page_of_them(tmp_path: Path) -> None:
    assert derivations.pages(tmp_path, "toy2027") == {}
    assert "derivations/vietri2020.md" in derivations.pages(ledger.ROOT, "vietri2020")


def test_a_documents_links_lead_to_pages_and_other_files_are_named() -> None:
    assert "([contributing](/contributing.md))" in pages.document(ledger.ROOT, "open")
    assert "[the proofs](/derivations/vietri2020.md)" in pages.document(ledger.ROOT, "open")
    assert "the `notebooks`: one per paper" in pages.document(ledger.ROOT, "install")
    assert "`docs/cluster/array.sbatch`" in pages.document(ledger.ROOT, "cluster")


def test_a_section_has_a_page_of_its_own_and_nothing_is_lost() -> None:
    for part, (page, title) in divided.APART.items():
        section, rest = (pages.document(ledger.ROOT, name) for name in (part, page))
        assert section.startswith(f"# {title}\n") and f"[a page of its own](/{part}.md)" in rest
        whole = (ledger.ROOT / pages.DOCUMENTS[page]).read_text("utf-8")
        headings = re.findall(r"^#+ (.*)", whole, flags=re.MULTILINE)
        found = [re.findall(r"^#+ (.*)", words, flags=re.MULTILINE) for words in (section, rest)]
        assert sorted([*headings, title]) == sorted([*found[0], *found[1]])
        assert f'<a href="{page}.html#how-large">' in section
        assert f'<a href="{part}.html#in-a-container">' in rest


def test_every_document_that_the_readme_leads_to_is_a_page() -> None:
    linked = re.findall(r"\]\(([^)#:]+\.md)\)", (ledger.ROOT / "README.md").read_text("utf-8"))
    assert len(linked) > 20
    assert {name for name in linked if "theory/" not in name} <= set(pages.DOCUMENTS.values())


@pytest.mark.slow
def test_two_times_the_same_sources() -> None:
    assert build.sources(ledger.ROOT) == whole_sources()


def test_sources_are_pages_with_lines() -> None:
    page = reference.source_page(ledger.ROOT, "theory/claim")
    lines = (ledger.ROOT / "theory/claim.py").read_text(encoding="utf-8").count("\n")
    assert page.count('<span id="L-') == lines
    assert "../../_static/source.css" in page


# the rest of what is stored takes minutes: python -m website.tables
QUICK = [
    ("liao2021", {"epsilon": 10, "delta": 1e-6, "dim": 4, "horizon": 6}),
    ("zhou2022", {"epsilon": 10, "dim": 2, "horizon": 2}),
    ("chowdhury2021", {"epsilon": 100, "states": 1}),
    ("vietri2020", {"epsilon": 100, "delta": 1e-6}),
]


def test_stored_horizons_are_those_of_the_grid() -> None:
    stored = json.loads(tables.STORED.read_text(encoding="utf-8"))
    assert [row["command"] for row in stored] == [
        tables.command("horizon", *question) for question in tables.questions()
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "options"), QUICK)
def test_a_stored_horizon_is_what_its_command_prints(paper: str, options: dict[str, float]) -> None:
    stored = {row["command"]: row for row in json.loads(tables.STORED.read_text(encoding="utf-8"))}
    answer = stored[tables.command("horizon", paper, options)]
    printed = CliRunner().invoke(main, [*shlex.split(answer.pop("command"))[1:], "--json"]).stdout
    assert json.loads(printed) == answer


@pytest.mark.long
def test_every_stored_horizon_is_made_again() -> None:
    assert tables.STORED.read_text(encoding="utf-8") == tables.lines()


@pytest.mark.slow
def test_the_rows_of_the_noise_page_are_what_their_commands_print() -> None:
    rows = re.findall(
        r'<tr role="row" data.*?<code>privrl (.*?)</code>.*?</tr>', tables.sigma_page()
    )
    assert len(rows) > 200
    for row in re.findall(r'<tr role="row" data.*?</tr>', tables.sigma_page())[::23]:
        cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        output = CliRunner().invoke(main, shlex.split(cells[-1])[1:]).stdout
        printed = re.sub("<[^>]+>", "", markup.numbers(" ".join(output.split())))
        assert f"really epsilon = {cells[-3]} at delta = {cells[2]}, claimed {cells[1]}." in printed
        assert f"Smallest over printed: {cells[-2]} " in printed
        for printed_scale, smallest in re.findall(r"(\S+) \((\S+)\)", cells[5]):
            assert printed_scale in printed
            assert smallest in printed


DOCSTRING = """The largest |x| * y for a ``tree`` (``none``: no) of :func:`bound`, see `name`_.

With E = (3/epsilon) *H* and x_1:

    E = 2 ** k    (a formula)

**In short.** Words, *word by word*.

| law | noise   |
| --- | ------- |
| one | ``two`` |

- ``printed``: one
  and a half;
- ``tight``: two

Parameters
----------
alpha, beta : failure probability, in (0, 1)
    as above
size : S

>>> 1 + 1
2
"""


def test_docstrings_become_restructuredtext_that_says_the_same() -> None:
    restructured = "\n".join(reference.docstring(DOCSTRING.splitlines())).replace(
        ".. rubric:: Parameters", "Parameters"
    )
    assert "**In short\\.**" in restructured and "*word by word*" in restructured
    parts = publish_parts(restructured, writer="html5", settings_overrides={"halt_level": 2})
    assert parts["body"].count("<th ") == parts["body"].count("<td") == 2
    words = " ".join(re.sub(r"<[^>]+>", "", parts["body"]).split())
    for phrase in (
        "The largest |x| * y for a tree (none: no) of bound",
        ("E = (3/epsilon) *H* and x1:"),
        "E = 2 ** k (a formula)",
        "printed: one and a half;",
        "in (0, 1) as above",
    ):
        assert phrase in words


def test_powers_in_docstrings_are_raised_and_formulas_typeset() -> None:
    body = publish_parts(
        "\n".join(reference.docstring(["With 2^(2^-k) <= x_1^2."])), writer="html5"
    )["body"]
    words = re.sub(r"</?span[^>]*>", "", body)
    assert "With 2<sup>2<sup>-k</sup></sup> &lt;= x<sub>1</sub><sup>2</sup>." in words
    rst_lines = reference.docstring(["With :math:`a \\le b_1`,", "", ".. math:: a", "   = b"])
    assert rst_lines == ["With :math:`a \\le b_1`\\,", "", ".. math:: a", "   = b", ""]


def test_every_public_module_has_a_page() -> None:
    modules = reference.modules(ledger.ROOT)
    assert {"privrl.agents.tabular.pucb", "privrl.privacy.accounting", "theory.ledger"} <= set(
        modules
    )
    checks = [
        name for name in modules if name.startswith("theory.papers.") and ".bounds" not in name
    ]
    assert (
        not checks
        and not any("_cli" in name for name in modules)
        and "theory.papers.zhou2022.bounds" in modules
    )


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ('<a href="b.html">', "a link that leads nowhere: b.html"),
        ('<a href="a.html#no">', "an anchor that is not there: a.html#no"),
        ('<a href="../outside.html">', "a link that leads nowhere: ../outside.html"),
        ('<img src="p.png">', "a picture without words: p.png"),
        (
            '<script src="https://cdn.example/x.js"></script>',
            ("loaded from elsewhere: https://cdn.example/x.js"),
        ),
        ('<p id="x"></p><p id="x"></p>', "an id that stands twice: x"),
        ("<table><th>a</th></table>", "a header cell without scope"),
        ('<input id="q">', "a control without a label: q"),
        ("<p>law | noise\n--- | ---</p>", "Markdown in the text: 'law | noise"),
        ("<p>so **bold** a word</p>", "Markdown in the text: 'so **bold"),
        ("<p>a <em>`word`</em></p>", "Markdown in the text: '`word`'"),
        ("<code>a^b<span>c</span></code><p>T^2</p>", "Markdown in the text: 'T^2'"),
        ("<p>law | noise | users</p>", "Markdown in the text: 'law | noise"),
        ("<p>a *stressed word*</p>", "Markdown in the text: 'a *stressed word*"),
        ("<p>2 sqrt(x)</p>", "Markdown in the text: '2 sqrt(x)"),
        (r'<span class="math">\(lVert x\rVert\)</span>', "a command without its backslash: lVert"),
        (r'<span class="math">\(\vert xvert\)</span>', "a command without its backslash: xvert"),
        ("x" * 2_000_001, "bytes, more than 2000000"),
    ],
)
def test_a_fault_of_a_page_is_found(words: str, fault: str, tmp_path: Path) -> None:
    start = '<html lang="en"><body><p id="here"></p><a href="#here">.</a>'
    (tmp_path / "a.html").write_text(f"{start}{words}</body></html>")
    (tmp_path / "p.png").write_bytes(b"")
    (message,) = check.faults(tmp_path)
    assert fault in message


def test_a_page_without_faults(tmp_path: Path) -> None:
    links = (
        '<a href="a.html#b.c">.</a><a href="https://x.example">.</a>'
        "<pre>a^b<br> | --- |</pre>|x| * |y| ** 2"
    )
    (tmp_path / "a.html").write_text(f'<html lang="en"><p id="b.c"></p>{links}')
    assert check.faults(tmp_path) == []


def test_links_to_pages_that_a_build_leaves_out_are_not_followed(tmp_path: Path) -> None:
    links = '<a href="api/left.html#name">.</a><a href="api/lost.html">.</a>'
    (tmp_path / "a.html").write_text(f'<html lang="en">{links}')
    (message,) = check.faults(tmp_path, {tmp_path / "api" / "left.html"})
    assert message == "a.html: a link that leads nowhere: api/lost.html"


@pytest.mark.slow
def test_a_build_of_every_so_many_leaves_out_generated_pages_alone() -> None:
    whole, sampled = whole_sources(), build.sources(ledger.ROOT, 8)
    assert sampled.items() < whole.items()
    assert {name.partition("/")[0] for name in whole.keys() - sampled.keys()} == {
        "api",
        "derivations",
    }
    pages_ = build.generated(ledger.ROOT, Path())
    assert {Path(name).with_suffix(".html") for name in whole.keys() - sampled.keys()} < pages_
    assert Path("source/theory/claim.html") in pages_


def test_another_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    with pytest.raises(ValueError, match="the folder must be empty or hold a site"):
        build.build(ledger.ROOT, tmp_path)
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_note_is_said_once_beside_all_that_it_is_of() -> None:
    answers = json.loads(tables.STORED.read_text(encoding="utf-8"))
    notes = dict(tables.notes(answers))
    assert len(notes) < len(answers)
    sentences = [
        sentence
        for definition in notes.values()
        for sentence in re.split(r"(?<=[.;]) ", definition)
    ]
    assert len(set(sentences)) == len(sentences) > len(ledger.PAPERS)
    assert "printed" in notes["zhou2022"]  # of all its commands
    (alone,) = (terms for terms, words in notes.items() if "48,500,000" in words)
    asked = [answer for answer in answers if "4.85e+07" in answer["note"]]
    assert alone == ", ".join(f"`{answer['command']}`" for answer in asked)


@pytest.mark.slow
def test_the_calculator_answers_with_the_rows_of_the_table() -> None:
    page = tables.horizon_page()
    stored = re.search(r'id="users">(.*?)</script>', page, re.S)
    assert stored
    table = json.loads(stored[1])
    answers = [dict(zip(table["fields"], row, strict=True)) for row in table["rows"]]
    horizons = json.loads(tables.STORED.read_text(encoding="utf-8"))
    assert len(answers) == sum(len(answer["rows"]) for answer in horizons)
    # its choices name one row each
    assert len({tuple(answer[name] for name in tables.CHOICES) for answer in answers}) == len(
        answers
    )
    (chosen,) = [
        answer
        for answer in answers
        if all(answer[name] == first for name, (_, first) in tables.CHOICES.items() if first)
    ]
    assert chosen["command"] == "privrl horizon vietri2020 --epsilon 1 --delta 1e-06"
    assert chosen["runs"] == "30,400 users, planned for 10,000,000"
    assert any(answer["runs"].startswith("none") for answer in answers)


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        (["a", "left out: a sentence that says why it is left out", "", "", ""], 3),
        (["a", "left out: a sentence that says why it is left out", "", ""], None),
        (["a", "short", "", "", ""], None),
        (["a", "left out: a sentence that says why it is left out", "", "", "1"], None),
        (["", "", ""], None),
    ],
)
def test_a_sentence_has_the_room_of_the_empty_cells_after_it(
    cells: list[str], spans: int | None
) -> None:
    entries = [nodes.entry("", nodes.paragraph(text=words)) for words in cells]
    row = nodes.row("", *entries)
    build.spanned(row)
    assert [cell.get("morecols") for cell in row if "morecols" in cell] == [spans] * bool(spans)
    assert len(row) == len(cells) - (spans or 0)
