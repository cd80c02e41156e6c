"""The mechanism alone: what it releases, what it refuses, and that a crash never draws twice for
one release."""

import copy
import os
import pickle
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.privacy import exact, snapshot
from privrl.privacy import mechanism as module
from privrl.privacy.audit.events import choose, conclude
from privrl.privacy.counters.mechanisms import EXACT, PRIVATE, counter_cost
from privrl.privacy.exact import exact_epsilon
from privrl.privacy.mechanism import Mechanism, SimulatedMechanism
from privrl.types import FloatArray

ALPHA = 1e-9  # of every attack on right noise; wrong noise below is missed about as seldom


def restored(path: Path) -> Mechanism:
    mechanism = Mechanism.restore(path)
    assert isinstance(mechanism, Mechanism)
    return mechanism


def made(**settings: Any) -> Mechanism:
    usual: dict[str, Any] = {
        "counter": "tree",
        "width": 3,
        "releases": 7,
        "change": 2.0,
        "epsilon": 1.0,
        "delta": 1e-6,
        "users": 100,
    }
    mechanism: Any = Mechanism.make(**(usual | settings))
    return mechanism


def simulated(**settings: Any) -> SimulatedMechanism:
    mechanism: Any = made(noise="simulated", seed=3, **settings)
    assert isinstance(mechanism, SimulatedMechanism)
    return mechanism


@pytest.mark.parametrize("counter", EXACT)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_guarantee_is_the_asked_one_with_rounding_and_next_to_nothing_more(
    counter: str, delta: float
) -> None:
    if (counter == "signed" and delta) or (counter == "blt" and not delta):
        with pytest.raises(ValueError, match="law must be one of"):
            made(counter=counter, delta=delta)
        return
    mechanism = made(counter=counter, delta=delta, epsilon=0.7)
    assert (
        0.7 * (1 - 1e-9) < mechanism.guarantee.epsilon <= 0.7 and mechanism.guarantee.delta == delta
    )
    law = "gaussian" if delta else "laplace"
    # half a grid in three sums, of both users
    moved = mechanism._grid * (3.0**0.5 if delta else 3.0)
    loss = counter_cost(counter, 7, law).sensitivity * (2.0 + moved) / mechanism.scale
    loss += mechanism._quantised / mechanism.scale
    assert (
        exact_epsilon(law, loss, delta, exact.apart(7, mechanism.scale, mechanism._grid, 3)) <= 0.7
    )
    simulated = made(counter=counter, delta=delta, epsilon=0.7, noise="simulated", seed=0)
    assert simulated.scale < mechanism.scale < 1.0005 * simulated.scale


def test_releases_are_the_sums_of_rounded_contributions_and_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = made(counter="local", releases=3)
    drawn = []
    monkeypatch.setattr(
        exact, "sample", lambda *arguments: drawn.append(np.array([1.0, -2.0, 3.0])) or drawn[-1]
    )
    noise.save(tmp_path / "a")
    rng = np.random.default_rng(0)
    contributions = rng.uniform(-0.5, 0.5, (6, 3))
    for row in range(3):
        noise.add(contributions[2 * row])
        noise.add(contributions[2 * row + 1])
        expected = (
            np.rint(contributions[: 2 * row + 2] / noise._grid).sum(axis=0)
            + sum(drawn)
            + [1.0, -2.0, 3.0]
        )
        assert np.array_equal(noise.release(), expected * noise._grid)
    with pytest.raises(ValueError, match="no more releases than it was made for"):
        noise.release()


