"""``privrl advise``: what it says of a problem is computed where it says, and its code runs as it
stands."""

import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privrl
from privrl import Guarantee, PrivateUCBVI, Simulated
from privrl.agents import sizes
from privrl.cli.advice import mixtures
from privrl.horizon import scaling
from privrl.privacy import shares
from privrl.privacy.counters import mechanisms, shuffle
from privrl.privacy.trust import TRUST
from tests.privrl.cli.calls import answer, call, refusal

SMALL = ["--states", "3", "--actions", "2", "--horizon", "3"]
FORMS = {
    "tabular": [*SMALL, "--epsilon", "2", "--simulate"],
    "exact": [*SMALL, "--epsilon", "2"],
    "cheapest": [*SMALL, "--epsilon", "2", "--cheapest"],
    "secure": [*SMALL, "--trust", "secure"],
    "shuffle": [*SMALL, "--trust", "shuffle", "--epsilon", "3"],
    "local": [*SMALL, "--no-server"],
    "laplace": [*SMALL, "--delta", "0"],
    "secure simulated": [*SMALL, "--trust", "secure", "--simulate"],
    "shuffle simulated": [*SMALL, "--trust", "shuffle", "--epsilon", "3", "--simulate"],
    "local simulated": [*SMALL, "--no-server", "--simulate"],
    "linear": ["--dim", "2", "--horizon", "2", "--simulate"],
    "linear exact": ["--dim", "2", "--horizon", "2"],
    "linear secure": ["--dim", "2", "--horizon", "2", "--trust", "secure"],
    "linear local": ["--dim", "2", "--horizon", "2", "--no-server"],
    "wide": ["--states", "50", "--actions", "2", "--horizon", "12"],
    "many": ["--dim", "7", "--horizon", "4"],
    "many local": ["--dim", "7", "--horizon", "4", "--epsilon", "200", "--no-server"],
    "lq": ["--states", "1", "--controls", "1", "--horizon", "3", "--epsilon", "10", "--simulate"],
    "lq local": [
        "--states",
        "3",
        "--controls",
        "2",
        "--horizon",
        "5",
        "--gamma",
        "0.25",
        "--no-server",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_code_that_is_printed_runs_as_it_stands(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["advise", *FORMS[form], "--users", "1e4"]
    output_lines = call(*line).stdout.splitlines()
    most = 42 if form.partition(" ")[0] in ("shuffle", "secure", "local") else 40
    assert len(output_lines) <= most and max(map(len, output_lines)) <= 80
    printed = [
        row.removeprefix("    ")
        for row in output_lines[output_lines.index("code") + 1 :]
        if row.startswith("    ")
    ]
    advice = answer(*line)
    code = advice["code"]
    assert printed[: code.count("\n") + 1] == code.splitlines()
    namespace: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, namespace)
    assert out.getvalue()
    agent, session = namespace["agent"], namespace["session"]
    if "shuffle" in form:  # each user's own message, by itself worth less
        one = shuffle.message(3.0, 1e-6, 1000)
        assert (agent.epsilon, agent.delta, agent.counter) == (one.epsilon, one.delta, "local")
    else:
        assert (agent.epsilon, agent.counter) == (
            {"tabular": 2.0, "exact": 2.0, "cheapest": 2.0, "lq": 10.0, "many local": 200.0}.get(
                form, 1.0
            ),
            advice["counter"],
        )
    noisy = int(session.learner.noise_scales().astype(bool).sum())
    assert (
        advice["sums"] == noisy
        and advice["seconds"]
        == (
            round(noisy * shares.draws(9999))
            if "secure" in form
            else noisy * (12 if form == "laplace" else 1)
        )
        / 1e6
    )
    assert f"time     {advice['seconds']:.2g} s for an exact " in "\n".join(output_lines)
    every = 1000 if "shuffle" in form else 10 if form == "wide" else 1
    assert session.terms.every == advice["every"] == every
    own = "shuffle" in form or "--no-server" in line or form in ("secure", "linear secure")
    assert session.users == 1 and ("device" in namespace) == own
    # what is recommended can be deployed, but where a simulation is asked for
    simulated = "--simulate" in line
    assert advice["simulated"] == simulated == (session.terms.noise == "simulated")
    assert isinstance(session.guarantee, Simulated if simulated else Guarantee)
    assert simulated or agent.counter in (*mechanisms.EXACT, "secure")
    # and what it cannot hold says where it goes
    assert ("your protocol goes here" in code) == (agent.counter == "secure" and not simulated)
    assert ("protects nobody" in out.getvalue()) == simulated
    assert ("simulated, with exact noise it would be" in advice["run"]) == simulated


@pytest.mark.slow
def test_without_the_ledger_s_libraries_noise_and_code_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*sizes: object) -> int:
        raise ModuleNotFoundError("No module named 'sympy'", name="sympy")

    monkeypatch.setattr(mixtures, "start", missing)
    advice = answer("advise", "--dim", "4", "--horizon", "3")
    assert advice["least"] is None and advice["noise"] and "rl.LinOptVI(" in advice["code"]
    assert advice["users"][0].startswith(
        "not known: how many users it takes needs sympy, of the extra theory, which is not"
    )


def test_the_cheapest_releases_less_for_fewer_users() -> None:
    """The noise, the sums and the users are those of the agent that the code makes."""
    line = ["advise", "--states", "32", "--actions", "2", "--horizon", "1", "--users", "1e6"]
    plain, cheapest = answer(*line), answer(*line, "--cheapest")
    assert "calibration tight" in plain["run"] and "calibration pruned" in cheapest["run"]
    assert (plain["every"], cheapest["every"]) == (1, 100)
    assert (plain["sums"], cheapest["sums"]) == (33 * 64, 2 * 64)
    assert "calibration='pruned'" in cheapest["code"] and "every=100" in cheapest["code"]
    agent = PrivateUCBVI(1.0, 1e-6, counter="blt", calibration="pruned", every=100)
    least, most = (
        scaling.until_learnt(agent, scaling.even(32, 2, 1), 10**6, factor)
        for factor in scaling.factors("even")
    )
    assert (cheapest["least"], cheapest["most"]) == (least, most)
    assert cheapest["most"] < plain["most"] / 2
    assert "with the program below (every=100), where" in cheapest["users"][0]
    for wrong in (["--no-server"], ["--trust", "secure"]):
        assert "--cheapest is for" in refusal(*line, "--cheapest", *wrong)


@pytest.mark.slow
@pytest.mark.parametrize("users", ["2e4", "1e6", "1e7"])
def test_users_and_noise_are_of_the_program_that_is_printed(users: str) -> None:
    """Its number of users and its users to a plan, before which no plan has data."""
    line = ["advise", *SMALL, "--epsilon", "10", "--users", users, "--cheapest"]
    advice, planned = answer(*line), int(float(users))
    every = planned // 10**4
    batch = f", every={every}" if every > 1 else ""
    session = next(part for part in advice["code"].split("session = ")[1:])
    assert f"users={planned}," in session and f"noise='exact'{batch})" in session
    assert advice["least"] >= every and advice["least"] % every == advice["most"] % every == 0
    agent = PrivateUCBVI(10.0, 1e-6, counter="blt", calibration="pruned", every=every)
    world = scaling.even(3, 2, 3)
    for end, factor in zip(("least", "most"), scaling.factors("even"), strict=True):
        assert advice[end] - every < factor * scaling.unit(agent, world, planned) <= advice[end]
    drawn = sizes.draws(agent, world, planned)
    assert [row["released"] for row in advice["noise"]] == [row.released for row in drawn]


@pytest.mark.slow
def test_where_the_program_is_too_short_the_line_says_so() -> None:
    line = ["advise", *SMALL, "--epsilon", "2", "--users"]
    enough, few = answer(*line, "1e6"), answer(*line, "1000")
    assert "with the program below, where" in enough["users"][0]
    assert "with the program below (where too short, planned for as many)" in few["users"][0]
    agent, world = PrivateUCBVI(2.0, 1e-6, counter="blt"), scaling.even(3, 2, 3)
    for end, factor in zip(("least", "most"), scaling.factors("even"), strict=True):
        assert few[end] == math.ceil(scaling.needed(agent, world, factor))


@pytest.mark.slow
def test_the_counter_is_the_best_for_the_releases_of_the_program() -> None:
    """A plan for each of 2e7 users is more than the grid under blt is made for; 1e4 are not."""
    line = ["advise", *SMALL, "--users", "2e7"]
    assert (answer(*line)["counter"], answer(*line, "--cheapest")["counter"]) == ("smooth", "blt")


@pytest.mark.slow
def test_the_engineers_question_is_answered_on_one_screen() -> None:
    line = [
        "advise",
        "--states",
        "50",
        "--actions",
        "4",
        "--horizon",
        "10",
        "--epsilon",
        "2",
        "--simulate",
        "--users",
        "1e6",
    ]
    advice, output = answer(*line), call(*line).stdout
    assert len(output.splitlines()) <= 40
    agent, mdp = privrl.PrivateUCBVI(2.0, 1e-6, counter="blt", every=10), scaling.even(50, 4, 10)
    assert advice["every"] == 10
    assert advice["noise"][1]["most"] == sizes.draws(agent, mdp, 10**6)[1].most
    for users, factor in zip(
        (advice["least"], advice["most"]), scaling.factors("even"), strict=True
    ):
        planned = max(10**6, round(users))  # for as many where a million are too few
        assert users == pytest.approx(factor * scaling.unit(agent, mdp, planned), rel=0.01)
    words = " ".join(output.split())
    assert "costs 1: you have too few for gap 1." in words and "so this is extrapolated" in words
    assert (
        "with multiplier=0.05, where all states come up alike: no verdict, as it was tried only "
        "where states was 2 to 20." in words
    )
    assert advice["enough"] is None
    many = " ".join(call(*line[:-1], "1e8").stdout.split())
    assert "too few" not in many
    assert "no verdict, as it was tried only where states was 2 to 20. " in many
    assert advice["time"] == "0.1 s for an exact release: 102,000 draws of 1 microsecond"
    real = [word for word in line if word != "--simulate"]
    pure = answer(*real, "--delta", "0")
    assert pure["seconds"] == 1.224 and "noise='exact', every=100)" in pure["code"]
    assert [answer(*line, *more)["every"] for more in (["--no-server"], ["--users", "50"])] == [
        1,
        5,
    ]
    beyond = answer("advise", *SMALL, "--epsilon", "1e-9", "--no-server")
    assert beyond["most"] is None and beyond["users"][0].startswith("more than 7.1e+15 before")
    pure = answer(*line, "--delta", "0", "--no-server")
    assert pure["most"] is None and pure["users"][0].startswith(
        "more than a run can be planned for"
    )


@pytest.mark.slow
def test_measured_tables_are_read_where_they_cover_the_size() -> None:
    says = {
        "tabular": "delta 1e-6: 30,409 on riverswim-3-relabelled: private-ucbvi, tight, blt, ",
        "linear": "7,127 on mixture-2",
        "linear local": "1,962,780 on mixture-2: linopt-vi, tight, local, epsilon 1",
        "lq": "142,192 on scalar: private-ofu-rl, tight, blt, epsilon 10",
    }
    for form, words in says.items():
        assert words in " ".join(answer("advise", *FORMS[form])["users"])
    words = " ".join(answer("advise", *FORMS["linear"])["users"])
    assert (
        "; 472 with linopt-vi and multiplier=0.3 at epsilon 1, 7,127 without; 0 of 32 failed "
        "(tuned_users.csv)"
    ) in words
    words = " ".join(answer("advise", *FORMS["lq"])["users"])
    assert (
        "; 66,526 with private-ofu-rl and multiplier=0.3 at epsilon 10, 145,542 without; 0 of 16 "
        in words
    )
    pure = answer("advise", *FORMS["laplace"])["users"]  # the tables are of delta 1e-6
    assert pure[
        -1
    ] == "no run with delta 0 is recorded whose noise suffices" and "blt" not in " ".join(pure)
    assert answer("advise", "--dim", "9", "--horizon", "3")["users"][0].startswith("not known")
    few = answer("advise", "--dim", "2", "--horizon", "2", "--epsilon", "0.5")
    assert "59,276 on mixture-2: linopt-vi, tight, blt, epsilon 0.1 " in few["users"][1]
    assert "; 4,820 with linopt-vi" in few["users"][1]
    few = answer("advise", *FORMS["linear"], "--epsilon", "0.05")
    assert few["users"][1].endswith(": nothing was run with so little epsilon")


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=str(row), marks=pytest.mark.long if row.planned > 10**5 else ())
        for row in mixtures.MEASURED
    ],
)
def test_the_factors_of_mixtures_are_measured_again(row: mixtures.MeasuredMixture) -> None:
    users = row.measure()
    assert (users.median, *users.interval()) == pytest.approx(
        (row.users, row.low, row.high),
        rel=0,
        abs=0.006,  # two decimals
    )
    sizes = ("--dim", str(row.d), "--horizon", str(row.horizon), "--epsilon", str(row.epsilon))
    advice = answer("advise", *sizes, "--simulate")  # over blt, as it was run
    assert advice["least"] <= row.users * 1.001 and row.users <= advice["most"] * 1.001


