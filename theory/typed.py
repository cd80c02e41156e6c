"""Formulas as typed (x^2, c_1, sqrt(n), epsilon) as HTML: powers raised, indices lowered, Greek letters, signs."""

import html
import re

from theory.errata import outside

STRESSED = r"(?<![\w)*])\*([A-Za-z][a-z -]{2,})\*(?!\w)"  # a word or a few; *H* may be a product
_INNER = r"\{(?:[^{}]|\{[^{}]*\})*\}|\((?:[^()]|\([^()]*\))*\)"
_POWER = re.compile(rf"(?<=[\w)\]}}>'|~])\^(-?(?:{_INNER})|-?\d+(?:\.\d+)?|-?[A-Za-z]+|\*)")
_INDEX = re.compile("(?<=[A-Za-z>*~\u0302])" + r"_(\{[^{}]*\}|\d+|[A-Za-z]|\*)(?!\w)")
_HAT = re.compile(r"(?<=[A-Za-z])\^")
_ROOT = re.compile(r"\bsqrt(?=\()|\bsqrt (?=\w)")
_LETTER = re.compile(r"(?<![A-Za-z])(alpha|beta|gamma|[dD]elta|epsilon|eta|[tT]heta|kappa|[lL]ambda|mu|nu|pi|rho|"
                     r"[sS]igma|phi|psi)(?![A-Za-z])")
_SIGNS = {r"&lt;=": "≤", r"&gt;=": "≥", r"\bceil\(([^()]*)\)": r"⌈\1⌉", r"\blog2\b": "log<sub>2</sub>",
          r"(?<=[A-Za-z])(?:_|&#95;)(min|max)\b": r"<sub>\1</sub>", r"(?<=[A-Z])(?:~|&#126;)": "\u0303",
          r"(?<=\d) (?=10<sup>)": " · ", r"√\((\w+)\)": r"√\1"}  # fmt: skip


def powers(words: str) -> str:
    """Words with the powers, indices, hats and roots of typed formulas as HTML; code and TeX stay as they are."""
    return outside(words, lambda piece: _ROOT.sub("√", _INDEX.sub(_lowered, _HAT.sub(
        "\u0302", _POWER.sub(_raised, piece)))))  # fmt: skip


def signs(words: str) -> str:
    """Words, as HTML, with the signs that names stand for: ε, ≤, ⌈x⌉."""
    for name, sign in _SIGNS.items():
        words = re.sub(name, sign, words)
    return letters(words)


def letters(words: str) -> str:
    """Words with Greek letters in place of their names."""
    return _LETTER.sub(lambda match: html.unescape(f"&{match[1]};"), words)


def caption(words: str) -> str:
    """Words with typed formulas for Markdown, which leaves them as they are: as HTML, stressed words stay stressed."""
    def made(piece: str) -> str:
        piece = powers(html.escape(piece, quote=False))
        for mark in "*_~^":
            piece = piece.replace(mark, f"&#{ord(mark)};")
        return signs(re.sub(STRESSED.replace(r"\*", "&#42;"), r"<em>\1</em>", piece))

    return outside(words, made)


def _raised(match: re.Match[str]) -> str:
    return f"<sup>{powers(_bare(match[1]))}</sup>"


def _lowered(match: re.Match[str]) -> str:
    return f"<sub>{_bare(match[1])}</sub>"


def _bare(words: str) -> str:
    return words[1:-1] if words[0] in "{(" else words