def test_a_bad_contribution_is_refused_whole() -> None:
    mechanism, pure = made(), made(delta=0.0)
    mechanism.add([0.6, 0.8, 0.0])
    before = mechanism._sums.copy()
    for bad, says in (
        ([0.61, 0.8, 0.0], "l2 norm must be <= norm"),
        ([0.0, np.nan, 0.0], "must be finite"),
        ([0.0, 0.0], "must have shape"),
        (["1", "0", "0"], "array of real numbers"),
        ([1e300, 0.0, 0.0], "l2 norm must be <= norm"),
    ):
        with pytest.raises(ValueError, match=says):
            mechanism.add(bad)
    with pytest.raises(ValueError, match="l1 norm must be <= norm"):
        pure.add([0.6, 0.8, 0.0])
    assert mechanism.users == 1 and np.array_equal(mechanism._sums, before)
    full = made(users=1)
    full.add([0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="no more contributions than users"):
        full.add([0.0, 0.0, 0.0])


def test_what_gives_no_guarantee_is_refused() -> None:
    for settings, says in (
        ({"counter": "sqrt"}, "simulation only"),
        ({"seed": 1}, "not from a seed"),
        ({"norm": 0.9}, "norm must be >= change / 2"),
        ({"noise": "good"}, "noise must be one of"),
        ({"delta": 0.0, "law": "gaussian"}, "delta must be > 0"),
        ({"users": 10**16}, "no grid holds"),
        ({"noise": "simulated"}, "must have a seed"),
    ):
        with pytest.raises(ValueError, match=says):
            made(**settings)
    with pytest.raises(ValueError, match="before the first release"):
        made().release()


class KilledError(BaseException):
    """Stands for a process that is no more: nothing in the package may catch it."""


@pytest.mark.parametrize("moment", ["before", "write", "replace", "after"])
def test_a_crash_at_any_moment_never_draws_twice_for_a_release_that_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "a"
    mechanism = made()
    mechanism.save(path)
    releases = []
    for _ in range(2):
        mechanism.add([0.5, 0.0, 0.0])
        releases.append(mechanism.release())
    mechanism.add([0.5, 0.5, 0.0])
    replace, write = Path.replace, snapshot.write

    def die(*arguments: Any, **named: Any) -> Any:
        if moment == "after":
            write(*arguments, **named)
        if moment == "replace":
            replace(*arguments, **named)
        raise KilledError

    where = {
        "before": (snapshot, "write"),
        "write": (os, "fsync"),
        "replace": (Path, "replace"),
        "after": (snapshot, "write"),
    }[moment]
    with monkeypatch.context() as patch:
        patch.setattr(*where, die)
        with pytest.raises(KilledError):
            mechanism.release()
    assert np.array_equal(mechanism.last, releases[-1])  # type: ignore[arg-type]  # not even in memory
    again = Mechanism.restore(path)
    assert (
        again.users == again.released
        and again.plan == mechanism.plan
        and again.guarantee == mechanism.guarantee
    )
    if moment in ("before", "write"):
        assert again.released == 2 and np.array_equal(again.last, releases[-1])  # type: ignore[arg-type]
        again.add([0.5, 0.5, 0.0])
        again.release()
    assert again.released == 3 and again.users == 3
    assert np.array_equal(Mechanism.restore(path).last, again.last)  # type: ignore[arg-type]
    assert np.array_equal(
        again._stream.state()["_stack"], Mechanism.restore(path)._stream.state()["_stack"]
    )


def test_two_processes_cannot_go_on_from_one_snapshot(tmp_path: Path) -> None:
    first = made()
    first.save(tmp_path / "a")
    second = Mechanism.restore(tmp_path / "a")
    first.release()
    with pytest.raises(ValueError, match="another process has gone on from it"):
        second.release()
    assert second.last is None
    with pytest.raises(ValueError, match="one snapshot"):
        first.save(tmp_path / "b")
    with pytest.raises(ValueError, match="must not replace one that is there"):
        made().save(tmp_path / "a")


def test_what_is_no_snapshot_of_a_mechanism_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for use in (made().save, Mechanism.restore):
        for path, says in (
            (None, "path must be a path"),
            (3, "path must be a path"),
            (tmp_path, "must be a file in a folder that exists"),
        ):
            with pytest.raises(ValueError, match=says):
                use(path)  # type: ignore[arg-type]
    snapshot.write(
        tmp_path / "a", {"terms": np.array("of a session"), "learner.users": np.array(3)}
    )
    with pytest.raises(ValueError, match="a snapshot must be of a mechanism, got path='a'"):
        Mechanism.restore(tmp_path / "a")
    made().save(tmp_path / "b")
    assert set(module.NAMES) <= snapshot.read(tmp_path / "b")[0].keys()


@pytest.mark.slow
@pytest.mark.parametrize("counter", EXACT)
def test_all_releases_are_served_over_restarts(tmp_path: Path, counter: str) -> None:
    mechanism = made(counter=counter, delta=1e-6 if counter == "blt" else 0.0, releases=20)
    mechanism.save(tmp_path / "a")
    for released in range(1, 21):
        mechanism.add([0.5, 0.0, 0.0])
        mechanism.release()
        if released % 3 == 0:
            mechanism = restored(tmp_path / "a")
        assert mechanism.released == mechanism.users == released


def test_the_example_of_the_documentation_runs_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "your-problem.md").read_text("utf-8")
    (code,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "Mechanism.make" in block
    )
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 15
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    exec(code.replace("200)", "400)"), {})
    mechanism = Mechanism.restore("visits.snapshot")
    assert (mechanism.users, mechanism.released) == (400, 20) and capsys.readouterr().out.count(
        "Guarantee(epsilon="
    ) == 2


