"""``privrl plot``: what it draws of the tables that ``privrl run`` has written, and what it
refuses."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from figures import yours
from tests.deadlines import at_most
from tests.privrl.cli.calls import ID, RIVER, call, refusal


@pytest.mark.slow
def test_plot_draws_what_run_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = [
        "run",
        RIVER,
        "--agent",
        "ubev,pucb",
        "--episodes",
        "200",
        "--seed",
        "0:2",
        "--out",
        str(tmp_path),
    ]
    table = tmp_path / f"{RIVER}.csv"
    drawn, original = [], yours.between
    monkeypatch.setattr(yours, "between", lambda *args: drawn.append(original(*args)) or drawn[-1])
    assert call(*line).exit_code == 0
    assert call("plot", str(table)).stdout == f"{table.with_suffix('.png')}\n"
    assert table.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert call("plot", str(table), "--out", str(tmp_path / "x.pdf")).exit_code == 0
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    figure, ends = drawn[0]
    lines = {curve.get_label(): curve for curve in figure.axes[0].lines}
    lines["trivial bound"] = lines.pop("_")  # which is named at its end, not in the legend
    assert set(lines) == set(ends.index) and set(list(lines)[2:]) == {
        "uniform play",
        "best constant action",
        "trivial bound",
    }
    rows = pd.read_csv(table)
    for (agent, same), label in zip(rows.groupby("agent", sort=False), lines, strict=False):
        assert label.startswith(agent)
        assert lines[label].get_ydata()[-1] == pytest.approx(
            same[same["episode"] == 200]["regret"].mean()
        )
    assert lines["trivial bound"].get_ydata()[-1] == 3 * 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("every", ["1", "10"]),
        ("beta", ["0.1", "0.5"]),
        ("delta", ["1e-06", "1e-05"]),
        ("episodes", ["60", "80"]),
    ],
)
def test_runs_that_differ_have_labels_rows_and_lines_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, values: list[str]
) -> None:
    drawn: list[Any] = []
    original, table = yours.between, tmp_path / "vietri2020" / "chain-3.csv"
    monkeypatch.setattr(yours, "between", lambda *args: drawn.append(args[0]) or original(*args))
    line = [
        "run",
        "vietri2020/chain-3",
        "--agent",
        "private-ucbvi",
        "--delta",
        "1e-6",
        "--episodes",
        "100",
        "--stop-after",
        "50",
        "--replicates",
        "2",
        "--out",
        str(tmp_path),
    ]
    output_lines = call(*line, f"--{option}", ",".join(values)).stdout.splitlines()
    name = "planned" if option == "episodes" else option
    assert [
        f" {name} {value}, regret" in row for value, row in zip(values, output_lines, strict=False)
    ] == [True, True]
    rows = pd.read_csv(table)
    assert not rows.duplicated([column for column in rows.columns if column != "regret"]).any()
    assert sorted(rows[name].unique()) == sorted(map(float, values))
    assert call("plot", str(table)).exit_code == 0
    assert [label.split(f"{name} ")[1] for label in drawn[0]] == values
    assert all(run.regret.shape[0] == 2 for run in drawn[0].values())


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n", "utf-8")
    (tmp_path / "y.csv").touch()
    for name in ("x.csv", "y.csv"):
        says = f"the table must be one that `privrl run` wrote, got table='{name}'"
        assert refusal("plot", str(tmp_path / name)) == says
    call("run", f"{ID},vietri2020/chain-3", "--episodes", "2", "--out", str(tmp_path))
    combined = pd.concat(
        [pd.read_csv(tmp_path / f"{name}.csv") for name in (ID, "vietri2020/chain-3")]
    )
    combined.to_csv(tmp_path / "both.csv", index=False)
    assert refusal("plot", str(tmp_path / "both.csv")).startswith(
        "a table must have runs of one environment"
    )
    call(
        "run",
        ID,
        "--epsilon",
        ",".join(map(str, range(1, 12))),
        "--episodes",
        "2",
        "--force",
        "--out",
        str(tmp_path),
    )
    assert refusal("plot", str(tmp_path / f"{ID}.csv")).startswith(
        "a table must have at most 10 settings"
    )


@pytest.mark.parametrize(
    ("column", "cell", "says"),
    [
        ("agent", np.nan, "every agent of a table must be text, got table='x.csv'"),
        ("agent", 3, "every agent of a table must be text, got table='x.csv'"),
        ("id", np.nan, "every id of a table must be text, got table='x.csv'"),
        ("regret", "much", "every regret of a table must be a number, got table='x.csv'"),
        ("episode", "first", "every episode of a table must be a number, got table='x.csv'"),
        ("planned", np.nan, "every planned of a table must be a number, got table='x.csv'"),
        (
            "id",
            "pipe.npz",
            "what is read must be a regular file, no pipe, device or folder, got path='pipe.npz'",
        ),
    ],
)
def test_a_cell_that_no_run_has_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, cell: Any, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.npz")
    assert call("run", ID, "--episodes", "2", "--out", str(tmp_path)).exit_code == 0
    pd.read_csv(f"{ID}.csv").assign(**{column: cell}).to_csv("x.csv", index=False)
    with at_most(20):
        assert refusal("plot", "x.csv") == says


@pytest.mark.slow
def test_a_name_with_dollars_is_drawn_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = r"$\frac{$"
    np.savez(
        f"{name}.npz",
        transitions=np.full((4, 2, 4), 0.25),
        rewards=np.eye(4)[:, :2],
        initial=np.eye(4)[0],
        horizon=2,
    )
    assert call("run", f"{name}.npz", "--episodes", "20").exit_code == 0
    rows = pd.read_csv(Path("out") / f"{name}.csv")
    pd.concat([rows, rows.assign(agent=name)]).to_csv("x.csv", index=False)
    assert call("plot", "x.csv").stdout == "x.png\n"
