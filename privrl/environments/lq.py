"""Linear quadratic systems with bounded noise (chowdhury2021, section II).

When the assumption can hold as it is printed: for every n and d and every H, Q, R. It asks nothing
of Q, R and H, so its gamma is any number up to (1 - C_A - C_w) / C_B. That the controls stay within
gamma (lemma-2) is another matter: see :func:`privrl.environments.planning.lq_gain_bound`. The
instances of this file are chosen so that it holds for every Theta in S.
"""

import math
from dataclasses import dataclass

import numpy as np

from privrl.checks import array, choice, count, named, positive, real, require, settle
from privrl.types import FloatArray

NOISES = ("ball", "sphere", "box", "rademacher", "cosine")
UNCONTROLLABLE = 1e-10  # least singular value of the controllability matrix, relative to its norm
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class LQSystem:
    """x_{h+1} = A x_h + B u_h + w_h with cost x'Qx + u'Ru, under assumption 1
    (chowdhury2021/assumption-1).

    Parameters
    ----------
    name : str
    A : (n, n), B : (n, d), the dynamics; Theta = [A, B]' has Frobenius norm at most 1 and [A, B] is
        controllable (a)
    Q : (n, n), R : (d, d), symmetric positive definite
    start : (n,), x_1, the same in every episode, of norm at most 1 (c)
    horizon : H
    gamma : bound on the controls, > 0, with C_A + gamma C_B + C_w <= 1 (e)
    c_w : C_w, the bound on the noise that the agent is told, in (0, 1) (d)
    c_a, c_b, c : C_A >= ||A||, C_B >= ||B||, both below 1, and C >= ||Q||, ||R|| (b); the norms
        themselves by default
    noise : law of w_h. ``ball``: uniform in the ball; ``sphere``: uniform on it; ``box``: uniform
        in the inscribed cube; ``rademacher``: uniform on that cube's vertices; ``cosine``:
        independent coordinates in that cube with the smooth density cos^2(pi w / 2s)/s on [-s, s],
        of least Fisher information pi^2/s^2 (for a lower bound)
    radius : of the ball, at most C_w, which is the default
    """

    name: str
    A: FloatArray
    B: FloatArray
    Q: FloatArray
    R: FloatArray
    start: FloatArray
    horizon: int
    gamma: float
    c_w: float
    c_a: float | None = None
    c_b: float | None = None
    c: float | None = None
    noise: str = "ball"
    radius: float | None = None

    def __post_init__(self) -> None:
        named(self.name)
        n = array("A", self.A, (None, None)).shape[0]
        A, B = array("A", self.A, (n, n)), array("B", self.B, (n, None))
        d = B.shape[1]
        Q, R = _definite("Q", self.Q, n), _definite("R", self.R, d)
        start = array("start", self.start, (n,))
        numbers = {
            "horizon": count("horizon", self.horizon),
            "gamma": positive("gamma", self.gamma),
            "c_w": positive("c_w", self.c_w),
            "c_a": _bound("c_a", self.c_a, A),
            "c_b": _bound("c_b", self.c_b, B),
            "c": _bound("c", self.c, Q, R),
        }
        choice("noise", self.noise, NOISES)
        size = float(np.linalg.norm(np.hstack((A, B))))
        require(
            size <= 1 + ROUNDING,
            "assumption 1 (a): the Frobenius norm of [A, B] must be <= 1",
            norm=size,
        )
        least = controllability(A, B)
        require(
            least > UNCONTROLLABLE,
            "assumption 1 (a): [A, B] must be controllable",
            smallest_singular_value=least,
        )
        for name, bound in (("c_a", "C_A"), ("c_b", "C_B")):
            require(
                numbers[name] < 1, f"assumption 1 (b): {bound} must be < 1", **{name: numbers[name]}
            )
        length = float(np.linalg.norm(start))
        require(
            length <= 1 + ROUNDING, "assumption 1 (c): the norm of start must be <= 1", norm=length
        )
        require(numbers["c_w"] < 1, "assumption 1 (d): C_w must be < 1", c_w=numbers["c_w"])
        radius = numbers["c_w"] if self.radius is None else positive("radius", self.radius)
        require(
            radius <= numbers["c_w"],
            "assumption 1 (d): the noise must stay within C_w",
            radius=radius,
            c_w=numbers["c_w"],
        )
        total = numbers["c_a"] + numbers["gamma"] * numbers["c_b"] + numbers["c_w"]
        require(
            total <= 1 + ROUNDING, "assumption 1 (e): C_A + gamma C_B + C_w must be <= 1", sum=total
        )
        settle(self, **numbers, radius=radius, A=A, B=B, Q=Q, R=R, start=start)

    @property
    def states(self) -> int:
        """n, dimension of the state."""
        return int(self.A.shape[0])

    @property
    def controls(self) -> int:
        """d, dimension of the control."""
        return int(self.B.shape[1])

    @property
    def theta(self) -> FloatArray:
        """Theta = [A, B]', shape (n + d, n)."""
        return np.hstack((self.A, self.B)).T

    @property
    def variance(self) -> float:
        """E[w w'] is this number times the identity, for each of the laws."""
        squared = float(self.radius or 0.0) ** 2
        n = self.states
        # the variance of cos^2(pi w / 2s)/s is s^2 (1/3 - 2/pi^2)
        smooth = n / (1 / 3 - 2 / math.pi**2)
        return (
            squared
            / {"ball": n + 2, "sphere": n, "box": 3 * n, "rademacher": n, "cosine": smooth}[
                self.noise
            ]
        )

    @property
    def coins_per_step(self) -> int:
        """Uniforms that one w_h is made of."""
        n = self.states
        if self.noise in ("box", "rademacher", "cosine") or n == 1:
            return n
        pairs = 2 * ((n + 1) // 2) if n > 2 else 1  # Box and Muller's pairs, or an angle
        return pairs + (self.noise == "ball")

    @property
    def coins(self) -> int:
        """Uniforms that an episode's noise is made of."""
        return self.horizon * self.coins_per_step

    @property
    def ties(self) -> int:
        """Uniforms that break ties: the minimiser of equation 9 has one policy, there are none."""
        return 0


def controllability(A: FloatArray, B: FloatArray) -> float:
    """Least singular value of [B, AB, .., A^(n-1) B] over its largest; columns scaled, so that
    powers do not fade."""
    size = float(np.linalg.norm(A, 2))
    blocks = [B]
    for _ in range(A.shape[0] - 1):
        blocks.append(A @ blocks[-1] / (size or 1.0))
    values = np.linalg.svd(np.hstack(blocks), compute_uv=False)
    return float(values[-1] / values[0]) if values[0] > 0 else 0.0


def _definite(name: str, value: object, size: int) -> FloatArray:
    """``value`` as a symmetric positive definite matrix, or ``ValueError``."""
    matrix = array(name, value, (size, size))
    skew = float(np.abs(matrix - matrix.T).max())
    require(
        skew <= ROUNDING * max(1.0, float(np.abs(matrix).max())),
        f"{name} must be symmetric",
        skew=skew,
    )
    least = float(np.linalg.eigvalsh(matrix)[0])
    require(least > 0, f"{name} must be positive definite", smallest_eigenvalue=least)
    return matrix


def _bound(name: str, value: float | None, *matrices: FloatArray) -> float:
    """``value``, at least the operator norm of every matrix; their largest norm where it is
    None."""
    norm = max(float(np.linalg.norm(matrix, 2)) for matrix in matrices)
    if value is None:
        return norm
    number = real(name, value)
    require(
        math.isfinite(number) and number >= norm - ROUNDING,
        f"assumption 1 (b): {name} must be at least the operator norm that it bounds",
        **{name: value},
        norm=norm,
    )
    return number


def lq_scalar(horizon: int = 5, noise: str = "ball") -> LQSystem:
    """n = d = 1: a = 0.6, b = 0.5, C_w = 0.15, gamma = 0.5; every gain on S is within gamma for H
    <= 5."""
    return lq_instance(1, 1, horizon, noise)


def lq_instance(states: int, controls: int, horizon: int = 5, noise: str = "ball") -> LQSystem:
    """One stated system for (n, d) = (1, 1), (2, 1), (2, 2) or (4, 2)."""
    shape = (count("states", states), count("controls", controls))
    require(
        shape in _MATRICES,
        "stated systems exist for (n, d) = (1, 1), (2, 1), (2, 2), (4, 2)",
        states=states,
        controls=controls,
    )
    A, B, cost, gamma, c_w = _MATRICES[shape]
    n, d = shape
    start = np.ones(n) / math.sqrt(n)
    return LQSystem(
        f"lq-{n}-{d}" + _suffix(horizon, noise),
        np.array(A),
        np.array(B),
        cost * np.eye(n),
        np.eye(d),
        start,
        horizon,
        gamma,
        c_w,
        noise=noise,
    )


def random_lq(states: int, controls: int, horizon: int, seed: int, noise: str = "ball") -> LQSystem:
    """A system drawn inside assumption 1, with every gain on S within gamma
    (:func:`planning.lq_gain_bound`).

    A and B are Gaussian, scaled to C_A = 0.5 and C_B = 0.5 at most and to ||Theta||_F <= 1; C_w =
    0.2, gamma = 0.6; Q and R are Wishart, scaled so that the bound on the gains is at most gamma.
    """
    n, d, horizon = count("states", states), count("controls", controls), count("horizon", horizon)
    choice("noise", noise, NOISES)
    rng = np.random.default_rng(count("seed", seed, 0))
    A, B = rng.standard_normal((n, n)), rng.standard_normal((n, d))
    A *= min(0.5 / np.linalg.norm(A, 2), 0.7 / np.linalg.norm(A))
    B *= min(0.5 / np.linalg.norm(B, 2), 0.7 / np.linalg.norm(B))
    root_q, root_r = rng.standard_normal((n, n + 2)), rng.standard_normal((d, d + 2))
    Q, R = root_q @ root_q.T, root_r @ root_r.T
    R /= np.linalg.eigvalsh(R)[0]
    # D / (2 sqrt(1 + D)) <= gamma with D = (H - 1) ||Q||: D <= 2 gamma (gamma + sqrt(1 + gamma^2))
    gamma = 0.6
    Q *= 2 * gamma * (gamma + math.sqrt(1 + gamma**2)) / max(horizon - 1, 1) / np.linalg.norm(Q, 2)
    start = rng.standard_normal(n)
    name = f"lq-random-{n}-{d}-h{horizon}-seed{seed}" + ("" if noise == "ball" else f"-{noise}")
    return LQSystem(
        name,
        A,
        B,
        (Q + Q.T) / 2,
        (R + R.T) / 2,
        start / np.linalg.norm(start),
        horizon,
        gamma,
        0.2,
        noise=noise,
    )


def _suffix(horizon: int, noise: str) -> str:
    horizon, noise = count("horizon", horizon), choice("noise", noise, NOISES)
    return ("" if horizon == 5 else f"-h{horizon}") + ("" if noise == "ball" else f"-{noise}")


Rows = list[list[float]]
# A, B, q, gamma, C_w
_MATRICES: dict[tuple[int, int], tuple[Rows, Rows, float, float, float]] = {
    (1, 1): ([[0.6]], [[0.5]], 0.4, 0.5, 0.15),
    (2, 1): ([[0.55, 0.15], [0.0, 0.5]], [[0.1], [0.5]], 0.4, 0.5, 0.13),
    (2, 2): ([[0.5, 0.1], [0.0, 0.5]], [[0.45, 0.0], [0.1, 0.4]], 0.52, 0.6, 0.15),
    (4, 2): (
        [
            [0.35, 0.15, 0.0, 0.0],
            [0.0, 0.35, 0.15, 0.0],
            [0.0, 0.0, 0.35, 0.15],
            [0.0, 0.0, 0.0, 0.35],
        ],
        [[0.1, 0.0], [0.35, 0.0], [0.0, 0.1], [0.0, 0.35]],
        0.83,
        0.8,
        0.2,
    ),
}


def disturbances(system: LQSystem, coins: FloatArray) -> FloatArray:
    """w (K, H, n) from the uniforms (K, system.coins), as the kernel makes them."""
    n, radius = system.states, float(system.radius or 0.0)
    u = coins.reshape(-1, system.horizon, system.coins_per_step)
    if system.noise == "box" or (n == 1 and system.noise == "ball"):
        return np.asarray(radius / math.sqrt(n) * (2 * u - 1))
    if system.noise == "cosine":
        return np.asarray(radius / math.sqrt(n) * _cosine(u))
    if system.noise == "rademacher" or n == 1:
        return radius / math.sqrt(n) * np.where(u >= 0.5, 1.0, -1.0)
    length = np.full(u.shape[:2], radius)
    if n == 2:
        angle = 2 * np.pi * u[..., 0]
        if system.noise == "ball":
            length = length * np.sqrt(u[..., 1])
        return np.asarray(length[..., None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1))
    pairs = (n + 1) // 2
    far, angle = (
        np.sqrt(-2 * np.log(1 - u[..., : 2 * pairs : 2])),
        2 * np.pi * u[..., 1 : 2 * pairs : 2],
    )
    normal = np.stack((far * np.cos(angle), far * np.sin(angle)), axis=-1).reshape(
        *u.shape[:2], 2 * pairs
    )[..., :n]
    if system.noise == "ball":
        length = length * u[..., 2 * pairs] ** (1 / n)
    return np.asarray(normal * (length / np.linalg.norm(normal, axis=-1))[..., None])


def _cosine(uniform: FloatArray) -> FloatArray:
    """Where the distribution function (1 + w + sin(pi w)/pi)/2 is ``uniform``: Newton in s = pi (1
    - |w|)."""
    tail = 2 * np.pi * np.minimum(uniform, 1 - uniform)
    root = np.cbrt(6 * tail)
    s = np.minimum(root * (1 + root**2 * (1 / 60 + root**2 / 1400)), np.pi)
    for _ in range(5):
        s = np.where(root > 0.01, s - (s - np.sin(s) - tail) / np.maximum(1 - np.cos(s), 1e-6), s)
    return np.asarray(np.where(uniform < 0.5, s / np.pi - 1, 1 - s / np.pi))
