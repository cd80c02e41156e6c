"""An MDP of a reader's own from a file: what is read, and one sentence for every file that is
wrong."""

import os
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privrl.environments import files, suite
from tests.contracts import refused
from tests.deadlines import at_most

ROW = [0.25, 0.75]
ONCE: dict[str, Any] = {
    "transitions": [[ROW], [ROW]],
    "rewards": [[0.0], [1.0]],
    "initial": [1.0, 0.0],
}


def written(path: Path, **arrays: Any) -> str:
    np.savez(path, **arrays)
    return str(path)


def test_both_kinds_of_file_hold_the_same_mdp(tmp_path: Path) -> None:
    lines = [
        f"{name} = {value}" for name, value in {**ONCE, "horizon": 3, "bernoulli": "false"}.items()
    ]
    (tmp_path / "mine.toml").write_text("\n".join(lines), "utf-8")
    names = [
        written(tmp_path / "mine.npz", **ONCE, horizon=3, bernoulli=False),
        str(tmp_path / "mine.toml"),
    ]
    for name in names:
        assert files.is_name(name) and files.holds_mdp(name)
        mdp = files.load_mdp(name)
        assert (mdp.name, mdp.horizon, mdp.bernoulli) == ("mine", 3, False)
        assert (mdp.transitions == ROW).all() and mdp.rewards[2].tolist() == ONCE["rewards"]
        assert suite.environment(name).horizon == 3 and suite.entry(name) is suite.entry(name)
    written(tmp_path / "mine.npz", **ONCE, horizon=4)
    assert suite.tabular(names[0]).horizon == 4  # a file that was written again is read again
    (tmp_path / "grid.toml").write_text('id = "vietri2020/chain-3"', "utf-8")
    assert not files.holds_mdp(str(tmp_path / "grid.toml"))
    assert not any(
        files.is_name(name) for name in ("vietri2020/chain-3", "npz", "mine.csv", 3, None)
    )


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        (
            {**ONCE},
            (
                "x.npz: transitions that are the same at every step must come with horizon, got "
                "shape=(2, 1, 2)"
            ),
        ),
        ({**ONCE, "horizon": 0}, "x.npz: horizon must be >= 1, got horizon=0"),
        ({**ONCE, "horizon": 2.5}, "x.npz: horizon must be a whole number, got horizon=2.5"),
        (
            {**ONCE, "horizon": [2, 2]},
            ("x.npz: horizon must be a real number, got horizon=array of shape (2,)"),
        ),
        (
            {**ONCE, "horizon": 3, "rewards": [[0.0], [2.0]]},
            ("x.npz: rewards must be in [0, 1], got smallest=0.0, largest"),
        ),
        (
            {**ONCE, "horizon": 3, "initial": ["a", "b"]},
            ("x.npz: initial must be an array of real numbers"),
        ),
        (
            {**ONCE, "gamma": 1},
            (
                "x.npz must hold transitions, rewards, initial, and may hold horizon "
                "and bernoulli, got names='transitions, rewards, initial, gamma'"
            ),
        ),
        ({"P": ROW}, "x.npz must hold transitions, rewards, initial, and may hold"),
        (
            {**ONCE, "transitions": np.array([None])},
            (
                "x.npz must be a whole npz of numbers, as numpy.savez writes, got pickled Python "
                "objects"
            ),
        ),
    ],
)
def test_what_is_no_mdp_gets_one_sentence(
    tmp_path: Path, arrays: dict[str, Any], says: str
) -> None:
    name = written(tmp_path / "x.npz", **arrays)
    assert refused(lambda: files.load_mdp(name)).startswith(says)
    assert refused(lambda: suite.entry(name)).startswith(says)


def test_a_toml_without_end_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("transitions = " + "[" * 10**5, "utf-8")
    assert refused(lambda: files.load_mdp(str(tmp_path / "x.toml"))).startswith(
        "x.toml must be TOML, got "
    )


def test_a_damaged_file_is_refused_or_read_whole(tmp_path: Path) -> None:
    undamaged = Path(written(tmp_path / "x.npz", **ONCE, horizon=3)).read_bytes()
    refusals = []
    for at in range(0, len(undamaged), 41):
        for damaged in (
            undamaged[:at],
            undamaged[:at] + bytes([undamaged[at] ^ 0xFF]) + undamaged[at + 1 :],
        ):
            (tmp_path / "y.npz").write_bytes(damaged)
            try:
                assert (files.load_mdp(tmp_path / "y.npz").transitions == ROW).all()
            except ValueError as error:
                refusals.append(str(error))
    assert len(refusals) > len(undamaged) / 41 and all(
        refusal.startswith("y.npz") for refusal in refusals
    )
    for name, content in (
        ("z.npz", b"transitions"),
        ("z.toml", b"transitions = [["),
        ("z.toml", b"\xff"),
        ("z.txt", b""),
    ):
        (tmp_path / name).write_bytes(content)
        message = refused(lambda path=tmp_path / name: files.load_mdp(path))
        assert message.startswith((f"{name} must be", "a file with an"))
    np.save(tmp_path / "one.npy", ROW)
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    assert refused(lambda: files.load_mdp(tmp_path / "one.npz")).startswith(
        "one.npz must be a whole npz of numbers"
    )


def test_a_pipe_a_device_and_a_folder_are_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.npz")
    os.mkfifo(tmp_path / "x.toml")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.npz").symlink_to(tmp_path / "pipe")
    (tmp_path / "device.npz").symlink_to("/dev/zero")
    (tmp_path / "folder.toml").mkdir()
    for name in ("x.npz", "x.toml", "link.npz", "device.npz", "folder.toml"):
        says = f"what is read must be a regular file, no pipe, device or folder, got path='{name}'"
        with at_most(10):
            assert refused(lambda name=name: files.load_mdp(tmp_path / name)) == says
            assert refused(lambda name=name: suite.entry(str(tmp_path / name))) == says


def test_a_member_that_is_no_array_gets_one_sentence(tmp_path: Path) -> None:
    name = written(tmp_path / "x.npz", **{**ONCE, "horizon": 3})
    with zipfile.ZipFile(name, "a") as archive:
        archive.writestr("bernoulli", "no array")
    says = "x.npz: bernoulli must be an array, got bernoulli=b'no array'"
    assert refused(lambda: files.load_mdp(name)) == says
    with zipfile.ZipFile(name, "a") as archive:
        archive.writestr("bernoulli.npy", "no array either")
    assert "'transitions, rewards, initial, horizon, bernoulli, bernoulli'" in refused(
        lambda: files.load_mdp(name)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("unknown", "x.npz must hold transitions, rewards, initial, and may hold"),
        ("bernoulli", "x.npz: bernoulli must take at most 65544 bytes, got bytes=200000128"),
    ],
)
def test_names_and_sizes_are_looked_at_before_anything_is_unpacked(
    tmp_path: Path, name: str, says: str
) -> None:
    np.savez_compressed(
        tmp_path / "x.npz",
        **ONCE,
        horizon=3,
        **{name: np.zeros(2 * 10**8, np.int8)},  # type: ignore[arg-type]
    )
    assert (tmp_path / "x.npz").stat().st_size < 10**6
    tracemalloc.start()
    try:
        assert refused(lambda: files.load_mdp(tmp_path / "x.npz")).startswith(says)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
