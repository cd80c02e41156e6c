"""Tuned widths: chosen on other instances than those reported."""

from figures import linear_runs
from figures.across import tuned_training, tuned_users
from privrl.environments import suite
from tests.figures import drawn

CLASSES = {"private UCBVI, over blt": ("private-ucbvi", "blt"), "DP-UCBVI, over blt": ("dp-ucbvi", "blt"),
           "PUCB, over blt": ("pucb", "blt"), "private UCBVI, own noise": ("ldp-ucbvi", "local"),
           "UBEV": ("ubev", "none"), "UCBVI": ("ucbvi", "none"), "LinOpt-VI, over blt": ("linopt-vi", "blt"),
           "LinOpt-PO, over blt": ("linopt-po", "blt"), "LinOpt-VI, own noise": ("linopt-vi", "local"),
           "LinOpt-PO, own noise": ("linopt-po", "local"), "LinOpt-VI": ("linopt-vi", "none"),
           "LinOpt-PO": ("linopt-po", "none"), "UCRL-VTR (rewards known), own noise": ("ldp-ucrl-vtr", "local"),
           "UCRL-VTR (rewards known)": ("ucrl-vtr", "none"), "OFU-RL": ("ofu-rl", "none"),
           "Private-OFU-RL, over blt": ("private-ofu-rl", "blt")}


def test_the_multipliers_reported_are_those_of_the_training_runs() -> None:
    chosen = drawn(tuned_training.ID, "chosen").set_index("kind")["multiplier"]
    assert {CLASSES[kind]: value for kind, value in chosen.items()} == tuned_users.CHOSEN


def test_no_instance_is_trained_on_and_reported() -> None:
    trained = {linear_runs._hash(source.mdp) for source in tuned_training.sources()}
    reported = {linear_runs._hash(suite.environment(plan.id)) for plan in tuned_users.PLANS}
    assert len(trained) == 15 and len(reported) == 3 and not trained & reported


def test_a_tuned_run_and_its_tight_twin_have_the_same_noise() -> None:
    for plan in tuned_users.PLANS:
        agent = plan.build_agent()
        assert agent.delta <= 1e-6 or plan.id == tuned_users.KNOWN
        assert plan.multiplier in (1.0, tuned_users.CHOSEN[agent.name, agent.counter])


def test_every_row_of_the_table_has_its_ratio() -> None:
    answers = tuned_users.answers()
    assert len(tuned_users.markdown().splitlines()) == 2 + len(answers)
    assert (answers["base"] >= 1).all() and (answers["failed"] <= answers["runs"]).all()
