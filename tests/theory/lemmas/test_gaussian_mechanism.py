"""The Gaussian mechanism: its curve by integration, the least constant, the shapes."""

import math

import mpmath as mp
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from theory.lemmas import gaussian_mechanism as gm
from theory.lemmas.gaussian_mechanism import Shape


@pytest.mark.parametrize(("epsilon", "mu"), [(0.0, 0.5), (0.7, 0.4), (1.0, 1.5), (3.0, 2.0)])
def test_curve_by_integration(epsilon: float, mu: float) -> None:
    """delta = int (p - e^epsilon p')_+ for unit Gaussians at distance mu."""
    start = epsilon / mu + mu / 2  # where p(x) = phi(x - mu) overtakes e^epsilon phi(x)
    first, second = stats.norm(mu), stats.norm()
    value, _ = integrate.quad(
        lambda x: first.pdf(x) - math.exp(epsilon) * second.pdf(x), start, start + 40
    )
    assert float(gm.curve(epsilon, mu)) == pytest.approx(value, rel=1e-7, abs=1e-12)
    assert float(gm.curve_ball(arb(epsilon), arb(mu))) == pytest.approx(
        float(gm.curve(epsilon, mu)), rel=1e-14
    )


@given(st.floats(0.5, 6), st.floats(0.01, 4), st.floats(1.01, 2))
def test_monotone_in_epsilon_for_fixed_c(c: float, epsilon: float, factor: float) -> None:
    assert gm.curve(epsilon, epsilon / c) < gm.curve(epsilon * factor, epsilon * factor / c)


@pytest.mark.slow
def test_the_least_constant_and_its_neighbour() -> None:
    constant, at = gm.least_constant()
    assert 1 < constant < 1.25
    assert at > math.sqrt(2 * math.log(constant))  # a delta below 1, so the constant is needed
    for value, private in ((constant + 1e-4, True), (constant - 1e-4, False)):
        least = math.sqrt(2 * math.log(value)) * (1 - 1e-12)
        assert gm.certify_shape(Shape(value, 0.5, least), 1.0) is private


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [Shape(1.0, 0.5, 1.17), Shape(2.0, 0.25, 1.6), Shape(8.0, 0.1, 4.5)]
)
def test_certificates_against_the_curve(shape: Shape) -> None:
    points = [shape.least * (1 + k / 10) for k in range(60)]
    edge = min(gm.shape_threshold(shape, c) for c in points)
    assert gm.certify_shape(shape, 0.95 * edge)
    assert not gm.certify_shape(shape, 1.02 * edge)
    middle = points[10]
    ratio = gm.aim_ratio(shape, edge, arb(middle))
    aim = shape.a * mp.exp(-mp.mpf(shape.b) * mp.mpf(middle) ** 2)
    exact = gm.curve(edge, mp.mpf(edge) / middle, digits=60) / aim
    assert float(ratio) == pytest.approx(float(exact), rel=1e-9)


def test_shapes_that_are_refused() -> None:
    for shape in (Shape(1.0, 0.6, 1.0), Shape(0.0, 0.5, 1.0), Shape(1.0, 0.5, 0.0)):
        with pytest.raises(ValueError, match="shape"):
            gm.certify_shape(shape, 1.0)
    assert not gm.neglected_tail(Shape(1.0, 0.5, 1.0), 1e6, 64.0)
