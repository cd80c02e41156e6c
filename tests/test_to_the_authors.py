"""The notes to the authors: every claim, verdict, rigor and number in them is the ledger's."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import pytest

from theory import errata, ledger, numbering
from theory.claim import Rigor
from theory.ledger import Row

NOTES = ledger.ROOT / "docs" / "to-the-authors"
# a paper without errata needs no note
PAPERS = [paper for paper in numbering.papers() if any(True for _ in errata.groups(paper))]
ROWS: dict[str, Row] = {row["id"]: row for row in ledger.recorded()}
MOST_WORDS = 450
HOLDS, NEEDS, MATTERS, CHECK = (
    "What holds",
    "What needs a word, or more",
    "What matters most",
    "To check it in a minute",
)
RIGORS = {rigor.value for rigor in Rigor}
SEVERITIES = {"open", "wording", "constant", "domain", "substance"}
SPELLED = {"two": 2, "twice": 2, "three": 3, "four": 4, "five": 5, "six": 6, "nine": 9}

NUMBER = re.compile(
    r"(?<![\w.])(?P<whole>\d{1,3}(?:[, ]\d{3})+(?!\d)|\d+)(?P<decimals>\.\d+)?"
    r"(?:e(?P<ten>[+-]?\d+)|(?P<times> x 10)?\^\(?(?P<power>-?\d+)\)?)?(?:/(?P<over>[1-9]\d*))?"
)
PAIR = re.compile(rf"\b(?P<name>[A-Za-z]\w*) (?P<relation>[<>]?=) (?={NUMBER.pattern})")
SENTENCE = re.compile(r"[.:;] ")
CLAIM = re.compile(r"`([a-z][\w.-]*)(?:: ([^`]+))?`")
JUDGED = re.compile(rf"(?:(?!\. )[^:])*?\b({'|'.join(sorted(RIGORS | SEVERITIES))})\)")
ITEM = re.compile(r"(?i)\b(theorem|lemma|claim|remark|equation|assumption) (\d[\d.]*\d|\d)")
PLACE = re.compile(r"(?i)\b(?:(?:section|line) (?:\d[\d.]*\d|\d)|appendix [A-Z]\b)")
COMMAND = re.compile(r"(?m)^    \.venv/bin/privrl check (\S+)/(\S+) --witness$")
MARKED = re.compile(r"<!-- while (\S+) is (.+?) -->\n(.*?)<!-- end -->\n", re.DOTALL)


def value(match: re.Match[str]) -> Fraction:
    """What a number in a text is worth."""
    number = Fraction(re.sub("[, ]", "", match["whole"]) + (match["decimals"] or ""))
    if match["times"]:
        number *= Fraction(10) ** int(match["power"])
    elif match["power"]:
        number **= int(match["power"])
    return number * Fraction(10) ** int(match["ten"] or 0) / int(match["over"] or 1)


def agrees(match: re.Match[str], recorded: Fraction) -> bool:
    """Whether a number says a recorded one, to its own digits when these are two or more."""
    number, decimals = value(match), match["decimals"] or "."
    if number == recorded:
        return True
    if match["power"] or match["over"] or len((match["whole"] + decimals[1:]).lstrip("0")) < 2:
        return False
    unit = Fraction(10) ** (int(match["ten"] or 0) - len(decimals) + 1)
    return 2 * abs(number - recorded) <= unit


def texts(part: object) -> Iterator[str]:
    """All that a row of the ledger says, a parameter of a witness as ``name = value``."""
    if isinstance(part, dict):
        for name, child in part.items():
            if name == "at":
                yield ", ".join(f"{symbol} = {number}" for symbol, number in child.items())
            elif name != "latex":
                yield from texts(child)
    elif isinstance(part, list):
        yield " ".join(str(child) for child in part if not isinstance(child, dict))
        for child in part:
            yield from texts(child if isinstance(child, dict) else None)
    elif part is not None:
        yield str(part)


def claimed(paper: str, name: str) -> Row | None:
    """The row of a claim, by its name in the note or by one of its other names."""
    name = f"{paper}/{name}"
    aliases = {alias: row for row in ROWS.values() for alias in row.get("aliases", ())}
    return ROWS.get(name) or aliases.get(name)


def records(row: Row, of: str) -> list[Row]:
    """The record of that name, or else those whose name begins so."""
    exact = [record for record in row["records"] if record["of"] == of]
    return exact or [record for record in row["records"] if record["of"].startswith(of)]


def words_for(row: Row, of: str | None) -> set[str]:
    """The verdicts and rigors that a note may say of a claim, or of a record of it."""
    if of is not None:
        found = records(row, of)
        return {str(record[key]) for record in found for key in ("verdict", "effective")}
    printed = [record["effective"] for record in row["records"] if record["of"] == "printed"]
    return {str(row["verdict"]), str(row["severity"]), *printed}


@cache
def values(text: str) -> list[Fraction]:
    return [value(match) for match in NUMBER.finditer(text)]


def parameters(text: str) -> list[tuple[str, re.Match[str]]]:
    """``(name and relation, number)`` of everything like ``H = 10`` or ``epsilon <= 1``."""
    found = [(match[0], NUMBER.match(text, match.end())) for match in PAIR.finditer(text)]
    return [(name, number) for name, number in found if number]


@cache
def instances_of(text: str) -> list[list[tuple[str, Fraction]]]:
    """The parameters of each sentence of a text."""
    return [
        [(name, value(number)) for name, number in parameters(sentence)]
        for sentence in SENTENCE.split(text)
    ]


@cache
def said(paper: str, name: str) -> tuple[str, ...]:
    """The texts of a claim: one for each record, and one for what stands above the records."""
    row = claimed(paper, name)
    if row is None:
        return ()
    above = {key: text for key, text in row.items() if key != "records"}
    return tuple(". ".join(texts(part)) for part in (above, *row.get("records", ())))


@cache
def all_said(paper: str) -> str:
    names = [name.split("/")[1] for name in ROWS if name.startswith(f"{paper}/")]
    return " ".join(text for name in names for text in said(paper, name)).lower()


def faults_of_numbers(paper: str, block: str) -> Iterator[str]:
    """Numbers of a paragraph that no record of a claim named in it has, and parameters of a
    sentence that do not stand together in a sentence, or a witness, of one."""
    sources = [text for name, _ in CLAIM.findall(block) for text in said(paper, name)]
    numbers = [number for text in sources for number in values(text)]
    prose = CLAIM.sub("", block)
    for match in ITEM.finditer(prose):
        if claimed(paper, f"{match[1].lower()}-{match[2]}") is None:
            yield f"no such item: {match[0]}"
    prose = ITEM.sub("", prose)
    for match in PLACE.finditer(prose):
        if match[0].lower() not in all_said(paper):
            yield f"no such place: {match[0]}"
    prose = PLACE.sub("", prose)
    for match in NUMBER.finditer(prose):
        if not any(agrees(match, number) for number in numbers):
            yield f"no record has {match[0]}"
    for word in re.findall(r"[a-z]+", prose):
        spelled = any(re.search(rf"\b{word}\b", text) for text in sources)
        if word in SPELLED and SPELLED[word] not in numbers and not spelled:
            yield f"no record has {word}"
    instances = [pairs for text in sources for pairs in instances_of(text)]
    for sentence in SENTENCE.split(prose):
        instance = parameters(sentence)
        if instance and not any(
            all(any(name == to and agrees(n, v) for to, v in pairs) for name, n in instance)
            for pairs in instances
        ):
            yield f"no instance has {', '.join(name + n[0] for name, n in instance)}"


def faults_of_claims(paper: str, section: str, block: str) -> Iterator[str]:
    """Claims of a paragraph that the ledger has not, or that it judges otherwise."""
    for match in CLAIM.finditer(block):
        name, of = match[1], match[2]
        row = claimed(paper, name)
        if row is None or (of is not None and not records(row, of)):
            yield f"not in the ledger: {match[0]}"
            continue
        judged = JUDGED.match(CLAIM.sub("", block[match.end() :]))
        if judged is None:
            yield f"neither verdict nor rigor is said of {match[0]}"
        elif judged[1] not in words_for(row, of):
            yield f"{match[0]} is {sorted(words_for(row, of))}, not {judged[1]}"
        verdicts = {r["verdict"] for r in records(row, of)} if of else {row["verdict"]}
        if section == HOLDS and not verdicts <= {"holds", "unspecified"}:
            yield f"does not hold: {match[0]}"
        if section == NEEDS and of is None and not verdicts <= {"corrected", "open"}:
            yield f"needs nothing: {match[0]}"


@cache
def faults_of_block(paper: str, section: str, block: str) -> tuple[str, ...]:
    return (*faults_of_claims(paper, section, block), *faults_of_numbers(paper, block))


def faults(paper: str, text: str) -> list[str]:
    """What in a note is not the ledger's."""
    found: list[str] = []
    for name, verdict, _ in MARKED.findall(text):
        row = claimed(paper, name) or {"verdict": "not in the ledger", "severity": None}
        now = ": ".join(filter(None, (row["verdict"], row["severity"])))
        if now != verdict:
            found.append(f"{name} is {now}: write anew what is marked as {verdict}")
    for name, of in CLAIM.findall(MARKED.sub("", text)):
        if not of and (claimed(paper, name) or {}).get("verdict") == "open":
            found.append(f"{name} is open, and its place is not marked")
    parts = re.split(r"(?m)^## (.+)$", re.sub(r"(?m)^<!--.*-->$", "\n", text))
    if parts[1::2] != [HOLDS, NEEDS, MATTERS, CHECK]:
        return [*found, f"headings must be the four, got {parts[1::2]}"]
    for section, part in zip(parts[1::2], parts[2::2], strict=True):
        for block in re.split(r"\n\s*\n|\n(?=- )", COMMAND.sub("", part)):
            found += faults_of_block(paper, section, " ".join(block.split()))
    commands = COMMAND.findall(text)
    if [command[0] for command in commands] != [paper]:
        return [*found, f"one command must stand in the note, got {commands}"]
    checked = claimed(*commands[0])
    if checked is None or f"`{commands[0][1]}" not in parts[6]:
        found.append("the command must check the claim that matters most")
    elif not any(
        record["verdict"] == "fails" and record["witness"] for record in checked["records"]
    ):
        found.append("the claim that the command checks must have a witness")
    return found


