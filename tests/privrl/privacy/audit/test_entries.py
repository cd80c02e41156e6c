"""``audit`` and ``audit_agent`` on entries of the suite, and the command."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from privrl.agents.audit import audit_agent
from privrl.cli import audit as _cli_audit
from privrl.privacy import noise, sensitivity
from privrl.privacy.audit.entries import audit, setting, target
from privrl.privacy.audit.printed import shortfalls
from tests.contracts import says

IDS = (
    "vietri2020/riverswim-3",
    "chowdhury2021/scalar",
    "chowdhury2021/lq-2-2",
    "liao2021/riverswim-3",
    "zhou2022/mixture-2",
)
RIVER = "vietri2020/riverswim-3"
SURE = 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
def test_the_worst_pair_costs_what_the_accounting_says(name: str) -> None:
    tight = target(name, calibration="tight")
    exact = tight.pairs["worst"].exact(tight.delta)
    assert exact <= tight.epsilon * (1 + 1e-9)
    assert exact >= 0.999 * tight.epsilon
    printed = target(name, delta=tight.delta or 0.0)
    real = noise.noise(name.split("/", maxsplit=1)[0], setting(name, 7)).real_epsilon
    exact_epsilon = printed.pairs["worst"].exact(printed.delta)
    assert exact_epsilon <= real * (1 + 1e-6)
    assert exact_epsilon >= 0.9 * real


def test_the_change_of_the_mixtures_is_the_joint_supremum() -> None:
    problem = setting("zhou2022/mixture-2", 7)
    sigmas = {
        scale.name.removeprefix("sigma_"): scale.printed
        for scale in noise.noise("zhou2022", problem).scales
    }
    change_norm = float(np.linalg.norm(target("zhou2022/mixture-2").pairs["worst"].change))
    assert math.isclose(
        change_norm,
        sensitivity.zhou2022_joint(problem.horizon, max(problem.dimension, 2), sigmas),
        rel_tol=1e-9,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
def test_correct_noise_is_not_refuted(name: str) -> None:
    report = audit(name, calibration="tight", trials=5000, alpha=SURE)
    assert not report.refuted
    assert not report.broken
    assert report.attacks["worst"].lower <= report.claimed


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["half-scale", "shared", "removal"])
def test_faults_of_an_entry_are_refuted(fault: str) -> None:
    report = audit(
        "zhou2022/mixture-2", calibration="tight", epsilon=8, trials=5000, alpha=1e-6, fault=fault
    )
    assert report.refuted
    report = audit(
        "vietri2020/riverswim-3",
        calibration="tight",
        epsilon=18,
        trials=20_000,
        alpha=1e-6,
        fault=fault,
    )
    assert report.attacks["reward"].refuted


def test_removal_takes_the_ratio_of_the_pair() -> None:
    assert math.isclose(target("vietri2020/riverswim-3").ratio, 0.5)
    assert 0.5 < target("zhou2022/mixture-2").ratio < 1 / math.sqrt(2) + 1e-9


def test_the_printed_noise_of_pucb_is_broken_by_an_attack() -> None:
    # real epsilon is 2.885 times the claim; one step, one user before one release
    report = audit("vietri2020/hard-2-2", epsilon=3, releases=1, trials=50_000, alpha=1e-6)
    assert report.broken
    assert not report.refuted


@pytest.mark.slow
def test_an_attacker_gains_what_the_exact_curve_says_of_printed_noise() -> None:
    rows = shortfalls(trials=20_000, alpha=SURE)
    assert all(row.lower <= row.exact for row in rows)
    assert all(row.exact > row.claimed for row in rows)
    pair_row = next(row for row in rows if "both counters" in row.what)
    assert pair_row.refuted
    assert pair_row.share > 0.85


@pytest.mark.parametrize("counter", ["local", "smooth", "sqrt", "blt", "honaker"])
def test_other_counters_at_the_same_guarantee(counter: str) -> None:
    delta = 1e-6
    report = audit(
        "vietri2020/riverswim-3",
        counter=counter,
        calibration="tight",
        delta=delta,
        trials=2000,
        alpha=SURE,
    )
    assert not report.refuted
    assert 0.4 * report.claimed <= report.attacks["worst"].exact <= report.claimed * (1 + 1e-9)


AGENTS = (
    ("vietri2020/hard-2-2", "pucb"),
    ("chowdhury2021/scalar", "private-ce"),
    ("liao2021/mixture-2", "ldp-ucrl-vtr"),
    ("zhou2022/mixture-2", "linopt-vi"),
    ("zhou2022/mixture-2", "linopt-po"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "agent"), AGENTS)
def test_agents_stay_below_the_exact_epsilon(name: str, agent: str) -> None:
    report = audit_agent(
        name, agent=agent, calibration="tight", epsilon=20, trials=100, releases=3, alpha=SURE
    )
    assert not report.refuted
    assert report.what == f"agent {agent}"
    assert report == audit_agent(
        name, agent=agent, calibration="tight", epsilon=20, trials=100, releases=3, alpha=SURE
    )


@pytest.mark.slow
def test_a_message_without_noise_shows_in_the_policies_of_the_next_user() -> None:
    report = audit_agent(
        "liao2021/riverswim-3",
        calibration="tight",
        delta=0.01,
        releases=1,
        trials=800,
        alpha=1e-4,
        fault="missing-level",
    )
    assert report.refuted
    assert report.attacks["policies"].lower > 2


def test_bad_input_is_one_sentence() -> None:
    says("id must be one of the suite's", "id='nothing'", lambda: audit("nothing"))
    says(
        "calibration printed exists for counter tree",
        "counter='local'",
        lambda: audit(RIVER, counter="local"),
    )
    says(
        "counter sqrt has no laplace noise",
        "delta=0.0",
        lambda: audit(RIVER, counter="sqrt", calibration="tight"),
    )
    says("calibration printed exists for delta = 0", "delta=0.1", lambda: audit(RIVER, delta=0.1))
    says("epsilon must be > 0", "epsilon=-1", lambda: audit(RIVER, epsilon=-1))
    says("epsilon must be in [1e-06, 1e+06]", "epsilon=1e+300", lambda: audit(RIVER, epsilon=1e300))
    says("releases must be <= 1024", "releases=100000", lambda: audit(RIVER, releases=10**5))
    says("fault must be one of", "fault='typo'", lambda: audit(RIVER, fault="typo"))
    says(
        "agent must be one that adds noise",
        "agent='ubev'",
        lambda: audit_agent(RIVER, agent="ubev"),
    )
    says("agent must be one of pucb, ubev", "agent='ce'", lambda: audit_agent(RIVER, agent="ce"))
    says("user must be <= releases", "user=9", lambda: audit_agent(RIVER, user=9))


def test_the_command() -> None:
    call = CliRunner().invoke
    right = call(
        _cli_audit.audit,
        ["zhou2022/mixture-2", "--calibration", "tight", "--trials", "2000", "--json"],
    )
    assert right.exit_code == 0, right.output
    assert json.loads(right.stdout)["refuted"] is False
    wrong = call(
        _cli_audit.audit,
        ["zhou2022/mixture-2", "--calibration", "tight", "--trials", "2000", "--fault", "shared"],
    )
    assert wrong.exit_code == 1
    assert "planted: shared" in wrong.stdout
    assert wrong.stdout.endswith("refuted: the noise is not what it is said to be\n")
    agent = call(
        _cli_audit.audit,
        [
            "liao2021/mixture-2",
            "--agent",
            "ldp-ucrl-vtr",
            "--trials",
            "100",
            "--releases",
            "2",
            "--calibration",
            "corrected",
        ],
    )
    assert agent.exit_code == 0
    assert "pair policies" in agent.stdout
    bad = call(_cli_audit.audit, ["zhou2022/mixture-2", "--trials", "many"])
    assert bad.exit_code == 2 and "trials must be a whole number, got 'many'" in bad.stderr
