"""Formulas on a terminal: one line, no sign of TeX, precedence kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.formulas import NOISE, downwards, plain, upwards


@pytest.mark.parametrize(
    ("typeset", "expected"),
    [
        (r"scale $\frac{3H}{\varepsilon}\log T$.", "scale 3H/epsilon log T."),
        (
            r"$\frac{8 m \Delta^2 \ln(2/\delta)}{\varepsilon^2}$",
            "8 m Delta^2 ln(2/delta)/epsilon^2",
        ),
        (r"$\frac{\ln(1/4\beta)}{24\varepsilon\alpha}$", "ln(1/4 beta)/(24 epsilon alpha)"),
        (r"$\tilde{\phi}_t \le 2\sqrt{\ln(1/\beta)/\hat n}$", "phi~_t <= 2 sqrt(ln(1/beta)/n^)"),
        (r"$\hat{n} - 2E \ge \hat{Q}^+$", "n^ - 2E >= Q^^+"),
        (r"$\frac{1}{2m}$, $\frac{a+1}{2}$, $2^{-t}$", "1/(2m), (a+1)/2, 2^(-t)"),
        (r"$\lceil \log_2 K\rceil$ in $\{0,1\}^T$", "ceil(log_2 K) in {0,1}^T"),
        (
            r"$B^\top\tilde P B$ of $\tilde\Theta \in \hat\Theta_k \cap S$",
            "B' P~ B of Theta~ in Theta^_k and S",
        ),
        ("no formula costs 3^2", "no formula costs 3^2"),
    ],
)
def test_one_line(typeset: str, expected: str) -> None:
    assert plain(typeset) == expected


@given(st.floats(1e-9, 1e12), st.integers(1, 6))
def test_numbers_round_to_the_side_that_is_said(value: float, digits: int) -> None:
    below, above = downwards(value, digits), upwards(value, digits)
    noise = 1 + 10.0 ** (1 - NOISE)
    assert below <= value * noise and value <= above * noise
    assert above <= below * (1 + 1.000001 * 10.0 ** (1 - digits))
    assert float(f"{above:.{digits}g}") == above and float(f"{below:.{digits}g}") == below


def test_the_last_bits_of_a_float_move_no_digit() -> None:
    for value in (0.1, 0.3, 0.25 * (1 + 1e-15), 1 - 1e-15, 24.8):
        short = float(f"{value:.3g}")
        assert downwards(value, 3) == short == upwards(value, 3)
    assert (downwards(0.8437, 2), upwards(0.8437, 2)) == (0.84, 0.85)
