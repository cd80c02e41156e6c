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
from privrl.types import FloatArray


@dataclass(frozen=True)
class UCBVICalibration(StreamNoise):
    """What private UCBVI derives from its parameters before the first episode; ``scale`` is that of
    the draws of m."""

    multiplied: ClassVar[tuple[str, ...]] = ("widths", "surplus", "factors")
    ratios: tuple[float, ...]  #: (H,), rho_h: the draws of r at step h have ``scale`` rho_h
    widths: tuple[float, ...]  #: (H,), W_h
    surplus: float  #: N, how much n may exceed n~
    factors: tuple[float, ...]  #: (H,), c_h sqrt(L / 2)


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
        """(H,), rho_h."""
        return np.array(self.calibration.ratios)

    @cached_property
    def bonus(self) -> Bonus:
        """As the kernels read it."""
        calibration = self.calibration
        return Bonus(
            np.array(calibration.widths), calibration.surplus, np.array(calibration.factors)
        )

    def noise_scales(self) -> FloatArray:
        r, m = (part.size for part in self.state.sums[2:])
        ratios = np.repeat(self.ratios, r // self.ratios.size)
        return np.concatenate([ratios, np.ones(m)]) * float(self.calibration.scale)
