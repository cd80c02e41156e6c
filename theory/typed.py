"""Formulas as typed (x^2, c_1, sqrt(n), epsilon) as HTML: powers raised, indices lowered, Greek
letters, signs."""

import html
import re

from theory.errata import outside

STRESSED = r"(?<![\w)*])\*([A-Za-z][a-z -]{2,})\*(?!\w)"  # a word or a few; *H* may be a product
LONG = 60  # characters of TeX that may not fit into a line
_RELATION = r"(?<![_^])\+|=|\\[lg]e(?![a-z])"
_INNER = r"\{(?:[^{}]|\{[^{}]*\})*\}|\((?:[^()]|\([^()]*\))*\)"
_POWER = re.compile(rf"(?<=[\w)\]}}>'|~])\^(-?(?:{_INNER})|-?\d+(?:\.\d+)?|-?[A-Za-z]+|\*)")
_INDEX = re.compile("(?<=[A-Za-z>*~|\u0302])" + r"_(\{[^{}]*\}|\d+|[A-Za-z]|\*)(?!\w)")
_HAT = re.compile(r"(?<=[A-Za-z])\^")
_ROOT = re.compile(r"\bsqrt(?=\()|\bsqrt (?=\w)")
_LETTER = re.compile(
    r"(?<![A-Za-z])(alpha|beta|gamma|[dD]elta|epsilon|eta|[tT]heta|kappa|[lL]ambda|mu|nu|pi|rho|"
    r"[sS]igma|phi|psi)(?![A-Za-z])"
)
_SIGNS = {
    r"&lt;=": "≤",
    r"&gt;=": "≥",
    r"\bceil\(([^()]*)\)": r"⌈\1⌉",
    r"\blog2\b": "log<sub>2</sub>",
    r"(?<=[A-Za-z])(?:_|&#95;)(min|max)\b": r"<sub>\1</sub>",
    r"(?<=[A-Za-z])(?:~|&#126;)": "\u0303",
    r"(?<=[a-z])-hat\b": "\u0302",
    r"\+-(?=\d)": "±",
    r"\|\|": "‖",
    r"(?<=n) x (?=n\b)": " \u00d7 ",
    r"(?<![\w.])(\d[\d.]*)e\+?(-?)0*([1-9]\d*)(?!\w)": r"\1 10<sup>\2\3</sup>",  # 5.1e+12
    r"(?<![\w.])1 (?=10<sup>)": "",
    r"(?<=\d) (?=10<sup>)": " · ",
    r"√\((\w+)\)": r"√\1",
}


def powers(words: str) -> str:
    """Words with the powers, indices, hats and roots of typed formulas as HTML; code and TeX stay
    as they are."""
    return outside(
        words,
        lambda piece: _ROOT.sub(
            "√", _INDEX.sub(_lowered, _HAT.sub("\u0302", _POWER.sub(_raised, piece)))
        ),
    )


def signs(words: str) -> str:
    """Words, as HTML, with the signs that names stand for: ε, ≤, ⌈x⌉."""
    for name, sign in _SIGNS.items():
        words = re.sub(name, sign, words)
    return letters(words)


def letters(words: str) -> str:
    """Words with Greek letters in place of their names."""
    return _LETTER.sub(lambda match: html.unescape(f"&{match[1]};"), words)


def line(words: str) -> str:
    """Words with the signs that names stand for, in plain text: Δ₁ ≥ √m ‖x‖²; formulas and code
    stay as they are."""

    def made(piece: str) -> str:
        piece = re.sub(
            r"\bsqrt\((\w)\)|\bsqrt(?=\()", r"√\1", piece.replace("||", "‖").replace("^2", "²")
        )
        piece = re.sub(r"(?<=[A-Za-z‖])_(\d)\b", lambda match: chr(ord("₀") + int(match[1])), piece)
        return letters(piece.replace("<=", "≤").replace(">=", "≥"))

    return outside(words, made)


def caption(words: str) -> str:
    """Words with typed formulas for Markdown, which leaves them as they are: as HTML, stressed
    words stay stressed."""

    def made(piece: str) -> str:
        piece = powers(html.escape(piece, quote=False))
        for mark in "*_~^":
            piece = piece.replace(mark, f"&#{ord(mark)};")
        return signs(re.sub(STRESSED.replace(r"\*", "&#42;"), r"<em>\1</em>", piece))

    return broken(outside(words, made))


def broken(words: str) -> str:
    """Words with their long formulas in parts, so that a line can end after a sum's plus or a
    relation."""
    return re.sub(r"\$([^$]+)\$", _parts, words)


def _parts(match: re.Match[str]) -> str:
    depth, rebuilt = 0, ""
    for piece in re.split(rf"([{{(\[]|[}})\]]|{_RELATION})", match[1]):
        depth += (piece in ("{", "(", "[")) - (piece in ("}", ")", "]"))
        parts = depth == 0 and rebuilt and len(match[1]) > LONG and re.fullmatch(_RELATION, piece)
        if parts:
            rebuilt += f"{piece}{{}}$ $"
        else:
            rebuilt += piece.lstrip() if rebuilt.endswith("$ $") else piece
    return f"${rebuilt}$"


def _raised(match: re.Match[str]) -> str:
    return f"<sup>{powers(_bare(match[1]))}</sup>"


def _lowered(match: re.Match[str]) -> str:
    return f"<sub>{_bare(match[1])}</sub>"


def _bare(words: str) -> str:
    return words[1:-1] if words[0] in "{(" else words
