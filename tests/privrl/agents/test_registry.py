"""Every agent of the registry: settings that make no sense, and the same numbers with the compiler
switched off."""

import dataclasses
import json
import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from privrl import (
    DPUCBVI,
    LDPUCRLVTR,
    OFURL,
    PUCB,
    UBEV,
    UCRLVTR,
    LinOptPO,
    LinOptVI,
    PrivateOFURL,
    PrivateUCBVI,
)
from privrl.agents import registry
from privrl.agents.kind import agent
from privrl.environments import lq_instance, lq_scalar, mixture, one_hot, random_mdp, riverswim
from privrl.privacy.counters import mechanisms
from privrl.run import simulate
from tests.contracts import refused
from tests.privrl.agents import plans

OUT_OF_RANGE: dict[str, tuple[Any, ...]] = {
    "epsilon": (0.0, -1.0, math.nan),
    "delta": (-0.1, 1.0, 2.0),
    "beta": (0.0, 1.0, -1.0),
    "alpha": (0.0, 1.0, -1.0),
    "regulariser": (0.0, -1.0, math.inf),
    "constant": (0.0, -1.0, math.inf),
    "counter": ("forest", "Tree"),
    "multiplier": (0.0, -1.0, math.inf),
    "calibration": ("good",),
    "planner": ("good",),
    "by_blocks": ("no", 1),
}


@pytest.mark.parametrize("name", registry.names())
def test_settings_out_of_range_are_refused(name: str) -> None:
    kind = registry.kind(name)
    fields = {field.name for field in dataclasses.fields(kind.agent_class)}
    agent: Any = registry.make(
        name, epsilon=1.0, delta=1e-6, beta=0.1, counter=kind.counter, calibration="tight"
    )
    for field in fields & OUT_OF_RANGE.keys():
        for value in OUT_OF_RANGE[field]:
            assert refused(
                lambda field=field, value=value: dataclasses.replace(agent, **{field: value})
            ).startswith(f"{field} must be")


