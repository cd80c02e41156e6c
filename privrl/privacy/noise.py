"""What noise each paper prints, what privacy that buys, and the smallest noise of the same shape
that buys the claim.

For each paper all noisy statistics together, as its algorithm releases them, with the sensitivities
of
:mod:`privrl.privacy.sensitivity` and exact accounting; every reported guarantee is rounded towards
safety.

Each paper's own is in its module of :mod:`privrl.privacy.noise_scales`.
"""

import importlib
import pkgutil
from dataclasses import fields, replace
from typing import Any

from privrl.checks import choice, count, instance, require
from privrl.privacy import noise_scales
from privrl.privacy.noise_scales.paper import Noise, PaperNoise, Scale, Setting
from privrl.types import Adjacency

__all__ = [
    "DEFAULTS",
    "DECLARED",
    "PAPERS",
    "Noise",
    "Scale",
    "Setting",
    "noise",
    "paper",
    "setting",
]


def _find() -> dict[str, PaperNoise]:
    """``PAPER`` of every module of the folder, by year and name."""
    modules = [
        importlib.import_module(f"{noise_scales.__name__}.{module.name}")
        for module in pkgutil.iter_modules(noise_scales.__path__)
    ]
    declared = [module.PAPER for module in modules if hasattr(module, "PAPER")]
    return {
        paper.id: paper for paper in sorted(declared, key=lambda paper: (paper.id[-4:], paper.id))
    }


DECLARED = _find()
PAPERS = tuple(DECLARED)
DEFAULTS = {name: declared.defaults for name, declared in DECLARED.items()}


def paper(name: str) -> PaperNoise:
    """What a paper says of itself, or ``ValueError`` where it has no module here."""
    return DECLARED[choice("paper", name, PAPERS)]


def setting(paper: str, **options: Any) -> Setting:
    """The paper's default setting with some values replaced (``None`` keeps the default; adjacency
    may be a string)."""
    base = DEFAULTS[choice("paper", paper, PAPERS)]
    known = {field.name for field in fields(Setting)}
    require(
        set(options) <= known, f"a setting has {', '.join(sorted(known))}", given=sorted(options)
    )
    chosen = {name: value for name, value in options.items() if value is not None}
    if isinstance(chosen.get("adjacency"), str):
        chosen["adjacency"] = Adjacency(
            choice("adjacency", chosen["adjacency"], tuple(a.value for a in Adjacency))
        )
    for name in ("horizon", "episodes", "states", "actions", "dimension"):
        if name in chosen:
            chosen[name] = count(name, chosen[name])
    setting_ = replace(base, **chosen)
    require(
        DECLARED[paper].pure or setting_.delta > 0,
        f"{paper} claims (epsilon, delta): delta must be in (0, 1)",
        delta=setting_.delta,
    )
    return setting_


def noise(paper: str, setting: Setting) -> Noise:
    """Printed noise, real privacy and smallest noise of one paper; ``setting`` as from
    :func:`setting`."""
    return DECLARED[choice("paper", paper, PAPERS)].noise(instance("made", setting, Setting))
