"""The mechanism alone: what it releases, what it refuses, and that a crash never draws twice for one release."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.privacy import mechanism as module
from privrl.privacy import snapshot
from privrl.privacy.audit.counters import choose, conclude
from privrl.privacy.counters import exact
from privrl.privacy.counters.exact import EXACT, exact_epsilon
from privrl.privacy.counters.mechanisms import PRIVATE, counter_cost
from privrl.privacy.mechanism import Mechanism, SimulatedMechanism
from privrl.types import FloatArray

ALPHA = 1e-9  # of every attack on right noise; wrong noise below is missed about as seldom


def made(**given: Any) -> Mechanism:
    return Mechanism.make(**({"counter": "tree", "width": 3, "releases": 7, "change": 2.0, "epsilon": 1.0,
                              "delta": 1e-6, "users": 100} | given))  # fmt: skip


@pytest.mark.parametrize("counter", EXACT)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_guarantee_is_the_asked_one_with_rounding_and_next_to_nothing_more(counter: str, delta: float) -> None:
    if counter == "signed" and delta:
        with pytest.raises(ValueError, match="law must be one of laplace"):
            made(counter=counter, delta=delta)
        return
    one = made(counter=counter, delta=delta, epsilon=0.7)
    assert 0.7 * (1 - 1e-9) < one.guarantee.epsilon <= 0.7 and one.guarantee.delta == delta
    law = "gaussian" if delta else "laplace"
    moved = one._grid * (3.0**0.5 if delta else 3.0)  # half a grid in three sums, of both users
    loss = counter_cost(counter, 7, law).sensitivity * (2.0 + moved) / one.scale
    assert exact_epsilon(law, loss, delta, exact.apart(7, one.scale, one._grid, 3)) <= 0.7
    simulated = made(counter=counter, delta=delta, epsilon=0.7, noise="simulated", seed=0)
    assert simulated.scale < one.scale < 1.0005 * simulated.scale


def test_releases_are_the_sums_of_rounded_contributions_and_noise(tmp_path: Path,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    noise = made(counter="local", releases=3)
    drawn = []
    monkeypatch.setattr(exact, "sample", lambda *given: drawn.append(np.array([1.0, -2.0, 3.0])) or drawn[-1])
    noise.save(tmp_path / "a")
    rng = np.random.default_rng(0)
    contributions = rng.uniform(-0.5, 0.5, (6, 3))
    for row in range(3):
        noise.add(contributions[2 * row])
        noise.add(contributions[2 * row + 1])
        expected = np.rint(contributions[: 2 * row + 2] / noise._grid).sum(axis=0) + sum(drawn) + [1.0, -2.0, 3.0]
        assert np.array_equal(noise.release(), expected * noise._grid)
    with pytest.raises(ValueError, match="no more releases than it was made for"):
        noise.release()


def test_a_bad_contribution_is_refused_whole() -> None:
    one, pure = made(), made(delta=0.0)
    one.add([0.6, 0.8, 0.0])
    before = one._sums.copy()
    for bad, says in (([0.61, 0.8, 0.0], "l2 norm must be <= norm"), ([0.0, np.nan, 0.0], "must be finite"),
                      ([0.0, 0.0], "must have shape"), (["1", "0", "0"], "array of real numbers"),
                      ([1e300, 0.0, 0.0], "l2 norm must be <= norm")):
        with pytest.raises(ValueError, match=says):
            one.add(bad)
    with pytest.raises(ValueError, match="l1 norm must be <= norm"):
        pure.add([0.6, 0.8, 0.0])
    assert one.users == 1 and np.array_equal(one._sums, before)
    full = made(users=1)
    full.add([0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="no more contributions than users"):
        full.add([0.0, 0.0, 0.0])


def test_what_gives_no_guarantee_is_refused() -> None:
    for given, says in (({"counter": "blt"}, "simulation only"), ({"seed": 1}, "not from a seed"),
                        ({"norm": 0.9}, "norm must be >= change / 2"), ({"noise": "good"}, "noise must be one of"),
                        ({"delta": 0.0, "law": "gaussian"}, "delta must be > 0"),
                        ({"users": 10**16}, "no grid holds"), ({"noise": "simulated"}, "must have a seed")):
        with pytest.raises(ValueError, match=says):
            made(**given)
    with pytest.raises(ValueError, match="before the first release"):
        made().release()


class KilledError(BaseException):
    """Stands for a process that is no more: nothing in the package may catch it."""


@pytest.mark.parametrize("moment", ["before", "write", "replace", "after"])
def test_a_crash_at_any_moment_never_draws_twice_for_a_release_that_was_shown(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    path = tmp_path / "a"
    one = made()
    one.save(path)
    shown = []
    for _ in range(2):
        one.add([0.5, 0.0, 0.0])
        shown.append(one.release())
    one.add([0.5, 0.5, 0.0])
    replace, write = Path.replace, snapshot.write

    def die(*given: Any, **named: Any) -> Any:
        if moment == "after":
            write(*given, **named)
        if moment == "replace":
            replace(*given, **named)
        raise KilledError

    where = {"before": (snapshot, "write"), "write": (os, "fsync"), "replace": (Path, "replace"),
             "after": (snapshot, "write")}[moment]
    with monkeypatch.context() as patch:
        patch.setattr(*where, die)
        with pytest.raises(KilledError):
            one.release()
    assert np.array_equal(one.last, shown[-1])  # not even in memory
    again = Mechanism.restore(path)
    assert again.users == again.released and again.plan == one.plan and again.guarantee == one.guarantee
    if moment in ("before", "write"):
        assert again.released == 2 and np.array_equal(again.last, shown[-1])
        again.add([0.5, 0.5, 0.0])
        again.release()
    assert again.released == 3 and again.users == 3
    assert np.array_equal(Mechanism.restore(path).last, again.last)
    assert np.array_equal(again._stream.state()["_stack"], Mechanism.restore(path)._stream.state()["_stack"])


def test_two_processes_cannot_go_on_from_one_snapshot(tmp_path: Path) -> None:
    one = made()
    one.save(tmp_path / "a")
    other = Mechanism.restore(tmp_path / "a")
    one.release()
    with pytest.raises(ValueError, match="another process has gone on from it"):
        other.release()
    assert other.last is None
    with pytest.raises(ValueError, match="one snapshot"):
        one.save(tmp_path / "b")
    with pytest.raises(ValueError, match="must not replace one that is there"):
        made().save(tmp_path / "a")


def test_what_is_no_snapshot_of_a_mechanism_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for use in (made().save, Mechanism.restore):
        for path, says in ((None, "path must be a path"), (3, "path must be a path"),
                           (tmp_path, "must be a file in a folder that exists")):
            with pytest.raises(ValueError, match=says):
                use(path)  # type: ignore[arg-type]
    snapshot.write(tmp_path / "a", {"terms": np.array("of a session"), "learner.users": np.array(3)})
    with pytest.raises(ValueError, match="a snapshot must be of a mechanism, got path='a'"):
        Mechanism.restore(tmp_path / "a")
    made().save(tmp_path / "b")
    assert set(module.NAMES) <= snapshot.read(tmp_path / "b")[0].keys()


@pytest.mark.parametrize("counter", EXACT)
def test_all_releases_are_served_over_restarts(tmp_path: Path, counter: str) -> None:
    one = made(counter=counter, delta=0.0, releases=20)
    one.save(tmp_path / "a")
    for released in range(1, 21):
        one.add([0.5, 0.0, 0.0])
        one.release()
        one = Mechanism.restore(tmp_path / "a") if released % 3 == 0 else one
        assert one.released == one.users == released


def test_the_example_of_the_documentation_runs_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                           capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    (code,) = (part for part in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Mechanism.make" in part)
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 15
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    exec(code.replace("200)", "400)"), {})
    one = Mechanism.restore("visits.snapshot")
    assert (one.users, one.released) == (400, 20) and capsys.readouterr().out.count("Budget(epsilon=") == 2


SERVICE = """
import sys
from privrl.privacy.mechanism import Mechanism
one = Mechanism.make("tree", width=2, releases=10**6, change=2.0, epsilon=1.0, delta=1e-6)
one.save(sys.argv[1])
while True:
    one.add([0.5, -0.5])
    print(one.released + 1, *map(float, one.release()), flush=True)