@pytest.mark.parametrize(
    ("kind", "settings", "says"),
    [
        (
            PUCB,
            {"counter": "blt", "calibration": "tight", "delta": 0.0},
            (
                "the counter blt must have gaussian noise (laplace: delta = 0, gaussian: delta > "
                "0), got delta=0"
            ),
        ),
        *(
            (
                kind,
                {"counter": "signed", "calibration": "tight"},
                "the counter signed must have laplace noise",
            )
            for kind in (PUCB, PrivateUCBVI, DPUCBVI)
        ),
        *(
            (
                PUCB,
                {"counter": counter, "delta": 0.0},
                "calibration printed exists for the tree counter with Laplace noise",
            )
            for counter in ("local", "smooth", "signed")
        ),
        (PUCB, {}, "calibration printed exists for the tree counter with Laplace noise"),
        *(
            (kind, {"calibration": "printed"}, "calibration must be one of corrected, tight")
            for kind in (PrivateUCBVI, DPUCBVI)
        ),
        *(
            (kind, {"counter": "blt", "delta": 0.0}, "the counter blt must have gaussian noise")
            for kind in (PrivateUCBVI, DPUCBVI)
        ),
        *(
            (kind, {"epsilon": math.inf}, "")
            for kind in (LDPUCRLVTR, LinOptVI, LinOptPO, PrivateOFURL)
        ),
        (LDPUCRLVTR, {"counter": "tree"}, "calibration printed exists for "),
        *(
            (
                kind,
                {"counter": counter},
                "calibration printed exists for the counters none, local, tree",
            )
            for kind in (LinOptVI, LinOptPO)
            for counter in ("honaker", "smooth", "sqrt", "blt")
        ),
        *(
            (
                LDPUCRLVTR,
                {"counter": counter, "calibration": calibration},
                f"calibration {calibration} exists for ",
            )
            for counter in ("honaker", "smooth", "sqrt", "blt")
            for calibration in ("printed", "tuned")
        ),
        *(
            (kind, {"counter": "signed", "calibration": "tight"}, "counter must be ")
            for kind in (LDPUCRLVTR, LinOptVI, LinOptPO, PrivateOFURL)
        ),
        *(
            (PrivateOFURL, {"counter": counter}, "calibration printed exists for the tree counter")
            for counter in ("local", "honaker", "smooth", "sqrt", "blt")
        ),
        (
            PrivateOFURL,
            {"calibration": "tuned"},
            "calibration must be one of printed, corrected, tight",
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_what_no_calibration_defines_is_refused(
    kind: Any, settings: dict[str, Any], says: str
) -> None:
    assert refused(lambda: kind(**{"epsilon": 1.0, "delta": 1e-6, **settings})).startswith(says)


@pytest.mark.parametrize(
    ("agent", "env"),
    [
        (PUCB(1.0, 1e-6, counter="sqrt", calibration="tight"), random_mdp(3, 4, 2, seed=5)),
        (
            LinOptVI(1.0, counter="sqrt", calibration="tight"),
            one_hot(riverswim(3, 4), scaled=False),
        ),
        (PrivateOFURL(1.0, counter="sqrt", calibration="tight"), lq_instance(4, 2)),
    ],
    ids=lambda value: value.name,
)
def test_a_counter_that_keeps_every_row_ends_where_it_would_keep_too_many(
    agent: Any, env: Any
) -> None:
    columns = agent.noise(env, 10, np.random.default_rng(0)).width
    most = mechanisms.most_releases("sqrt", columns)
    agent.calibrate(env, 1000)
    message = refused(lambda: agent.noise(env, most + 2, np.random.default_rng(0)))
    assert (
        message.startswith((f"episodes must be <= {most + 1}", f"plans must be <= {most + 1}"))
        or "for sqrt" in message
    )


@pytest.mark.parametrize(
    "counter", [name for name in mechanisms.PRIVATE if "gaussian" in mechanisms.laws(name)]
)
@pytest.mark.parametrize("name", registry.names())
def test_every_gaussian_counter_can_be_asked_for_by_name(name: str, counter: str) -> None:
    agent = registry.make(
        name, counter=counter, delta=1e-6, epsilon=1.0, beta=0.1, calibration="tight"
    )
    if registry.kind(name).counter != "none":  # of no use to the others
        # which is named by its counter
        assert agent.counter == counter and (agent.name == name or "ucbvi" in name)


@pytest.mark.parametrize(
    ("declared", "calibrations", "message"),
    [
        ({}, (), "an agent must have calibrations among "),
        ({}, ("good",), "an agent must have calibrations among "),
        ({}, ("corrected",), "an agent's calibration must be one of its corrected, got planted"),
        ({"counter": "forest"}, ("tight",), "an agent's counter must be one of none, local, "),
        ({"paper": "vietri2002"}, ("tight",), "an agent's paper must be one of .*: vietri2002$"),
        ({}, ("tight",), "an agent must be a dataclass, got planted"),
        ({"name": "pucb"}, ("tight",), "agents must have a name each, got "),
    ],
)
def test_an_agent_whose_declaration_makes_no_sense_is_refused(
    declared: dict[str, str],
    calibrations: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    facts = {
        "name": "planted",
        "paper": "vietri2020",
        "counter": "tree",
        "plays": "tabular",
        "calibration": "tight",
        **declared,
    }
    module = sys.modules[PUCB.__module__]
    planted = type("Planted", (), {"__module__": module.__name__, "calibrations": calibrations})
    if "name" in declared:
        planted = dataclasses.dataclass(planted)
    monkeypatch.setattr(module, "Planted", agent(**facts)(planted), raising=False)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=message):
        registry.kinds.__wrapped__()


def numbers(calibration: Any, prefix: str = "") -> dict[str, list[float]]:
    """Every number of a calibration, by the path of its field."""
    if isinstance(calibration, str):
        return {}
    if hasattr(calibration, "_asdict"):
        fields = calibration._asdict().items()
    elif dataclasses.is_dataclass(calibration):
        names = [field.name for field in dataclasses.fields(calibration)]
        fields = [(name, getattr(calibration, name)) for name in names]
    else:
        return {prefix: np.ravel(np.asarray(calibration, dtype=float)).tolist()}
    return {
        path: value
        for name, field_value in fields
        for path, value in numbers(field_value, f"{prefix}/{name}").items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "calibration"), list(plans.defined()))
def test_a_multiplier_moves_widths_alone(name: str, calibration: str) -> None:
    """Noise, sensitivity, shifts and caps stay as they are to the last bit."""
    kind = registry.kind(name)
    plain, narrow = (
        plans.agent_of(name, calibration, multiplier, epsilon=1e3) for multiplier in (1.0, 1e-3)
    )
    env = plans.alike(plain)[0][0]
    first, second = (simulate.streams(env, agent, 300, None, 1, 0)[0] for agent in (plain, narrow))
    assert np.array_equal(first, second)
    if hasattr(plain, "calibrate"):
        first_widths, second_widths = (agent.calibrate(env, 300) for agent in (plain, narrow))
        before, after = numbers(first_widths), numbers(second_widths)
        moved = {path.lstrip("/") for path in before if before[path] != after[path]}
        assert moved and moved <= set(first_widths.multiplied)
    assert simulate.calibration_of(plain) == plain.calibration
    assert simulate.calibration_of(narrow) == f"{plain.calibration}*0.001"
    if calibration == "tight" and "planner" not in dict(kind.fixed):  # which plays the estimate
        curves = [
            simulate.run("", env, agent, episodes=300, seed=1).regret for agent in (plain, narrow)
        ]
        assert not np.array_equal(curves[0], curves[1])


TABULAR = (
    PUCB(1e4, beta=0.9),
    PUCB(1e3, beta=0.9, calibration="tight"),
    PUCB(1e3, 1e-6, 0.9, counter="local", calibration="tight"),
    PUCB(beta=0.9, counter="none"),
    UBEV(0.9),
    PrivateUCBVI(1e3),
    PrivateUCBVI(counter="none"),
    DPUCBVI(1e4),
    DPUCBVI(counter="none"),
)
LINEAR = (
    UCRLVTR(calibration="tight"),
    LDPUCRLVTR(1e6, calibration="tight"),
    LinOptVI(1e6),
    LinOptVI(1e6, counter="local", calibration="tight"),
    LinOptPO(1e6, calibration="corrected"),
    LinOptVI(1e6, counter="blt", calibration="tight"),
)
LQ = (OFURL(), PrivateOFURL(1e6, calibration="tight", planner="certainty-equivalent"))


def regrets() -> list[list[float]]:
    """Of every agent above, on small environments."""
    played = (
        (random_mdp(1, 3, 1, 0), TABULAR, 200),
        (riverswim(2), TABULAR, 450),
        (mixture(), LINEAR, 60),
        (lq_scalar(), LQ, 12),
        (lq_instance(2, 1), LQ, 12),
    )
    return [
        simulate.run("plain", env, agent, episodes=episodes, seed=9).regret[0].tolist()
        for env, agents, episodes in played
        for agent in agents
    ]


@pytest.mark.slow
def test_plain_python_gives_the_same() -> None:
    """The tabular agents to the last bit; the others, whose sums LAPACK orders, to nine digits."""
    script = f"import json; from {__name__} import regrets; print(json.dumps(regrets()))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    plain, compiled = json.loads(done.stdout), regrets()
    tabular = 2 * len(TABULAR)
    assert plain[:tabular] == compiled[:tabular]
    assert len(set(map(str, compiled[:tabular]))) > tabular / 2  # runs took decisions of their own
    for plain_run, compiled_run in zip(plain[tabular:], compiled[tabular:], strict=True):
        np.testing.assert_allclose(plain_run, compiled_run, rtol=1e-9)