def test_a_file_has_its_sizes_and_is_in_the_code(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "mdp.npz",
        transitions=np.full((4, 2, 4), 0.25),
        rewards=np.eye(4)[:, :2],
        initial=np.eye(4)[0],
        horizon=5,
    )
    line = "advise", str(tmp_path / "mdp.npz"), "--users", "100"
    for simulated in (False, True):
        advice = answer(*line, *(["--simulate"] if simulated else []))
        assert advice["asked"].startswith("tabular: states 4, actions 2, horizon 5; ")
        namespace: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(advice["code"], namespace)
        # simulated in it, or deployed in a world like it
        if simulated:
            assert namespace["world"].horizon == 5
        else:
            terms = namespace["session"].terms
            sizes_known = terms.problem.states, terms.problem.actions, terms.problem.horizon
            assert sizes_known == (4, 2, 5) and terms.noise == "exact"


def gapped(path: Path, gap: float) -> str:
    """A file of an even world."""
    world = scaling.even(3, 2, 3, gap)
    np.savez(path, transitions=world.transitions, rewards=world.rewards, initial=world.initial)
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.999, 0.2])
def test_users_are_a_function_of_the_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gap: float
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["advise", *SMALL, "--simulate", "--epsilon", "2", "--users", "1e6"]
    default = answer(*line)
    assert (default["gap"], default["gap_measured"]) == (None, [0.1, 1.0])
    for arguments in (
        [*line, "--gap", str(gap)],
        ["advise", gapped(Path("x.npz"), gap), *line[-5:]],
    ):
        advice = answer(*arguments)
        assert advice["gap"] == pytest.approx(gap) and advice["least"] == default["least"]
        # at most as the square of the gap
        assert 1 < advice["most"] / default["most"] < gap**-2
        assert advice["enough"] == {"1": "yes", "0.05": "yes"}
        source = "the smallest of the file's" if arguments[1] == "x.npz" else "as --gap says"
        assert f"a wrong action costs {gap:.3g} or more ({source}): " in advice["users"][0]
        assert f"you have enough for gap {gap:.3g}. " in advice["users"][0]
        at = arguments.index("--users") + 1
        few = answer(*arguments[:at], str(math.floor(default["least"] / 2)), *arguments[at + 1 :])
        assert few["enough"]["1"] == "no"


