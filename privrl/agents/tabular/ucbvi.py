"""What private UCBVI has in common by pairs and next states (``private_ucbvi``) and by possible
cells (``sparse``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from privrl.agents.sums import public
from privrl.agents.tabular.learner import TabularLearner, WorldT
from privrl.agents.tabular.settings import StreamNoise
from privrl.agents.trajectory import Trajectory
from privrl.types import FloatArray, IntArray


@dataclass(frozen=True)
class UCBVICalibration(StreamNoise):
    """What private UCBVI derives from its parameters before the first episode."""

    multiplied: ClassVar[tuple[str, ...]] = ("widths", "surplus", "factors")
    ratios: tuple[float, ...]  #: (H,), rho_h: the draws of r at step h have ``scale`` rho_h
    widths: tuple[float, ...]  #: (H,), W_h
    surplus: float  #: N, how much n may exceed n~
    factors: tuple[float, ...]  #: (H,), c_h sqrt(L / 2)
    stretches: tuple[float, ...]  #: (H,), the draws of m at step h have ``scale`` times this


@public
class Bonus(NamedTuple):
    """W_h, N, and c_h sqrt(L / 2), as in :class:`UCBVICalibration`."""

    widths: FloatArray
    surplus: float
    factors: FloatArray


class UCBVILearner(TabularLearner[WorldT]):
    """A run in progress; no column of noise belongs to n."""

    @cached_property
    def ratios(self) -> FloatArray:
        """(2, H), scales of the draws of r and of m over ``scale``."""
        return np.array([self.calibration.ratios, self.calibration.stretches])

    @cached_property
    def bonus(self) -> Bonus:
        """As the kernels read it."""
        calibration = self.calibration
        return Bonus(
            np.array(calibration.widths), calibration.surplus, np.array(calibration.factors)
        )

    def noise_scales(self) -> FloatArray:
        _, _, *released = self.state.sums  # r and m
        scales = [
            np.repeat(ratios, sums.size // ratios.size)
            for ratios, sums in zip(self.ratios, released, strict=True)
        ]
        return np.concatenate(scales)[: self.columns] * float(self.calibration.scale)

    @property
    def unreleased(self) -> int:
        _, _, r, m = self.state.sums
        return self.state.statistics.size - r.size - m.size

    def steps(self, trajectory: Trajectory) -> tuple[IntArray, IntArray, FloatArray]:
        states_seen, pairs, gained = super().steps(trajectory)
        if self.unreleased + self._released < self.state.statistics.size:
            states_seen[-1] = 0  # pruned: the last states are told apart by nobody
        return states_seen, pairs, gained
