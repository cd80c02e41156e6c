"""What notebook 01 says of the committed figures' data beyond what its cells show."""

from figures import registry, style


def test_more_noise_and_a_smaller_width_learn_from_fewer_users() -> None:
    data = registry.figure("vietri2020_learning").tables()["burn_in"].query("window == 'growing' and agent == 'pucb'")
    burn = data.pivot_table(index="epsilon", columns="calibration", values="burn_in")
    assert (burn["printed"] / burn["corrected"]).min() >= 2.5 and (burn["printed"] / burn["corrected"]).max() < 3.5
    assert (burn["printed"] / burn["tight"]).min() > 3.5 and (burn["printed"] / burn["tight"]).max() < 4.5
    assert style.number(burn.loc[1.0, "printed"], 2) == "3.9e7" and burn.loc[1.0, "tight"] == 9_000_000


def test_no_replayed_run_left_the_good_event_and_its_broken_twin_is_noticed() -> None:
    data = registry.figure("vietri2020_diagnosis").tables()
    failed = data["families"].set_index(["width", "family"])
    assert failed.loc[("E", "any"), "high"] < 0.1 < failed.loc[("E/16", "any"), "low"]
    assert (data["ratios"]["gap_over_corrected"] < 1).all() and (data["ratios"]["least_surplus"] > 0).all()


def test_every_run_keeps_below_the_bound_proved_for_it() -> None:
    data = registry.figure("vietri2020_regret").tables()
    lines = data["lines"].set_index(["line", "epsilon", "episodes"])["regret"]
    for row in data["runs"].query("agent == 'pucb' and counter == 'tree' and episodes == 10**8").itertuples():
        proved = lines[f"proved-{row.calibration}", row.epsilon, row.episodes]
        assert lines["lower", row.epsilon, row.episodes] < row.regret < proved < lines["theorem-4", row.epsilon, 10**8]