def test_a_gap_beside_a_file_is_taken_in_place_of_the_files(tmp_path: Path) -> None:
    """And said so; above the file's there is no verdict, as its own gap is less."""
    line = ["advise", gapped(tmp_path / "x.npz", 0.5), "--epsilon", "2"]
    sizes = ["advise", "--states", "3", "--actions", "2", "--horizon", "3", "--epsilon", "2"]
    plain = answer(*line)
    assert plain["file_gap"] == plain["gap"] == pytest.approx(0.5)
    assert "--gap" not in plain["asked"]
    for gap, verdict in (("0.2", "you have enough for gap 0.2. "), ("0.8", "no verdict, as ")):
        by_hand = answer(*line, "--gap", gap)
        source = f"gap {gap} as --gap says, in place of the smallest of the file's, 0.5"
        assert by_hand["asked"].endswith(source) and by_hand["file_gap"] == pytest.approx(0.5)
        assert by_hand["gap"] == float(gap)
        same = answer(*sizes, "--gap", gap)
        assert (by_hand["least"], by_hand["most"]) == (same["least"], same["most"])
        assert f"costs {gap} or more (as --gap says): {verdict}" in by_hand["users"][0]
        assert (by_hand["enough"] is None) == (gap == "0.8")
    assert "a wrong action costs 0.5 in your file, less than --gap says" in by_hand["users"][0]
    assert "gap must be <= horizon" in refusal(*line, "--gap", "4")


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.09, 1.5])
def test_enough_is_said_for_gaps_that_were_tried_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gap: float
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["advise", *SMALL, "--simulate", "--epsilon", "2", "--users", "1e6"]
    default = answer(*line)
    assert default["enough"] == {"1": "yes", "0.05": "yes"}
    assert default["users"][0].count("you have enough for gap 1. ") == 1
    assert "below 1 takes more users (--gap)" in default["unknown"][1]
    same = answer(*line, "--gap", "1")
    assert same["users"] == default["users"] and same["unknown"] == [
        default["unknown"][0],
        *default["unknown"][2:],
    ]
    few = answer(*line[:-1], "1000")
    assert few["enough"] == {"1": "no", "0.05": "yes"}
    lines = [[*line, "--gap", str(gap)]]
    if gap <= 1:
        lines.append(["advise", gapped(Path("x.npz"), gap), *line[-4:]])
    for arguments in lines:
        advice = answer(*arguments)
        assert advice["gap"] == pytest.approx(gap)
        assert advice["least"] is advice["most"] is advice["enough"] is None
        source = "the smallest of the file's" if arguments[1] == "x.npz" else "as --gap says"
        assert advice["users"][0].startswith(f"not measured for gap {gap:.3g} ({source}): ")
        assert "enough" not in call(*arguments).stdout and "too few" not in call(*arguments).stdout
        assert (
            "0.98 to 2.3 times at gap 0.5; 2.9 to 5.2 times at gap 0.2; 6.2 to 10 times at gap 0.1"
            in (advice["users"][1])
        )


