"""Arguments that the norms of Gaussian noise take; test_public replaces each, one at a time, by what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TAKEN: dict[str, Callable[[], dict[str, Any]]] = {
    "privacy.gaussian_norms.norm_quantile": lambda: {"dimension": 3, "failure": 1e-3},
    "privacy.gaussian_norms.operator_quantile": lambda: {"dimension": 3, "failure": 1e-3},
    "privacy.gaussian_norms.mean_norm": lambda: {"dimension": 3},
}
LEFT_OUT = {
    "arrays of any shape, a single number too; what is refused is tested beside the numbers": {
        "privacy.gaussian_norms.norm_tail", "privacy.gaussian_norms.operator_tail"},
}
