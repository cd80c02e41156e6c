"""How many users each paper's algorithm needs, per counter and calibration: to learn at all, and
for its bound to bite.

``start`` is, for vietri2020 and chowdhury2021, the number of episodes before which no plan can
differ from one that knows nothing. For liao2021 and zhou2022 it is the number before which every
bonus exceeds the range of the values, so that optimism cannot guide the agent; its noisy estimates
may still tell good actions from bad ones much earlier, as runs show, so there it is no lower bound
of the burn-in. ``below_trivial`` is the number from which on the regret bound is below the trivial
one. Both are closed forms or monotone predicates. Where the printed statement hides constants, the
bound is the one with the constants of its proof.

Each paper's own is ``theory/papers/ID/horizons.py``: ``READ`` (the sizes that it depends on),
``MEANS`` (what ``start`` says), ``LEAST`` and ``MOST`` of a size, ``TABULATED`` (settings of the
site's tables), and ``rows_of(parameters)``.
"""

import importlib.util
from dataclasses import dataclass
from types import ModuleType

from privrl.checks import choice, count, failure, parameter, real, require
from privrl.privacy import noise
from privrl.types import Budget
from theory.horizon_row import HorizonRow

__all__ = ["BETA", "Horizons", "HorizonRow", "horizons", "setting", "tabulated"]
BETA = 0.1  # where none is given


@dataclass(frozen=True)
class Horizons:
    """The answer for one paper: its setting, the rows, and what they rest on."""

    paper: str
    setting: dict[str, float]
    rows: tuple[HorizonRow, ...]
    note: str

    @property
    def means(self) -> str:
        """What ``start`` says for this paper."""
        return str(_module(self.paper).MEANS)


def _exists(paper: str) -> bool:
    choice("paper", paper, noise.PAPERS)
    folder = f"theory.papers.{paper}"
    found = importlib.util.find_spec(folder) and importlib.util.find_spec(f"{folder}.horizons")
    return found is not None


def tabulated(paper: str) -> list[dict[str, tuple[float, ...]]]:
    """Grids of settings that are tabulated, names with their sizes; none for a paper without
    horizons."""
    return list(getattr(_module(paper), "TABULATED", ())) if _exists(paper) else []


def _module(paper: str) -> ModuleType:
    """A paper's horizons, or ``ValueError`` where it has none."""
    require(
        _exists(paper),
        f"paper must be one with theory/papers/{paper}/horizons.py",
        paper=paper,
    )
    return importlib.import_module(f"theory.papers.{paper}.horizons")


def setting(paper: str, **overrides: float | None) -> dict[str, float]:
    """The paper's setting in ``noise.DEFAULTS`` with some values replaced; ``None`` keeps the
    default.

    Raises
    ------
    ValueError
        An unknown paper, a name that the paper's horizon does not depend on, a value out of range.
    """
    module, declared = _module(paper), noise.paper(paper)
    base = declared.defaults
    sizes = {name: getattr(base, "dimension" if name == "dim" else name) for name in module.READ}
    parameters: dict[str, float] = {
        "epsilon": base.epsilon,
        "delta": base.delta,
        "beta": BETA,
        **sizes,
    }
    chosen = {name: value for name, value in overrides.items() if value is not None}
    for name, value in chosen.items():
        require(
            name in parameters,
            f"{paper}'s horizon depends on {', '.join(parameters)}",
            **{name: value},
        )
        parameters[name] = (
            count(name, value)
            if name in ("states", "actions", "horizon", "dim")
            else real(name, value)
        )
    for name, most in getattr(module, "MOST", {"horizon": 100}).items():
        require(
            name not in parameters or parameters[name] <= most,
            f"{name} must be <= {most} for {paper}'s horizon",
            **{name: parameters.get(name, 0)},
        )
    Budget(parameters["epsilon"], parameters["delta"])
    failure("beta", parameters["beta"])
    require(
        declared.pure or parameters["delta"] > 0,
        f"{paper} claims (epsilon, delta): delta must be in (0, 1)",
        delta=parameters["delta"],
    )
    for name, least in getattr(module, "LEAST", {}).items():
        require(parameters[name] >= least, f"{name} must be >= {least}", **{name: parameters[name]})
    if "gamma" in parameters:
        parameter("gamma", parameters["gamma"])
    return parameters


def horizons(paper: str, parameters: dict[str, float]) -> Horizons:
    """Users needed in a setting as from :func:`setting`."""
    rows, note = _module(paper).rows_of(parameters)
    return Horizons(paper, parameters, tuple(rows), note)