def test_no_verdict_where_the_states_of_a_file_do_not_come_up_alike(tmp_path: Path) -> None:
    world = scaling.even(3, 2, 3)
    for share in (1.0, 0.9):
        transitions = np.array(world.transitions)
        transitions[0, 0, 0] = [1 / 3, share / 3, (2 - share) / 3]
        np.savez(
            tmp_path / "x.npz",
            transitions=transitions,
            rewards=world.rewards,
            initial=world.initial,
        )
        advice = answer("advise", str(tmp_path / "x.npz"), "--epsilon", "2")
        alike = share == 1
        said = "in your file the action decides which state follows" in " ".join(advice["users"])
        if advice["gap"] == pytest.approx(1):
            assert (advice["enough"] is not None) == alike and said != alike


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.75, 0.4])
def test_users_are_a_function_of_how_the_states_of_a_file_come_up(
    tmp_path: Path, share: float
) -> None:
    """One state comes up less often than the others, whatever is done."""
    world, path = scaling.even(3, 2, 3), tmp_path / "x.npz"
    line = ("advise", str(path), "--epsilon", "2", "--users", "1e6", "--simulate")
    advices = []
    for size in (1.0, share):
        row = np.array([size, (3 - size) / 2, (3 - size) / 2]) / 3
        transitions = np.broadcast_to(row, (3, 3, 2, 3))
        np.savez(path, transitions=transitions, rewards=world.rewards, initial=row)
        advices.append(answer(*line))
    even, uneven = advices
    assert even["enough"] == {"1": "yes", "0.05": "yes"}
    if share < scaling.LEAST_SHARE:
        reason = "a state of your file comes up less than half as often as if all did alike"
        assert uneven["enough"] is None and f"no verdict, as {reason}" in uneven["users"][0]
        return
    # n grows a little with the users that are planned for
    assert 1 / share <= uneven["most"] / even["most"] < 1.1 / share
    assert uneven["least"] == even["least"] and uneven["enough"] == even["enough"]
    assert f"a state comes up {share:.2g} times as often" in uneven["users"][0]