class Slow(np.ndarray[Any, Any]):
    """Sums that take a while, so that threads without a lock would meet."""

    def __add__(self, other: Any) -> Any:
        before = np.array(self)
        time.sleep(0.02)
        return (before + other).view(Slow)

    __iadd__ = __add__


@pytest.mark.parametrize("durable", [True, False])
def test_threads_add_and_release_one_after_another(tmp_path: Path, durable: bool) -> None:
    mechanism = made(releases=8, **({} if durable else {"noise": "simulated", "seed": 3}))
    if durable:
        mechanism.save(tmp_path / "a")
    mechanism._sums = mechanism._sums.view(Slow)
    with ThreadPoolExecutor(4) as pool:
        added = [pool.submit(mechanism.add, [0.5, 0.0, 0.0]) for _ in range(12)]
        released = [pool.submit(mechanism.release) for _ in range(8)]
    assert not [call.exception() for call in (*added, *released) if call.exception()]
    assert mechanism.users == 12 and np.array(mechanism._sums).tolist() == [6.0, 0.0, 0.0]
    assert mechanism.released == 8 and len({call.result()[1] for call in released}) == 8
    assert not durable or Mechanism.restore(tmp_path / "a").released == 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
def test_noise_is_not_copied_and_not_forked() -> None:
    mechanism = made(noise="simulated", seed=3)
    for twin in (mechanism, made(), made()._stream):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="must not be copied or pickled: its noise"):
                call(twin)
    child = os.fork()
    if not child:  # the exit code says which calls were refused
        refusals = 0
        for forbidden in (
            lambda: mechanism.add([0.0, 0.0, 0.0]),
            mechanism.release,
            lambda: mechanism.save("a"),
        ):
            try:
                forbidden()
            except RuntimeError as error:
                refusals += "must stay in the process that made it" in str(error)
        os._exit(refusals)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    assert mechanism.release().shape == (3,) and mechanism.released == 1


@pytest.mark.parametrize("counter", EXACT)
def test_a_full_disk_uses_up_no_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counter: str
) -> None:
    mechanism = made(counter=counter, delta=1e-6 if counter == "blt" else 0.0, releases=5)
    mechanism.save(tmp_path / "a")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    released = []
    for number in range(5):
        mechanism.add([0.5, 0.0, 0.0])
        before = mechanism._stream.state()
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            for _ in range(3):
                with pytest.raises(RuntimeError, match="No space left on device"):
                    mechanism.release()
        assert mechanism.released == number and (mechanism.last is None) == (number == 0)
        after = mechanism._stream.state()
        assert all(np.array_equal(before[name], after[name]) for name in before)
        released.append(mechanism.release())
    again = Mechanism.restore(tmp_path / "a")
    assert again.released == 5 and np.array_equal(again.last, released[-1])  # type: ignore[arg-type]