def note(paper: str) -> str:
    return (NOTES / f"{paper}.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_note_says_what_the_ledger_says(paper: str) -> None:
    assert faults(paper, note(paper)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_a_note_is_one_page_about_its_paper(paper: str) -> None:
    text = re.sub(r"<!--.*?-->", "", note(paper))
    title = " ".join(text.split("\n\n")[0].split())
    assert re.fullmatch(r"# To the authors? of \*(.+)\*", title), title
    assert numbering.load()[paper].title in title
    assert len(re.findall(r"\S*\w\S*", text)) <= MOST_WORDS


def changed(text: str, match: re.Match[str]) -> str:
    """The text with one more in the last digit of a number."""
    end = max(match.end(name) for name in ("whole", "decimals", "over"))
    return text[: end - 1] + str((int(text[end - 1]) + 1) % 10) + text[end:]


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_changed_number_is_rejected(paper: str) -> None:
    """Every number of two digits or more, and every parameter, with its last digit changed."""
    text = note(paper)
    labels = [
        range(*match.span()) for kind in (CLAIM, ITEM, PLACE) for match in kind.finditer(text)
    ]
    body, end = text.index("## "), text.index(f"## {CHECK}")
    long = [match for match in NUMBER.finditer(text, body, end) if len(match[0]) > 1]
    places = [*long, *(number for _, number in parameters(text[:end]))]
    places = [match for match in places if not any(match.start() in label for label in labels)]
    assert not faults(paper, text)
    accepted = [
        text[match.start() - 20 : match.end() + 10]
        for match in places
        if not faults(paper, changed(text, match))
    ]
    assert not accepted
    assert len(places) >= 10


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("lose 2.0069", "lose 2.0079", "no record has 2.0079"),
        ("H = 10, S = 2", "H = 20, S = 2", "no instance has epsilon = 1, T = 1000000, H = 20"),
        ("epsilon <= 1,", "epsilon >= 1,", "no instance has epsilon >= 1"),
        ("lemma 15", "lemma 25", "no such item: lemma 25"),
        ("two\ntrajectories", "nine\ntrajectories", "no record has nine"),
        ("`lemma-2`", "`lemma-3`", "not in the ledger: `lemma-3`"),
        ("(kernel), `lemma-11`", "(exact), `lemma-11`", "`lemma-2` is"),
        ("`claim-2`, `adaptivity`", "`claim-1`, `adaptivity`", "does not hold: `claim-1`"),
        ("(domain): right", "(wording): right", "`lemma-7` is"),
        ("`lemma-18` (substance)", "`lemma-2` (kernel)", "needs nothing: `lemma-2`"),
        ("`lemma-18` (substance): an", "An", "no record has 0.6"),
        ("while theorem-1 is corrected: constant", "while theorem-1 is holds", "write anew"),
        ("vietri2020/theorem-1 --w", "vietri2020/theorem-9 --w", "the claim that matters most"),
        ("## What holds", "## What is fine", "headings must be the four"),
    ],
)
def test_what_the_ledger_does_not_say_is_rejected(before: str, after: str, fault: str) -> None:
    text = note("vietri2020")
    assert before in text
    assert any(fault in found for found in faults("vietri2020", text.replace(before, after, 1)))


def test_what_is_open_is_marked() -> None:
    marked = note("chowdhury2021")
    bare = marked.replace("<!-- while theorem-2 is open -->\n", "", 1)
    assert bare != marked
    assert any("its place is not marked" in fault for fault in faults("chowdhury2021", bare))