def test_how_the_states_of_a_file_come_up_is_read_from_it(tmp_path: Path) -> None:
    """A river in which the last state is reached by one sequence of actions, and two alike."""
    river = np.zeros((3, 2, 3))
    river[:, 0, 0] = 1.0  # back
    river[0, 1], river[1, 1], river[2, 1] = [0.9, 0.1, 0], [0, 0.8, 0.2], [0, 0, 1]  # on
    rewards = np.zeros((3, 2))
    rewards[2, 1] = 1.0
    for name, transitions, rarest, follow, says in (
        ("river", river, 0.1 * 0.2, 2, "17 times as rarely as where all do alike"),
        ("even", np.full((3, 2, 3), 1 / 3), 1 / 3, 3, "as where states come up alike"),
    ):
        initial = [1.0, 0, 0] if name == "river" else np.full(3, 1 / 3)
        path = tmp_path / f"{name}.npz"
        np.savez(path, transitions=transitions, rewards=rewards, initial=initial, horizon=3)
        advice = answer("advise", str(path))
        assert (advice["rarest"], advice["follow"]) == (pytest.approx(rarest), follow)
        (words,) = [line for line in advice["users"] if line.startswith("Its rarest state")]
        assert f"comes up for {rarest:.2g} of the users at most" in words and says in words
        assert ("leads to every state" in words) == (follow == 3)
        assert ("leads to 2 of 3 states at most" in words) == (follow == 2)
        if follow == 2:
            n, dense = (
                float(number.replace(",", ""))
                for number in re.findall(r"n is ([\d,]+) in place of ([\d,]+)", words)[0]
            )
            assert n < 0.95 * dense and "sums are released in place of" in words
    assert answer("advise", *SMALL)["rarest"] is None


