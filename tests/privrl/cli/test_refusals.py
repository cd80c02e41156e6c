"""Bad values, offered to every option of every command as the commands themselves declare them."""

import errno
import os
from pathlib import Path

import click
import pytest
from matplotlib.figure import Figure

from privrl.cli import common as cli
from privrl.cli.run import Axis
from privrl.run import grids
from tests.deadlines import at_most
from tests.privrl.cli.calls import COMMANDS, ID, call, refusal

BAD_NUMBERS = (
    "nan",
    "-1",
    "-1e-3",
    "inf",
    "-inf",
    "x",
    "",
    "1e999",
    "1,5",
    "0x10",
    "½",
    "1" * 400,
    "--",
)
BAD_COUNTS = (*BAD_NUMBERS[:9], "0.5", "-5", "1.5", "1e-3", "2e400", "9.5", "9" * 5000)
BAD_WORDS = ("", "Tree", "other", "tree ", "-", "--json", "🌳", "x" * 500)
NEEDED = {
    "store": [],
    "run": [ID, "--episodes", "10"],
    "sigma": ["vietri2020"],
    "horizon": ["vietri2020", "--epsilon", "1e8"],
    "advise": ["--states", "3", "--actions", "2", "--horizon", "3"],
    "figures": ["vietri2020_hard_mdp"],
    "papers": [],
    "check": ["vietri2020/claim-2", "--recorded"],
    "bench": [],
    "audit": ["vietri2020/chain-3", "--trials", "1000"],
}


def offered() -> list[tuple[str, str, tuple[str, ...]]]:
    """(command, option, values that it must refuse) for every option that takes a value."""
    cases = []
    for name, command in COMMANDS.items():
        for param in command.params:
            if (
                not isinstance(param, click.Option)
                or param.is_flag
                or isinstance(param.type, click.Path)
            ):
                continue
            kind = {type(click.FLOAT): BAD_NUMBERS, cli.WholeNumber: BAD_COUNTS}.get(
                type(param.type), BAD_WORDS
            )
            if isinstance(param.type, Axis):  # several values: one that is bad spoils all
                words, reals = param.name in grids.TEXT_COLUMNS, param.name in grids.REALS
                kind = BAD_NUMBERS if reals else BAD_COUNTS
                kind = BAD_WORDS if words else kind
                kind = tuple("1,x" if value == "1,5" else value for value in kind)
            cases.append((name, param.opts[0], kind))
    return cases


@pytest.mark.slow
@pytest.mark.parametrize("case", offered(), ids=lambda case: " ".join(case[:2]))
def test_bad_values_are_refused_by_every_option(
    tmp_path: Path, case: tuple[str, str, tuple[str, ...]]
) -> None:
    name, option, values = case
    out = ["--out", str(tmp_path)] if name in ("run", "figures") else []
    for value in values:
        assert refusal(name, *NEEDED[name], *out, f"{option}={value}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (
            ["run"],
            (
                "privrl run needs ID|MDP.npz|FILE.toml; `privrl list` has all ids. Example: privrl "
                "run vietri20"
            ),
        ),
        (["plot", "nothing.csv"], "File 'nothing.csv' does not exist."),
        (["bogus"], "No such command 'bogus'."),
        (["--bogus"], "No such option"),
        (["run", ID, "--bogus", "1"], "No such option"),
        (["sigma", "vietri2020", "--epsilon"], "Option '--epsilon' requires an argument."),
        (["run", ID, "more"], "Got unexpected extra argument"),
        (["papers", "more"], "Got unexpected extra argument"),
        (
            ["run", "vietri2020/riverswim-4"],
            "id must be one of the suite's (nearest: vietri2020/riverswim-3",
        ),
        (["run", ID, "--episodes", "0"], "episodes must be >= 1, got episodes=0"),
        (
            ["run", ID, "--episodes", "5", "--stop-after", "6"],
            "stop_after must be <= episodes, got stop_after=6, epis",
        ),
        (["run", ID, "--episodes", "1"], "episodes must be >= 2, got episodes=1"),
        (["check", "vietri2020/theorem-99"], "id='vietri2020/theorem-99'"),
        (["check", "vietri2020/lemma18"], "(nearest: vietri2020/lemma-18, "),
        (
            ["sigma", "nobody1999"],
            "paper must be one of vietri2020, chowdhury2021, liao2021, zhou2022",
        ),
        (
            ["sigma", "pucb", "--derive"],
            "--derive and --adjacency are for a paper, got agent='pucb'",
        ),
        (
            ["sigma", "zhou2022", "--counter", "blt"],
            "--counter and --calibration are for an agent, got paper='zhou2022'",
        ),
        (["sigma", "zhou2022", "--delta", "0"], "delta must be in (0, 1), got delta=0.0"),
        (["horizon", "nobody1999"], "paper must be one of vietri2020"),
        (["figures", "vietri2020_hard_mdq"], "vietri2020_hard_mdp"),
    ],
)
def test_a_request_that_makes_no_sense(tmp_path: Path, args: list[str], says: str) -> None:
    out = (
        ["--out", str(tmp_path / "out")] if args[0] in ("run", "figures") and len(args) > 1 else []
    )
    assert says in refusal(*args, *out)
    assert not list(tmp_path.rglob("*.csv"))


