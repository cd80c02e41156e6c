"""The regret bounds of vietri2020/theorem-4 for PUCB over any counter: the same sums with that
counter's width E.

Neither proof says anything of the tree: they use that every released count errs by less than E at
all times with probability 1 - beta/4 (the noise's part of the fail event), and this is how
``PUCB.calibrate`` chooses E. The counters' noise may be dependent over time and between sums in any
way.
"""

from math import isfinite

from privrl.agents.tabular.pucb import PUCB
from privrl.checks import choice, count, instance, require
from privrl.environments import random_mdp
from privrl.horizon import pucb as starts
from privrl.types import TabularMDP
from theory.papers.vietri2020.bounds import proved
from theory.papers.vietri2020.bounds import stated as bounds

FORMS = ("proved", "printed")


def regret_bound(
    agent: PUCB, states: int, actions: int, horizon: int, episodes: int, form: str = "proved"
) -> float:
    """A bound of PUCB's regret in units of reward, for a run of ``episodes`` planned episodes.

    ``proved`` (theory.papers.vietri2020.bounds.proved) holds with probability 1 - beta;
    ``printed``, the sum behind the paper's theorem 4 with its E replaced, is not proved (see the
    ledger).

    Raises
    ------
    ValueError
        A size out of range, episodes for which the agent has no calibration, an unknown form.
    """
    mdp = _mdp(agent, states, actions, horizon)
    choice("form", form, FORMS)
    width = agent.calibrate(mdp, count("episodes", episodes, 2)).e_epsilon
    return _bound(agent, mdp, episodes, width, form)


def regret_horizon(
    agent: PUCB, states: int, actions: int, horizon: int, form: str = "proved"
) -> int | None:
    """The first number of episodes, up to a thousandth, at which :func:`regret_bound` is below the
    trivial H T.

    Where the counter changes its shape (a new level of a tree) the bound may rise above H T once
    more, within a sixth of that number in all that was tried; with ``blt`` and ``honaker`` no such
    rise was found.

    None: not for any number for which the agent can be calibrated.
    """
    mdp = _mdp(agent, states, actions, horizon)
    choice("form", form, FORMS)
    first = bounds.DECREASING_FROM  # earlier a bound may dip where a logarithm of T vanishes

    def below(episodes: int, width: float) -> bool:
        return episodes >= first and _bound(agent, mdp, episodes, width, form) < horizon * episodes

    return starts.crossing(agent, mdp, below)[0]


def _mdp(agent: PUCB, states: int, actions: int, horizon: int) -> TabularMDP:
    instance("agent", agent, PUCB)
    mdp = random_mdp(
        count("states", states), count("actions", actions), count("horizon", horizon), 0
    )
    require(
        isfinite(agent.epsilon) or agent.counter == "none",
        "epsilon must be finite",
        epsilon=agent.epsilon,
    )
    return mdp


def _bound(agent: PUCB, mdp: TabularMDP, episodes: int, width: float, form: str) -> float:
    sizes = (mdp.states, mdp.actions, mdp.horizon)
    if form == "proved":
        return proved.best_regret_terms(*sizes, episodes, width, agent.beta)[0].total
    terms = bounds.theorem_4_terms(*sizes, episodes, 1.0, agent.beta)
    # noise and start are linear in E
    over = width / bounds.printed_width(*sizes, episodes, 1.0, agent.beta)
    return terms.martingale + terms.sampling + over * (terms.noise + terms.start)