def test_a_file_whose_gap_was_measured_gets_the_verdict(tmp_path: Path) -> None:
    advice = answer("advise", gapped(tmp_path / "x.npz", 1.0), "--epsilon", "2", "--simulate")
    assert advice["gap"] == pytest.approx(1) and advice["enough"] == {"1": "yes", "0.05": "yes"}
    np.savez(
        tmp_path / "x.npz",
        transitions=np.full((2, 2, 2), 0.5),
        rewards=np.ones((2, 2)),
        initial=[1.0, 0.0],
        horizon=2,
    )
    says = "an action must be worth less than another for anything to be learnt"
    assert refusal("advise", str(tmp_path / "x.npz")).startswith(says)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "",
            (
                "--states, --actions and --horizon, or --dim and --horizon, or --states, "
                "--controls and --horizon, or a file"
            ),
        ),
        ("--states 3 --horizon 2", "--states, --actions and --horizon, or"),
        ("--states 3 --actions 2 --horizon 2 --gamma 1", "--gamma is for --controls"),
        ("--dim 3 --horizon 2 --delta 0", "delta must be > 0 but for states and actions"),
        ("none.npz", "No such file or directory"),
        (
            "x.npz --states 3 --dim 2",
            "a file has its own sizes and must come without others, got beside='--states, --dim'",
        ),
        ("none", "a file with an MDP must end in .npz or .toml"),
        ("--states 3 --actions 2 --horizon 2 --users 1", "users must be >= 2, got users=1"),
        (
            "--states 3 --actions 2 --horizon 2 --users 1e16",
            "users must be <= 9007199254740992, got ",
        ),
        (
            "--dim 3 --horizon 2 --states 3",
            ("a problem of --dim, --horizon must have no other sizes, got beside='--states'"),
        ),
        (
            "--dim 3 --horizon 2 --controls 1",
            ("a problem of --dim, --horizon must have no other sizes, got "),
        ),
        (
            "--states 3 --controls 1 --actions 2 --horizon 2",
            (
                "a problem of --states, --controls, --horizon must have no other sizes, got "
                "beside='--actions'"
            ),
        ),
        ("--dim 3 --horizon 2 --gap 0.5", "--gap is for --states and --actions, got gap=0.5"),
        (
            "--states 3 --actions 2 --horizon 2 --gap 2.5",
            "gap must be <= horizon, got gap=2.5, horizon=2",
        ),
        ("--states 3 --actions 2 --horizon 2 --gap 0", "gap must be > 0 and finite, got gap=0.0"),
        ("--states 3 --actions 2 --horizon 2 --epsilon 0", "epsilon must be > 0"),
        (
            "--states 3 --actions 2 --horizon 2 --trust secure --delta 0",
            "delta must be > 0 for --trust secure",
        ),
        ("--dim 3 --horizon 2 --trust shuffle", "--trust shuffle is for --states and --actions"),
        (
            "--states 3 --actions 2 --horizon 2 --trust secure --no-server",
            "--no-server must come without another --trust",
        ),
        ("--states 1e5 --actions 2 --horizon 2", "horizon * states^2 * actions must be <= 10^8"),
    ],
)
def test_a_request_that_makes_no_sense(line: str, says: str) -> None:
    assert refusal("advise", *line.split()).startswith(says)