RANGE = "must be in [1e-20, 1e+20], got "


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("sigma zhou2022 --horizon 1e308", "horizon must be <= 1000000, got "),
        ("sigma liao2021 --horizon 1e5", "horizon must be <= 10000, got "),
        ("sigma zhou2022 --dim 1e308", "dimension must be <= 1000000, got "),
        ("sigma chowdhury2021 --gamma 1e308", f"gamma {RANGE}"),
        ("sigma vietri2020 --epsilon 1e-320", (f"epsilon {RANGE}")),
        ("sigma liao2021 --epsilon 5e-324", f"epsilon {RANGE}"),
        ("sigma zhou2022 --delta 5e-324", "delta must be >= 1e-20"),
        (
            "sigma chowdhury2021 --states 1e5 --horizon 1e4",
            ("horizon * (states + actions) must be <= 10^7, got "),
        ),
        ("horizon chowdhury2021 --states 1e308", "states must be <= 1000000, got "),
        (
            "horizon chowdhury2021 --states 300",
            ("states must be <= 10 for chowdhury2021's horizon, got "),
        ),
        ("horizon chowdhury2021 --gamma 1e308", f"gamma {RANGE}"),
        ("horizon vietri2020 --states 1e5", "horizon * states^2 * actions must be <= 10^8"),
        ("horizon liao2021 --horizon 1e4", "horizon must be <= 100 for liao2021's horizon, got "),
        ("horizon zhou2022 --horizon 99999999999999999999999", "horizon must be <= 1000000, got "),
        ("horizon vietri2020 --beta 5e-324", "beta must be >= 1e-20, got "),
        ("horizon vietri2020 --epsilon 1e308", f"epsilon {RANGE}"),
        (f"run {ID} --replicates 1e30", "replicates must be <= 1000000, got "),
        (f"run {ID} --jobs 1e30", "jobs must be <= 10000, got "),
        (f"run {ID} --episodes 10 --beta 5e-324", "beta must be >= 1e-20, got "),
        ("run liao2021/riverswim-3 --agent ldp-ucrl-vtr --constant 1e308", f"constant {RANGE}"),
        (f"audit {ID} --trials 1e30", "trials must be <= 100000000, got "),
        (f"audit {ID} --releases 1e30", "releases must be <= 1024, got "),
        (f"audit {ID} --alpha 5e-324", "alpha must be >= 1e-20, got alpha=5e-324"),
        ("figures vietri2020_hard_mdp --jobs 1e30", "jobs must be <= 10000, got "),
    ],
)
def test_sizes_beyond_sense_get_a_sentence_at_once(tmp_path: Path, line: str, says: str) -> None:
    out = ["--out", str(tmp_path)] if line.startswith(("run", "figures")) else []
    assert refusal(*line.split(), *out).startswith(says)


@pytest.mark.slow
def test_a_long_sweep_says_how_long_before_it_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(grids, "grid", stop)
    result = call("run", ID, "--seed", "0:1000000", "--out", str(tmp_path))
    assert result.stderr.startswith(
        "1000000 replicates are planned before the first is played: some minutes\n"
    )


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is a file" in refusal("run", ID, "--episodes", "5", "--out", str(tmp_path / "file"))
    assert "Not a directory" in refusal(
        "run", ID, "--episodes", "5", "--out", str(tmp_path / "file" / "below")
    )


@pytest.mark.parametrize(
    "line",
    ["run f.toml", "run f.npz", "run f.npz,g.npz", "advise f.npz", "advise f.toml", "plot f.csv"],
)
def test_a_pipe_is_refused_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    command, names = line.split()
    for name in names.split(","):
        os.mkfifo(name)
    with at_most(20):
        assert refusal(command, names) == (
            "what is read must be a regular file, no pipe, device or folder, "
            f"got path='{names.partition(',')[0]}'"
        )


def test_a_table_beside_a_pipe_is_of_nobody_knows_which_runs(tmp_path: Path) -> None:
    line = ["run", "vietri2020/chain-3", "--episodes", "2", "--out", str(tmp_path)]
    assert call(*line).exit_code == 0
    provenance = tmp_path / "vietri2020" / "chain-3.json"
    provenance.unlink()
    os.mkfifo(provenance)
    with at_most(20):
        assert "holds other runs" in refusal(*line)


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EIO])
def test_a_place_that_takes_no_file_exits_with_1_and_one_that_cannot_be_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuses(figure: Figure, path: Path, **options: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    line = ["figures", "vietri2020_hard_mdp", "--out"]
    (tmp_path / "file").touch()
    assert "is a file" in refusal(*line, str(tmp_path / "file"))
    assert "Not a directory" in refusal(*line, str(tmp_path / "file" / "below"))
    monkeypatch.setattr(Figure, "savefig", refuses)
    result = call(*line, str(tmp_path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"privrl: {os.strerror(number)}: {tmp_path}")
