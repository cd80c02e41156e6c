"""Power and false alarms of the audit: a fast subset; the whole is
figures/data/runs/audit_power.csv."""

import pytest

from privrl.privacy.audit import power as audit_power
from privrl.privacy.audit.faults import FAULTS
from privrl.privacy.audit.power import AttackCase, cases, repeat


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [case for case in cases("power") if case.trials <= 500 and case.of == "two sums"],
    ids=lambda case: f"{case.counter}-{case.law}-{case.fault}",
)
def test_the_coarse_faults_are_caught_at_their_documented_size(case: AttackCase) -> None:
    assert repeat(case, 5, seed=7)["refuted"] == 5


def test_half_the_scale_is_caught_at_its_documented_size_in_an_entry() -> None:
    rates = repeat(
        AttackCase("power", "liao2021/mixture-2", "local", "gaussian", "half-scale", 7, 2000),
        3,
        seed=7,
    )
    assert rates["refuted"] == 3
    assert rates["share"] > 1


def test_correct_noise_is_left_alone_and_the_rates_have_bounds() -> None:
    rates = repeat(
        AttackCase("alarms", "two sums", "tree", "laplace", None, 3, 500), 20, alpha=0.05
    )
    assert rates["refuted"] <= 7  # 20 at rate 0.05: more has probability 2e-6
    assert rates["low"] <= rates["refuted"] / 20 <= rates["high"]
    assert 0 <= rates["least"] <= rates["share"] <= 1


def test_every_fault_has_its_cases_and_the_command_has_trials_enough() -> None:
    for counter, law in audit_power.POWER_NOISES:
        mine = [
            case
            for case in cases("power")
            if (case.of, case.counter, case.law) == ("two sums", counter, law)
        ]
        known = [fault for fault in FAULTS if (law, fault) != ("laplace", "redrawn")]
        assert [case.fault for case in mine] == known
    assert max(case.trials for case in cases("power")) <= 200_000  # the default of ``privrl audit``
    assert {case.of for case in cases("alarms")} == {"two sums", *audit_power.entries()}
    assert audit_power.entries() == {
        "vietri2020/riverswim-2-relabelled": 12.0,
        "chowdhury2021/scalar": 1.0,
        "liao2021/mixture-2": 1.0,
        "zhou2022/mixture-2": 1.0,
    }