@pytest.mark.slow
def test_whom_one_trusts_decides_the_counter_and_what_it_costs() -> None:
    said = {trust: answer("advise", *SMALL, "--trust", trust) for trust in TRUST}
    assert {trust: advice["counter"] for trust, advice in said.items()} == {
        "server": "blt",
        "secure": "secure",
        "shuffle": "shuffle",
        "none": "local",
    }
    noisiest = [advice["noise"][1]["released"] for advice in said.values()]
    assert noisiest == sorted(noisiest)  # the less trust, the more noise
    assert said["none"]["noise"] == answer("advise", *SMALL, "--no-server")["noise"]
    assert said["server"]["price"] == []  # no counter has less
    many = answer("advise", *SMALL, "--users", "2e7")  # beyond what the grid under blt is made for
    assert many["counter"] == "smooth"
    assert many["price"][0].startswith("exact, for people; over blt, for simulation alone ")
    ratio = said["secure"]["noise"][1]["released"]
    tree = PrivateUCBVI(1.0, 1e-6, counter="tree")
    small = sizes.problem("private-ucbvi", states=3, actions=2, horizon=3, dimension=0, gamma=0.5)
    ratio /= sizes.draws(tree, small, 10**6)[1].released
    assert said["secure"]["price"] == [
        f"at most {ratio:.2g} times a trusted tree's (docs/trust.md)"
    ]
    assert said["secure"]["run"].endswith("-private, if 90% of a node's users are honest")
    assert said["shuffle"]["run"].endswith("-private, if 90% of a batch follow the protocol")
    one = shuffle.message(1.0, 1e-6, 10**5)
    assert (
        f"({one.epsilon:.3g}, {one.delta:.2g})-private by itself; a batch of 100,000 hides it"
        in (said["shuffle"]["price"][0])
    )
    assert "(docs/trust.md)" in said["secure"]["price"][0] + said["shuffle"]["price"][0]
    for trust in ("secure", "shuffle"):  # at epsilon 1 no world was held back
        assert said[trust]["enough"] is None and "you have enough" not in " ".join(
            said[trust]["users"]
        )
    reason = "it was tried only where epsilon was 10 to 50"
    assert f"no verdict, as {reason}" in said["secure"]["users"][0]
    assert "no verdict, as over shuffle riverswim-3-relabelled alone" in said["shuffle"]["users"][0]
    for trust, users in (("secure", 81_823), ("shuffle", 2_253_575)):
        row = said[trust]["users"][-1]
        assert row.startswith(f"{users:,} on riverswim-3-relabelled, epsilon 1, of ")
    little = answer("advise", *SMALL, "--trust", "secure", "--epsilon", "0.5")
    assert little["users"][-1] == "nothing was run with epsilon below 1 (docs/trust.md)"
    linear = answer("advise", "--dim", "2", "--horizon", "2", "--trust", "secure")
    assert linear["users"][-1].startswith("21,522 on mixture-2, epsilon 1, of 1,000,000 planned")
    simulated, exact = (answer("advise", *SMALL, *more) for more in (["--simulate"], []))
    assert simulated["noise"] == exact["noise"] and simulated["simulated"] != exact["simulated"]
    assert simulated["price"] == [
        "floating point, protects nobody; exact noise, over blt, is as much"
    ]
    simulated, exact = (
        answer("advise", *SMALL, "--users", "2e7", *more) for more in (["--simulate"], [])
    )
    ratio = exact["noise"][1]["released"] / simulated["noise"][1]["released"]
    assert f"exact noise, over smooth, is {ratio:.2g} times as much" in simulated["price"][0]
