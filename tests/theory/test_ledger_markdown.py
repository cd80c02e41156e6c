r"""The ledger's pages for GitHub: what a CommonMark parser lets through is the record's own LaTeX.

GitHub reads Markdown first: ``\,`` between bare dollars arrives as a comma. The parser here has the
same rules, so that a formula written in the wrong way comes out as another one.
"""

import copy
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from theory import errata, errata_groups, ledger, ledger_markdown

ROWS = ledger.recorded()
FILES = ledger_markdown.files(ROWS)
PARSER = MarkdownIt("commonmark").enable("table")
LONGEST = 1000  # characters of a line
BARE = re.compile(r"\$([^$\n]+)\$")


def inline(text: str) -> Iterator[Token]:
    """The paragraphs, headings and cells of a file."""
    return (token for token in PARSER.parse(text) if token.type == "inline")


def formulas(text: str) -> Iterator[str]:
    """The formulas that a reader gets: code between dollars as it is, and what stands between bare
    dollars once Markdown has been read."""
    for block in inline(text):
        shown = "".join(
            f"\0{token.content}\0" if token.type == "code_inline" else token.content or "\n"
            for token in block.children or ()
            if token.type not in ("em_open", "em_close", "strong_open", "strong_close")
        )
        yield from re.findall(r"\$\0([^\0]+)\0\$", shown)
        yield from BARE.findall(re.sub(r"\$?\0[^\0]+\0\$?", " ", shown))


def is_first(row: ledger.Row) -> bool:
    """Whether no row before it has its cause, which a page explains once."""
    rows = [entry for entry in ROWS if entry.get("cause") == row["cause"]]
    paper = row["id"].split("/")[0]
    return row["id"] == next(entry["id"] for entry in rows if entry["id"].startswith(f"{paper}/"))


def source(row: ledger.Row) -> Iterator[str]:
    """The formulas of a row and of its records, as they are recorded."""
    texts = [ledger.words(row, "statement")]
    texts += [ledger.words(row, "short")] if row.get("short") else []
    if row.get("cause") and is_first(row):
        erratum = errata.of_claim(*row["id"].split("/"))
        assert erratum is not None
        texts += [erratum.cause, erratum.title, erratum.practice, erratum.known]
    for record in row.get("records", ()):
        names = ("of", "statement", "domain", "evidence", "mutant")
        texts += [ledger.words(record, name) for name in names if record[name]]
        texts += [ledger.witness_text(record["witness"])] if record["witness"] else []
        texts += [record["proof"] or ""]
    for text in texts:
        yield from re.findall(r"\$([^$]+)\$", text)


