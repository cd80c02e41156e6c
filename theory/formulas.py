"""Formulas between dollar signs, as they are read where nothing is typeset."""

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import SupportsFloat

NOISE = 12  # significant digits to which a float is read before it is rounded
_FORMULA = re.compile(r"\$([^$]+)\$")
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_SIGNS = {
    "le": "<=",
    "leq": "<=",
    "ge": ">=",
    "geq": ">=",
    "ne": "!=",
    "neq": "!=",
    "approx": "~",
    "sim": "~",
    "cdot": " ",
    "times": "x",
    "to": "->",
    "infty": "infinity",
    "in": "in",
    "ldots": "...",
    "dots": "...",
    "cdots": "...",
    "lvert": "|",
    "rvert": "|",
    "lVert": "||",
    "rVert": "||",
    "mid": "|",
    "lceil": "ceil(",
    "rceil": ")",
    "lfloor": "floor(",
    "rfloor": ")",
    "varepsilon": "epsilon",
    "varphi": "varphi",
    "pm": "+-",
    "mp": "-+",
    "top": "'",
    "prime": "'",
    "quad": " ",
    "qquad": " ",
    "langle": "<",
    "rangle": ">",
    "subset": "within",
    "log": "log",
    "cap": "and",
    "tfrac": "frac",
    "dfrac": "frac",
    "star": "*",
    "ast": "*",
    "ll": "<<",
    "gg": ">>",
    "setminus": "\\",
    "equiv": "=",
}
_ACCENTS = {
    "tilde": "~",
    "widetilde": "~",
    "hat": "\x03",
    "widehat": "\x03",
    "bar": "-",
    "overline": "-",
}
_NOTHING = (
    "left",
    "right",
    "big",
    "Big",
    "bigl",
    "bigr",
    "Bigl",
    "Bigr",
    "displaystyle",
    "limits",
    "nolimits",
)


def upwards(value: SupportsFloat, digits: int) -> float:
    """The number rounded up to so many significant digits: for "at most" and "from .. on".

    It is read to :data:`NOISE` digits, beyond which the arithmetic of floats, and not the number,
    decides: what is 1/4 but for the last bit remains 0.25.
    """
    return _rounded(value, digits, ROUND_CEILING)


def downwards(value: SupportsFloat, digits: int) -> float:
    """The number rounded down to so many significant digits: for "at least" and "up to"."""
    return _rounded(value, digits, ROUND_FLOOR)


def as_labelled(value: SupportsFloat, label: str, digits: int) -> float:
    """The number to so many significant digits: up where its label says "at most", down where it
    says "at least", else to the nearest."""
    if re.search(r"\bat most\b", label):
        return upwards(value, digits)
    if re.search(r"\bat least\b", label):
        return downwards(value, digits)
    return float(f"{float(value):.{digits}g}")


def _rounded(value: SupportsFloat, digits: int, rounding: str) -> float:
    read = f"{float(value):.{NOISE}g}"
    return float(Context(prec=digits, rounding=rounding).create_decimal(read))


def scientific(value: float, digits: str = "g") -> str:
    r"""A number in TeX, its exponent as a power: ``10^{-6}``, ``2.5 \cdot 10^{7}``."""
    mantissa, _, exponent = format(value, digits).partition("e")
    if not exponent:
        return mantissa
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def plain(words: str) -> str:
    """Words with their formulas in one line of letters: ``$\\frac{\\varepsilon}{3H}$`` is
    ``epsilon/(3H)``.

    Signs that are no command of this list keep their name (``\\sigma`` is ``sigma``); groups become
    parentheses where they hold more than one sign.
    """
    return _FORMULA.sub(lambda match: _flat(match[1]).strip(), words)


def _flat(formula: str) -> str:
    text = (
        re.sub(r"\\[,;:! ]|~", " ", formula)
        .replace(r"\{", "\x01")
        .replace(r"\}", "\x02")
        .replace(r"\|", "||")
    )
    text = re.sub(r"\\(?:" + "|".join(_NOTHING) + r")(?![A-Za-z])", "", text)
    text = re.sub(r"\\[td]frac", r"\\frac", text)
    before = ""
    while (
        before != text
    ):  # from the inside out: each turn opens the groups that hold no command with groups
        before = text
        text = re.sub(
            rf"\\frac\s*{_GROUP}\s*{_GROUP}",
            lambda m: f"{_bracket(m[1], ' ')}/{_bracket(m[2])}",
            text,
        )
        text = re.sub(rf"\\sqrt\s*{_GROUP}", r" sqrt(\1)", text)
        text = re.sub(
            rf"\\(?:mathrm|text|operatorname|mathbb|mathcal|mathbf|textrm)\s*{_GROUP}", r"\1", text
        )
        for name, sign in _ACCENTS.items():
            text = re.sub(
                rf"\\{name}\s*(?:{_GROUP}|\\([A-Za-z]+)|(?<=\s)([A-Za-z]))", rf" \1\2\3{sign}", text
            )
    text = re.sub(rf"([_^]){_GROUP}", lambda m: m[1] + _bracket(m[2]), text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: f" {_SIGNS.get(m[1], m[1])} ", text)
    text = re.sub(r"[{}]", "", text).replace("\x01", "{").replace("\x02", "}").replace("^'", "'")
    text = re.sub(r" *(<=|>=|!=|->|(?<![<>!])=|[<>](?!=)) *", r" \1 ", re.sub(r"\s+", " ", text))
    text = re.sub(r"(?<=[(\[_^/]) | (?=[)\],.;_^/'~])", "", text)
    text = re.sub(
        r"\b(ln|log|exp|max|min|sqrt|tanh|Pr|ceil|floor|det) (?=[(\[])",
        r"\1",
        text.replace("^'", "'"),
    )
    return re.sub(r" ?\x03", "^", text)  # a hat is no power: the space after it stays


def _bracket(inner: str, product: str = "") -> str:
    """A group in parentheses unless it is one sign with its power, or with ``product`` a
    product."""
    sign = r"(?:\\?[A-Za-z]+|\d+(?:\.\d+)?)(?:[_^]\w+|'|\([^()]*\))*"
    alone = re.fullmatch(rf"{sign}(?:\s*{sign})*" if product else sign, inner.strip())
    return inner.strip() if alone else f"({inner.strip()})"