"""


def test_a_killed_service_goes_on_with_what_it_has_shown(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with subprocess.Popen([sys.executable, "-c", SERVICE, str(path)], stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(5)]
        process.kill()
        lines += process.stdout.readlines()
    whole = [line.split() for line in lines if line.endswith("\n")]
    shown = {int(line[0]): [float(value) for value in line[1:]] for line in whole}
    again = Mechanism.restore(path)
    assert again.last is not None and again.users == again.released
    assert again.released - len(shown) in (0, 1)  # a release may have been written and not shown, never the reverse
    assert shown.get(again.released, again.last.tolist()) == again.last.tolist()


@pytest.mark.parametrize("counter", PRIVATE)
def test_simulated_noise_says_so_and_goes_on_from_its_seed(tmp_path: Path, counter: str) -> None:
    law = {"delta": 0.0} if counter == "signed" else {}
    one, other = (made(counter=counter, noise="simulated", seed=3, **law) for _ in range(2))
    assert type(one) is SimulatedMechanism and one.guarantee.epsilon == pytest.approx(1.0, rel=1e-9)
    one.add([0.3, 0.2, 0.1])
    one.release()
    one.save(tmp_path / "a")
    again = Mechanism.restore(tmp_path / "a")
    assert type(again) is SimulatedMechanism
    other.add([0.3, 0.2, 0.1])
    other.release()
    assert np.array_equal(again.release(), other.release())


def test_a_snapshot_of_another_calibration_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made().save(tmp_path / "a")
    monkeypatch.setattr(module.exact, "exact_size", lambda law, epsilon, delta, apart=1.0: 0.2)
    with pytest.raises(ValueError, match="the snapshot's scale and grid"):
        Mechanism.restore(tmp_path / "a")


def refuted(epsilon: float, delta: float, zero: FloatArray, one: FloatArray) -> bool:
    """Whether statistics (trials,) of the two worlds, half to choose the event, show more than (epsilon, delta)."""
    half = zero.size // 2
    chosen = choose(zero[None, :half], one[None, :half], ["seen"], ALPHA / 2, delta, False)
    sign, mark = chosen[0][1], chosen[0][2]
    hits, alarms = (int((sign * world[half:] > mark).sum()) for world in (one, zero))
    return conclude(chosen, [hits], [alarms], zero.size - half, ALPHA / 2, epsilon, delta, ALPHA).refuted


def columns(path: Path, answer: float, *, restarts: int = 0, forgets: bool = False, halves: bool = False,
            rounds: bool = True, residue: bool = False, trials: int = 4000) -> FloatArray:
    """Releases of as many one-sum mechanisms as there are columns, in a world where each user answers ``answer``.

    The change is that of all columns together, so that one of them, of change 1, has epsilon 1. What is seen is the
    mean of the releases before and after so many restarts, or a release's bits below the grid.
    """
    one = made(counter="local", delta=0.0, width=trials, change=float(trials), epsilon=float(trials), releases=1)
    assert one.scale == pytest.approx(1.0, rel=0.02)
    stream = one._stream
    if halves:
        stream.scale = stream.scale / 2
    one.save(path)
    before = path.read_bytes()
    if rounds:
        one.add(np.full(trials, answer))
    else:
        one._sums += answer
    seen = [one.release()]
    if residue:
        return np.asarray(np.remainder(seen[0] / stream.grid, 1.0))
    for _ in range(restarts):
        if forgets:  # the fault: it goes on from what was there before the release
            path.write_bytes(before)
        again = Mechanism.restore(path)
        if forgets:
            again.add(np.full(trials, answer))
            again.release()
        seen.append(again.last)
    return np.asarray(np.mean(seen, axis=0))


@pytest.mark.parametrize(("fault", "caught"), [
    ({}, False), ({"restarts": 7}, False), ({"residue": True}, False), ({"halves": True}, True),
    ({"restarts": 7, "forgets": True}, True), ({"residue": True, "rounds": False}, True)])  # fmt: skip
def test_attacks_find_every_planted_fault_and_no_more_than_the_guarantee(tmp_path: Path, fault: dict[str, Any],
                                                                         caught: bool) -> None:
    """Users answer -1/2 or 1/2 (1/3: not on the grid); half the scale, noise drawn again, bits below the grid."""
    answers = (-0.5, 1 / 3 if "residue" in fault else 0.5)
    worlds = [columns(tmp_path / f"{answer}", answer, **fault) for answer in answers]
    assert refuted(1.02, 0.0, *worlds) == caught
