"""The Gaussian mechanism: its curve by integration, the lemma and its constant, the shapes, adaptivity."""

import math

import mpmath as mp
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from privrl.privacy import accounting
from theory.lemmas import gaussian_mechanism as gm
from theory.lemmas.gaussian_mechanism import Shape


@pytest.mark.parametrize(("epsilon", "mu"), [(0.0, 0.5), (0.7, 0.4), (1.0, 1.5), (3.0, 2.0)])
def test_curve_by_integration(epsilon: float, mu: float) -> None:
    """delta = int (p - e^epsilon p')_+ for unit Gaussians at distance mu."""
    start = epsilon / mu + mu / 2  # where p(x) = phi(x - mu) overtakes e^epsilon phi(x)
    first, second = stats.norm(mu), stats.norm()
    value, _ = integrate.quad(lambda x: first.pdf(x) - math.exp(epsilon) * second.pdf(x), start, start + 40)
    assert float(gm.curve(epsilon, mu)) == pytest.approx(value, rel=1e-7, abs=1e-12)
    assert float(gm.curve_ball(arb(epsilon), arb(mu))) == pytest.approx(float(gm.curve(epsilon, mu)), rel=1e-14)


@given(st.floats(0.5, 6), st.floats(0.01, 4), st.floats(1.01, 2))
def test_monotone_in_epsilon_for_fixed_c(c: float, epsilon: float, factor: float) -> None:
    assert gm.curve(epsilon, epsilon / c) < gm.curve(epsilon * factor, epsilon * factor / c)


def test_facts() -> None:
    assert gm.derivative_identity() == 0
    assert gm.mills_below() == -1
    assert all(gm.classical_proof().values())
    assert not all(gm.classical_proof("0.8").values())


@given(st.floats(1e-12, 0.999), st.floats(0.001, 0.9999))
def test_the_lemma_at_points(delta: float, epsilon: float) -> None:
    sigma = gm.classical_sigma(epsilon, delta)
    assert gm.curve(epsilon, 1 / sigma) <= delta
    assert 1 / sigma <= accounting.gaussian_mu(epsilon, delta) * (1 + 1e-12)


@pytest.mark.parametrize("delta", [0.5, 1e-3, 1e-6, 1e-12])
def test_first_failure_brackets(delta: float) -> None:
    edge = gm.first_failure(delta)
    for epsilon, private in ((edge * (1 - 1e-9), True), (edge * (1 + 1e-9), False)):
        assert (gm.curve(epsilon, 1 / gm.classical_sigma(epsilon, delta)) <= delta) is private


def test_the_least_constant_and_its_neighbour() -> None:
    constant, at = gm.least_constant()
    assert 1 < constant < 1.25
    assert at > math.sqrt(2 * math.log(constant))  # a delta below 1, so the constant is needed
    for value, private in ((constant + 1e-4, True), (constant - 1e-4, False)):
        least = math.sqrt(2 * math.log(value)) * (1 - 1e-12)
        assert gm.certify_shape(Shape(value, 0.5, least), 1.0) is private


@pytest.mark.parametrize("shape", [Shape(1.0, 0.5, 1.17), Shape(2.0, 0.25, 1.6), Shape(8.0, 0.1, 4.5)])
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


def test_adaptivity() -> None:
    for releases in (1, 2, 4, 6):
        for time in range(1, releases + 1):
            tree, message = gm.adaptive_loss(releases, time), gm.adaptive_loss(releases, time, local=True)
            assert tree.defect == 0 == message.defect
            assert tree.shift_precedes
            assert message.nodes == 1 <= tree.nodes <= releases.bit_length()
    assert gm.adaptive_loss(4, 2, leak=True).defect != 0
    assert gm.adaptive_loss(3, 1, leak=True, local=True).defect != 0
    with pytest.raises(ValueError, match=r"1\.\.releases"):
        gm.adaptive_loss(3, 4)


@pytest.mark.parametrize("reaction", [0.0, 3.0, -8.0])
def test_adaptive_law_by_quadrature(reaction: float) -> None:
    for epsilon in (0.0, 0.5):
        value = gm.adaptive_delta(epsilon, 0.6, reaction, step=0.04)
        assert value == pytest.approx(float(gm.curve(epsilon, 0.6 * math.sqrt(2))), abs=1e-4)
