"""``python -m tests.paths`` sees a flipped action, names a path that cannot be taken, and runs what
can be."""

import json
import math
import re

import numpy as np
import pytest
from click.testing import CliRunner

from privrl.agents import registry
from privrl.environments import planning, suite
from privrl.run import simulate
from tests import paths
from tests.paths import OWN, SETTINGS

NEHALEM = next(setting for setting in SETTINGS if setting.name == "OpenBLAS Nehalem")
TAKEN = {
    "openblas": "SkylakeX",
    "numpy": "AVX512_SPR",
    "numba": "host",
    "glibc": "0x7",
    "threads": "1",
}


def _regret() -> list[float]:
    entry = suite.entry("vietri2020/riverswim-3-relabelled")
    agent = registry.make(
        "ubev", epsilon=1.0, delta=0.0, beta=entry.beta, counter="none", calibration="printed"
    )
    run = simulate.run(entry.id, suite.environment(entry.id), agent, episodes=10**5)
    regret: list[float] = run.regret[0].tolist()
    return regret


def test_one_flipped_action_among_100000_episodes_is_seen_and_rounding_is_not() -> None:
    regret = np.array(_regret())
    rounded = (regret * (1 + 2e-16 * np.arange(regret.size))).tolist()
    row = paths.compare("path", "", {"ubev": regret.tolist()}, {"ubev": rounded})
    assert (row.compared, row.equal, row.outcome, row.faults) == ("1", "0", "agrees", [])
    assert 0 < float(row.largest) < paths.FLIP
    # the cheapest flip of one action, in one episode, of an agent that has learnt
    mdp = suite.tabular("vietri2020/riverswim-3-relabelled")
    best = planning.optimal(mdp)[1].argmax(axis=2)
    costs = []
    for place in np.ndindex(best.shape):
        flipped_policy = best.copy()
        flipped_policy[place] = 1 - best[place]
        costs.append(planning.value(mdp, best) - planning.value(mdp, flipped_policy))
    flipped = [*regret[:-1], regret[-1] + min(cost for cost in costs if cost > 1e-12)]
    row = paths.compare("path", "", {"ubev": regret.tolist()}, {"ubev": flipped})
    assert re.fullmatch(r"ubev: .* apart, .* for .*", *row.faults)
    assert row.outcome == "1 DIFFER"


@pytest.mark.parametrize(
    "column",
    [["a", 1.0], ["b", 1.0, 2.0], ["a", math.nan, 2.0], ["a", math.inf, 2.0], [0, 1.0, 2.0]],
)
def test_words_lengths_and_what_is_no_number_are_compared_exactly(column: list[object]) -> None:
    assert paths.difference(["a", 1.0, 2.0], column) == math.inf
    assert paths.difference(["a", math.nan, math.inf], ["a", math.nan, math.inf]) == 0
    assert paths.difference(["a", 1.0, 2.0], ["a", 1.5, 2.0]) == 0.25


def test_what_only_one_path_has_is_a_fault() -> None:
    assert paths.compare("path", "", {"one": [1.0]}, {}).faults == ["one: on one path only"]
    assert paths.compare("path", "", {}, {"one": [1.0]}).faults == ["one: on one path only"]


def test_a_path_that_cannot_be_taken_is_named_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected_facts = NEHALEM.facts
    assert (
        paths.unavailable(expected_facts, TAKEN, TAKEN)
        == "not run: asked for Nehalem, openblas has SkylakeX"
    )
    assert (
        paths.unavailable({"none": "x"}, TAKEN, TAKEN)
        == "not run: asked for x, none has nothing to ask"
    )
    actual_facts = TAKEN | {"openblas": "Nehalem"}
    assert paths.unavailable(expected_facts, actual_facts, TAKEN) == ""
    assert (
        paths.unavailable(expected_facts, actual_facts, actual_facts)
        == "not run: is the processor's own"
    )
    for level, outcome in (("", "not run: this processor has no X86_V2"), ("X86_V2", "agrees")):
        reply = json.dumps(["", TAKEN | {"numpy": level}, {"one": [1.0]}])
        monkeypatch.setattr(paths, "start", lambda setting, code, reply=reply: reply)
        assert [row.outcome for row in paths.measure([NEHALEM], "agents", 1.0)][1:] == [outcome]


def test_every_setting_asks_for_what_it_is_checked_by() -> None:
    assert all(
        setting.variables and setting.facts.keys() <= TAKEN.keys() and setting.facts
        for setting in SETTINGS
    )
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    assert not OWN.variables
    levels = {
        path_setting.name: path_setting.variables["NPY_DISABLE_CPU_FEATURES"].split()
        for path_setting in SETTINGS
        if "numpy" in path_setting.name
    }
    assert levels["numpy X86_V3"] == ["AVX512_SPR", "AVX512_ICL", "X86_V4"]
    oldest = next(setting for setting in SETTINGS if setting.name == "oldest")
    assert oldest.facts == {
        "openblas": "Nehalem",
        "numpy": "X86_V2",
        "numba": "generic",
        "glibc": "0x0",
    }


def test_a_process_that_ends_early_is_said() -> None:
    with pytest.raises(RuntimeError, match=r"ended with 3: early$"):
        paths.start(OWN, "import sys; print('early', file=sys.stderr); sys.exit(3)")
    with pytest.raises(RuntimeError, match="ended with -4"):
        paths.start(OWN, "import os, signal; os.kill(os.getpid(), signal.SIGILL)")


def test_a_path_that_does_not_exist_is_refused() -> None:
    done = CliRunner().invoke(paths.main, ["--only", "newest"])
    assert done.exit_code == 2 and "--only must be in the name of a path: OpenBLAS" in done.output


@pytest.mark.long
def test_two_paths_of_this_processor_agree() -> None:
    options = [
        "--part",
        "0.01",
        "--work",
        "agents",
        "--only",
        "OpenBLAS Nehalem",
        "--only",
        "threads 1",
    ]
    done = CliRunner().invoke(paths.main, options)
    assert done.exit_code == 0, done.output
    assert len(re.findall("agrees|not run", done.output)) >= 2