def test_a_release_that_was_written_is_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever interrupts after it is in the snapshot: it counts, since it can be read there."""
    mechanism = made()
    mechanism.save(tmp_path / "a")
    write = mechanism._write

    def interrupted(path: Path, last: FloatArray | None) -> None:
        write(path, last)
        raise KeyboardInterrupt

    monkeypatch.setattr(mechanism, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mechanism.release()
    restored = Mechanism.restore(tmp_path / "a")
    assert mechanism.released == restored.released == 1
    assert np.array_equal(mechanism.last, restored.last)  # type: ignore[arg-type]


WRONG: dict[str, Any] = {
    "users": [-5, 101, 2.0, np.array([2])],
    "sums": [np.array([0.5, np.nan, 0.0]), np.zeros(2), np.zeros((1, 3)), np.zeros(3, int)],
    "last": [np.array([0.5, np.inf, 0.0]), np.zeros(2), np.empty(0)],
    "stream_released": [-1, 8, 1.0, np.array([1])],
    "stream__stack": [np.full((4, 3), np.nan), np.zeros((4, 2)), np.full((4, 3), 1e-30)],
    "plan": [np.array("{}"), np.array("[]"), np.array("{"), np.array('{"counter": "tree"}')],
    "calibrated": [np.zeros(2), np.zeros(3)],
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), [(n, i) for n in WRONG for i in range(len(WRONG[n]))])
def test_a_snapshot_that_no_mechanism_wrote_is_refused(
    tmp_path: Path, name: str, number: int
) -> None:
    """Whole, by its checksum: a release before the first one, for instance, would never return."""
    mechanism = made()
    mechanism.save(tmp_path / "a")
    mechanism.add([0.5, 0.0, 0.0])
    mechanism.release()
    arrays, _ = snapshot.read(tmp_path / "a")
    snapshot.write(tmp_path / "b", arrays)
    assert Mechanism.restore(tmp_path / "b").released == 1
    assert name in arrays
    snapshot.write(tmp_path / "c", arrays | {name: np.asarray(WRONG[name][number])})
    with pytest.raises(ValueError, match="snapshot"):
        Mechanism.restore(tmp_path / "c")


@pytest.mark.parametrize(("counter", "name"), [("smooth", "_string"), ("signed", "_digits")])
def test_the_place_of_a_counter_is_that_of_its_releases(counter: str, name: str) -> None:
    mechanism, second_mechanism = made(counter=counter, delta=0.0), made(counter=counter, delta=0.0)
    state = mechanism._stream.state()
    with pytest.raises(ValueError, match=f"a snapshot's {name} must be those of its releases"):
        second_mechanism._stream.restore(state | {name: state[name] + 1})


def test_simulated_noise_is_restored_to_a_release_that_it_has() -> None:
    for released in (-1, 8, 0.5):
        with pytest.raises(ValueError, match=r"released must be a whole number in 0\.\.7"):
            made(noise="simulated", seed=3)._stream.restore({"released": np.array(released)})


def test_a_scale_with_another_last_bit_goes_on_and_the_guarantee_is_for_the_lesser(
    tmp_path: Path,
) -> None:
    mechanism = made()
    mechanism.save(tmp_path / "a")
    arrays, _ = snapshot.read(tmp_path / "a")
    for name, factor in (("b", 1 - 1e-13), ("c", 1 + 1e-13)):
        moved = np.array([mechanism.scale * factor, mechanism._grid])
        snapshot.write(tmp_path / name, arrays | {"calibrated": moved})
        again = Mechanism.restore(tmp_path / name)
        assert again.scale == min(mechanism.scale, mechanism.scale * factor)
        assert (again.guarantee.epsilon > mechanism.guarantee.epsilon) == (factor < 1)


def test_masked_values_are_refused() -> None:
    masked = np.ma.MaskedArray([0.5, 0.9, 0.0], mask=[False, True, False])
    for value in (masked, [masked[:1], masked[1:2], masked[2:]]):
        with pytest.raises(ValueError, match="contribution must have no masked values"):
            made().add(value)


def test_without_opendp_nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    exact.opendp.cache_clear()
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "opendp.prelude", None)
        with pytest.raises(
            ImportError, match=r"^exact noise needs opendp, .* pip install 'opendp>="
        ):
            made()
        assert made(noise="simulated", seed=3).released == 0
    exact.opendp.cache_clear()
    assert made().released == 0


SERVICE = """
import sys
from privrl.privacy.mechanism import Mechanism
one = Mechanism.make("tree", width=2, releases=10**6, change=2.0, epsilon=1.0, delta=1e-6)
one.save(sys.argv[1])
while True:
    one.add([0.5, -0.5])
    print(one.released + 1, *map(float, one.release()), flush=True)