def sections(text: str) -> dict[str, str]:
    """The text below each heading of an item."""
    _, *parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def faults(paper: str, text: str) -> list[str]:
    """The items whose formulas do not come out as they are recorded."""
    texts = sections(text)
    rows = [row for row in ROWS if row["id"].startswith(f"{paper}/")]
    assert list(texts) == [row["id"].split("/")[1] for row in rows]
    return [
        row["id"]
        for row in rows
        if Counter(formulas(texts[row["id"].split("/")[1]])) != Counter(source(row))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("paper", ledger.PAPERS)
def test_every_formula_comes_out_as_it_is_recorded(paper: str) -> None:
    assert faults(paper, FILES[f"ledger/{paper}.md"]) == []


def test_a_page_explains_a_cause_once_and_other_rows_name_where() -> None:
    for paper in ledger.PAPERS:
        page = FILES[f"ledger/{paper}.md"]
        for _, erratum in errata.groups(paper):
            head = f"**Cause** ({erratum.cause}). "
            said = [line for line in page.splitlines() if line.startswith(head)]
            first, *later = said or [""]
            assert not first.startswith(f"{head}See ")
            names = [line.removeprefix(f"{head}See ").rstrip(".") for line in later]
            assert len(set(names)) <= 1 and set(names) <= set(erratum.claims)


@pytest.mark.slow
def test_a_theorem_that_stands_above_is_named() -> None:
    page = FILES["ledger/vietri2020.md"]
    texts = sections(page)
    assert page.count("    Theorem claim_1_not_less_than_2H") == 1
    assert "the neighbour by `claim_1_not_less_than_2H`." in texts["claim-1"]


@pytest.mark.slow
def test_formulas_are_found() -> None:
    every = sum(1 for paper in ledger.PAPERS for _ in formulas(FILES[f"ledger/{paper}.md"]))
    assert every > 400


@pytest.mark.parametrize(
    ("written", "planted"),
    [
        (r"$`\lVert\phi_V\rVert\le\sqrt{d_1}\,H`$", r"$\lVert\phi_V\rVert\le\sqrt{d_1}\,H$"),
        (r"\,H`$ for every", r"H`$ for every"),
        (r"$`V`$ with values", r"`V` with values"),
        (r"$`[0,H]`$", r"\$\`[0,H]\`\$"),
    ],
)
def test_a_planted_fault_is_rejected(written: str, planted: str) -> None:
    text = FILES["ledger/zhou2022.md"]
    start = text.index("## assumption-1")
    assert written in text[start : start + 600]
    assert faults("zhou2022", text[:start] + text[start:].replace(written, planted, 1)) == [
        "zhou2022/assumption-1"
    ]


@pytest.mark.parametrize(
    ("formula", "arrives"),
    [
        (r"a\,b", "a,b"),
        (r"\|x\|", "|x|"),
        (r"\{0,1\}", "{0,1}"),
        (r"\hat{a}_{1}+b_{2}", r"\hat{a}{1}+b{2}"),
    ],
)
def test_bare_dollars_lose_what_backticks_keep(formula: str, arrives: str) -> None:
    assert list(formulas(f"Here ${formula}$.")) == [arrives]
    assert list(formulas(ledger_markdown.markdown(f"Here ${formula}$."))) == [formula]


def test_github_reads_a_dollar_before_a_backtick_only_after_no_letter() -> None:
    for name, text in FILES.items():
        assert re.findall(r"\w\$`|`\$\w", text) == [], name


@pytest.mark.slow
def test_lines_are_short_and_nothing_else_is_markup() -> None:
    assert set(FILES) == {"LEDGER.md", *(f"ledger/{paper}.md" for paper in ledger.PAPERS)}
    for name, text in FILES.items():
        assert max(map(len, text.splitlines())) <= LONGEST, name
        tokens = [
            token for block in PARSER.parse(text) for token in (block, *(block.children or ()))
        ]
        kinds = {token.type for token in tokens}
        assert not kinds & {"html_block", "html_inline", "code_block", "blockquote_open"}
        assert {token.info for token in tokens if token.type == "fence"} <= {"coq"}
        assert not kinds & {"lheading_open", "ordered_list_open", "image", "hr"}, name


@pytest.mark.parametrize(
    ("words", "begins"),
    [("every $d$", "Every $d$"), ("a sum", "A sum"), ("x in $d$", "x in $d$"), ("$x$", "$x$")],
)
def test_a_sentence_begins_with_a_capital(words: str, begins: str) -> None:
    assert ledger_markdown.sentence(words) == begins


@pytest.mark.parametrize(
    ("factor", "run", "sentence"),
    [
        (0.75, True, "The test still accepts 0.75 of the bound"),
        (0.75, False, "The largest value that the check meets is 0.75 of the bound"),
        (1.0, True, "The test refuses 0.997 of the bound"),
        (1.0, False, "The bound is attained"),
        (1.25, True, "The test still accepts 1.25 times the bound"),
        (1.25, False, "The least value that the check meets is 1.25 times the bound"),
    ],
)
def test_a_sharpness_says_what_was_run(factor: float, run: bool, sentence: str) -> None:
    label = "0.9 of the bound" if factor <= 1 else "1.111 times the bound"
    tightened = {label: factor != 1} if run else {}
    assert ledger_markdown.sharpness({"sharpness": factor, "tightened": tightened}) == sentence


def test_words_with_signs_of_markdown_stay_words() -> None:
    words = "a * b_1 ** c <x> |y| [0, 1](z) ~ & # \\ 1"
    (block,) = inline(ledger_markdown.markdown(words))
    assert "".join(token.content for token in block.children or ()) == words
    assert ledger_markdown.markdown("an *open* one") == "an *open* one"


def anchors(text: str) -> list[str]:
    return re.findall(r"^## (.*)$", text.replace(".", "").lower(), flags=re.MULTILINE)


@pytest.mark.slow
def test_every_link_leads_somewhere() -> None:
    targets = 0
    for name, text in FILES.items():
        for block in inline(text):
            for token in block.children or ():
                if token.type == "link_open":
                    path, _, anchor = str(token.attrs["href"]).partition("#")
                    target = (Path(name).parent / path).as_posix()
                    assert (ledger.FOLDER / target).resolve().is_file(), target
                    assert not anchor or anchors(FILES[target]).count(anchor) == 1, anchor
                    targets += bool(anchor)
    assert targets == len(ROWS)


def test_every_claim_names_its_check_and_no_other_row_does() -> None:
    claims = {row["id"] for row in ROWS if row.get("records")}
    for paper in ledger.PAPERS:
        page = FILES[f"ledger/{paper}.md"]
        for section in page.split("\n## ")[1:]:
            item = section.split("\n", 1)[0]
            links = re.findall(r"(?m)^\*\*Check\.\*\* `(\w+)` in \[.+?\]\((.+?)\)\.$", section)
            assert len(links) == (f"{paper}/{item}" in claims), item
            for function, path in links:
                text = (ledger.FOLDER / "ledger" / path).read_text("utf-8")
                assert f'@claim("{paper}/{item}")' in text.split(f"def {function}(")[0], item


def test_what_is_committed_is_what_the_rows_give() -> None:
    for name, text in FILES.items():
        assert (ledger.FOLDER / name).read_text(encoding="utf-8") == text
    stored = {path.name for path in (ledger.FOLDER / "ledger").iterdir()}
    assert stored == {f"{paper}.md" for paper in ledger.PAPERS}


def test_a_page_has_the_numbers_of_its_rows_and_not_of_stored_ones() -> None:
    """In the practice of an erratum, too, which is written apart."""
    paper, field = next(
        (paper, match[1])
        for paper in ledger.PAPERS
        for _, erratum in errata_groups.groups(paper)
        if (match := re.search(r"\{(\w+):g\}", erratum.practice))
    )
    rows = copy.deepcopy([row for row in ROWS if row["id"].startswith(f"{paper}/")])
    for row in rows:
        for record in row.get("records", ()):
            if field in record.get("numbers", {}):
                record["numbers"][field] = 0.0123
    page = ledger_markdown.page(paper, rows)
    assert "0.0123" in page and "0.0123" not in FILES[f"ledger/{paper}.md"]