"""


@pytest.mark.slow
def test_a_killed_service_goes_on_with_what_it_has_shown(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with subprocess.Popen(
        [sys.executable, "-c", SERVICE, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        lines = [process.stdout.readline() for _ in range(5)]
        process.kill()
        lines += process.stdout.readlines()
    complete_lines = [line.split() for line in lines if line.endswith("\n")]
    releases = {int(line[0]): [float(value) for value in line[1:]] for line in complete_lines}
    again = Mechanism.restore(path)
    assert again.last is not None and again.users == again.released
    # a release may have been written and not shown, never the reverse
    assert again.released - len(releases) in (
        0,
        1,
    )
    assert releases.get(again.released, again.last.tolist()) == again.last.tolist()


@pytest.mark.parametrize("counter", PRIVATE)
def test_simulated_noise_says_so_and_goes_on_from_its_seed(tmp_path: Path, counter: str) -> None:
    law = {"delta": 0.0} if counter == "signed" else {}
    first, second = (simulated(counter=counter, **law) for _ in range(2))
    assert type(first) is SimulatedMechanism and not issubclass(SimulatedMechanism, Mechanism)
    assert first.guarantee.if_exact.epsilon == pytest.approx(1.0, rel=1e-9)
    first.add([0.3, 0.2, 0.1])
    first.release()
    first.save(tmp_path / "a")
    again = Mechanism.restore(tmp_path / "a")
    assert type(again) is SimulatedMechanism
    second.add([0.3, 0.2, 0.1])
    second.release()
    assert np.array_equal(again.release(), second.release())


def test_a_snapshot_of_another_calibration_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made().save(tmp_path / "a")
    monkeypatch.setattr(module.exact, "exact_size", lambda law, epsilon, delta, apart=1.0: 0.2)
    with pytest.raises(ValueError, match="the snapshot's scale and grid"):
        Mechanism.restore(tmp_path / "a")


def refuted(epsilon: float, delta: float, zero: FloatArray, changed: FloatArray) -> bool:
    """Whether statistics (trials,) of the two worlds, half to choose the event, show more than
    (epsilon, delta)."""
    half = zero.size // 2
    chosen = choose(
        zero[None, :half], changed[None, :half], ["seen"], ALPHA / 2, delta, curve=False
    )
    sign, mark = chosen[0][1], chosen[0][2]
    hits, alarms = (int((sign * world[half:] > mark).sum()) for world in (changed, zero))
    return conclude(
        chosen, [hits], [alarms], zero.size - half, ALPHA / 2, epsilon, delta, ALPHA
    ).refuted


def columns(
    path: Path,
    answer: float,
    *,
    restarts: int = 0,
    forgets: bool = False,
    halves: bool = False,
    rounds: bool = True,
    residue: bool = False,
    trials: int = 4000,
) -> FloatArray:
    """Releases of as many one-sum mechanisms as there are columns, in a world where each user
    answers ``answer``.

    The change is that of all columns together, so that one of them, of change 1, has epsilon 1.
    What is seen is the mean of the releases before and after so many restarts, or a release's bits
    below the grid.
    """
    mechanism = made(
        counter="local",
        delta=0.0,
        width=trials,
        change=float(trials),
        epsilon=float(trials),
        releases=1,
    )
    assert mechanism.scale == pytest.approx(1.0, rel=0.02)
    stream = mechanism._stream
    if halves:
        stream.scale = stream.scale / 2
    mechanism.save(path)
    before = path.read_bytes()
    if rounds:
        mechanism.add(np.full(trials, answer))
    else:
        mechanism._sums += answer
    released_rows = [mechanism.release()]
    if residue:
        return np.asarray(np.remainder(released_rows[0] / stream.grid, 1.0))
    for _ in range(restarts):
        if forgets:  # the fault: it goes on from what was there before the release
            path.write_bytes(before)
        again = Mechanism.restore(path)
        if forgets:
            again.add(np.full(trials, answer))
            again.release()
        released_rows.append(again.last)  # type: ignore[arg-type]
    return np.asarray(np.mean(released_rows, axis=0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "caught"),
    [
        ({}, False),
        ({"restarts": 7}, False),
        ({"residue": True}, False),
        ({"halves": True}, True),
        ({"restarts": 7, "forgets": True}, True),
        ({"residue": True, "rounds": False}, True),
    ],
)
def test_attacks_find_every_planted_fault_and_no_more_than_the_guarantee(
    tmp_path: Path, fault: dict[str, Any], caught: bool
) -> None:
    """Users answer -1/2 or 1/2 (1/3: not on the grid); half the scale, noise drawn again, bits
    below the grid."""
    answers = (-0.5, 1 / 3 if "residue" in fault else 0.5)
    worlds = [columns(tmp_path / f"{answer}", answer, **fault) for answer in answers]
    assert refuted(1.02, 0.0, *worlds) == caught
