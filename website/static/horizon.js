/* What `privrl horizon` prints, every agent over every counter. */
"use strict";
(() => {
  const { bitLength } = privrl.special;
  const { require, checked, gaussianMu } = privrl.privacy;
  const { MOST_TERMS } = privrl.tails;
  const { PRIVATE, laws, mostReleases, cost, quantile } = privrl.counters;
  const { bounds, control, linear, successors } = privrl;

  const SMALL = { epsilon: 1, delta: 1e-6, beta: 0.1 };
  const DEFAULTS = {
    vietri2020: { ...SMALL, delta: 0, states: 3, actions: 2, horizon: 3 },
    chowdhury2021: { ...SMALL, states: 1, actions: 1, horizon: 5, gamma: 0.5 },
    liao2021: { ...SMALL, dim: 2, horizon: 2 },
    zhou2022: { ...SMALL, dim: 2, actions: 2, horizon: 2 },
  };
  const CALIBRATIONS = ["printed", "corrected", "tight"];
  const WITH_NOISE = CALIBRATIONS.slice(1);

  function setting(paper, given) {
    require(paper in DEFAULTS, `paper must be one of ${Object.keys(DEFAULTS).join(", ")}, got paper=${paper}`);
    const known = Object.keys(DEFAULTS[paper]);
    for (const [name, value] of Object.entries(given)) {
      require(known.includes(name), `${paper}'s horizon depends on ${known.join(", ")}, got ${name}=${value}`);
    }
    const made = { ...DEFAULTS[paper], ...given };
    const whole = Object.fromEntries(["states", "actions", "horizon", "dim"].filter((name) => name in made).map((name) => [name, 1]));
    checked(made, whole, ["epsilon", ...("gamma" in made ? ["gamma"] : [])]);
    require(made.beta > 0 && made.beta < 1, `beta must be in (0, 1), got beta=${made.beta}`);
    if (paper !== "vietri2020") {
      require(made.delta > 0, `${paper} claims (epsilon, delta): delta must be in (0, 1), got delta=${made.delta}`);
      require(made.horizon >= 2, `horizon must be >= 2, got horizon=${made.horizon}`);
    }
    for (const name of Object.keys(whole)) require(made[name] <= 1e4, `${name} must be <= 10^4 here, got ${name}=${made[name]}`);
    return made;
  }

  const law = (made) => (made.delta > 0 ? "gaussian" : "laplace");

  // ---- vietri2020: PUCB

  const chernoff = (beta, terms) => Math.sqrt(8 * Math.log(2 / beta)) * Math.max(Math.sqrt(terms), Math.sqrt(Math.log(2 / beta)));

  /* the width E of a run of T episodes */
  function width(made, counter, calibration, episodes) {
    if (counter === "none") return 0;
    if (calibration === "printed") return bounds.printedWidth(made, episodes, made.epsilon, made.beta);
    const sums = bounds.counters(made);
    const prime = made.beta / 4;
    const releases = episodes - 1n;
    const count = Number(releases);
    const own = cost(counter, releases, law(made));
    const scale = made.delta > 0 ? (Math.sqrt(6 * made.horizon) * own.sensitivity) / gaussianMu(made.epsilon, made.delta)
      : (6 * made.horizon * own.sensitivity) / made.epsilon;
    if (calibration === "tight") return scale * quantile(counter, releases, prime / sums, law(made));
    const live = counter === "tree" ? bitLength(releases) : own.largest;
    return scale * (made.delta > 0 ? Math.sqrt(2 * live * Math.log((2 * sums * count) / prime))
      : chernoff(prime / (sums * count), Math.round(live)));
  }

  function first(holds, most) {
    const powers = [];
    for (let power = 2n; power < most; power *= 2n) powers.push(power);
    powers.push(most);
    let low = 0;
    let high = 0;
    while (high < powers.length && !holds(powers[high])) [low, high] = [high + 1, 2 * high + 1];
    let end = Math.min(high, powers.length);
    while (low < end) {
      const middle = (low + end) >> 1;
      if (holds(powers[middle])) end = middle;
      else low = middle + 1;
    }
    if (low === powers.length) return null;
    let top = powers[low];
    let bottom = top / 2n > 2n ? top / 2n : 2n;
    while (top - bottom > (top / 1000n > 1n ? top / 1000n : 1n)) {
      const middle = (bottom + top) / 2n;
      if (holds(middle)) top = middle;
      else bottom = middle;
    }
    return top;
  }

  /* the first T at which holds(T, E) for the E of a run of T episodes; a certified width is dear, so that of
     `corrected` stands for it, times a factor that is found again at each answer */
  function crossing(made, counter, calibration, holds) {
    let limit = Math.min(2 ** 53, mostReleases(counter, bounds.counters(made)) + 1);
    if (counter === "local" && calibration === "tight" && made.delta === 0) limit = Math.min(limit, MOST_TERMS + 1);
    const most = BigInt(limit);
    const rough = calibration === "tight" ? "corrected" : calibration;
    let share = 1;
    let found = null;
    let own = 0;
    for (let turn = 0; turn < 8; turn++) {
      const factor = share;
      found = first((planned) => holds(planned, factor * width(made, counter, rough, planned)), most);
      const at = found ?? most;
      const near = width(made, counter, rough, at);
      own = calibration === rough ? near : width(made, counter, calibration, at);
      const last = share;
      share = near > 0 ? own / near : 1;
      if (Math.abs(share - last) <= 5e-4 * last) break;
    }
    while (found !== null && !holds(found, own)) {
      found += found / 5000n > 1n ? found / 5000n : 1n;
      own = width(made, counter, calibration, found);
    }
    return found;
  }

  function possible(made) {
    return (planned, E) => {
      const released = Number(planned) + E;
      if (released < 2 * E || released <= 0) return false;
      const ratio = E / released;
      const phi = Math.sqrt((2 * Math.log(Number(planned) / (made.beta / 4))) / Math.max(released - E, 1));
      return (made.horizon + 1) * phi + (1 + made.states * made.horizon) * (3 * ratio + 2 * ratio ** 2) < made.horizon;
    };
  }

  function pucb(made) {
    const { counter, calibration } = made;
    const below = (planned, E) => planned >= 34n && bounds.vietriBound(made, planned, E, made.beta) < made.horizon * Number(planned);
    return {
      start: crossing(made, counter, calibration, possible(made)),
      below_trivial: counter === "none" ? bounds.vietriHorizon(made, Infinity, made.beta)
        : counter === "tree" && made.delta === 0 && calibration !== "tight" ? bounds.vietriHorizon(made, made.epsilon, made.beta, calibration)
          : crossing(made, counter, calibration, below),
    };
  }

  // ---- the rows of each paper, in the order of the command line, and what it says below them

  const each = (agent, counters, calibrations) => counters.flatMap((counter) => calibrations.map((calibration) => ({ agent, counter, calibration })));
  const FREE = ["printed", "tight"];

  const PAPERS = {
    vietri2020: {
      cases(made) {
        const known = PRIVATE.filter((counter) => laws(counter).includes(law(made)));
        const own = known.flatMap((counter) => each("pucb", [counter], counter === "tree" && made.delta === 0 ? CALIBRATIONS : WITH_NOISE));
        const named = (counter) => each(counter === "local" ? "ldp-ucbvi" : "private-ucbvi", [counter], WITH_NOISE);
        return [...each("pucb", ["none"], ["printed"]), ...own, ...each("ucbvi", ["none"], ["tight"]), ...known.flatMap(named),
          ...each("dp-ucbvi", ["none"], ["tight"]), ...each("dp-ucbvi", known, WITH_NOISE)];
      },
      answer: (made) => (made.agent === "pucb" ? pucb : successors.horizon)(made),
      note(made) {
        const printed = privrl.general(Number(bounds.theorem4Horizon(made, made.epsilon, made.beta)), 3);
        const noise = made.delta === 0 ? "delta = 0: counters with Laplace noise; --delta 1e-6 has those with Gaussian noise"
          : "delta > 0: counters with Gaussian noise";
        return `${noise}. The bound is the one proved in place of Theorem 4, with the counter's width. Theorem 4's sum, as ` +
          `printed, is above the trivial H T up to episode ${printed}. Successors (ucbvi, ldp-ucbvi, private-ucbvi, dp-ucbvi): ` +
          "their bonuses, bounds and constants are this repository's own, as those of their papers were not recovered; their start " +
          "is the first at which a count without noise could be enough, PUCB's at which a count with the largest noise could.";
      },
    },
    chowdhury2021: {
      cases: () => [...each("private-ofu-rl", ["tree"], CALIBRATIONS),
        ...each("private-ofu-rl", PRIVATE.filter((counter) => counter !== "tree" && laws(counter).includes("gaussian")), WITH_NOISE)],
      answer: control.horizon,
      note: (made) => `||Q|| = ${control.SCALAR.state_cost}, ||R|| = ${control.SCALAR.control_cost}, C_w = ${control.SCALAR.noise}; before ` +
        "the start every control is 0; the bound is Theorem 3's with proved constants. Its printed lines fall below the trivial " +
        `bound at ${privrl.general(Number(control.lines(made)), 3)}. The other counters are not the paper's: the same bound, with the ` +
        "noise and the norm bounds that they have.",
    },
    liao2021: {
      cases: () => [...each("ucrl-vtr", ["none"], FREE), ...each("ldp-ucrl-vtr", ["local"], CALIBRATIONS),
        ...each("ldp-ucrl-vtr", ["tree", "honaker", "smooth", "sqrt", "blt"], WITH_NOISE)],
      answer: (made) => linear.horizon({ ...made, paper: "liao2021" }),
      note: () => "Theorem 5.2 hides its constants and its proof is not in our copy: the bound is zhou2022's analysis of changing " +
        "regularisers with local noise; features within equation 3.1.",
    },
    zhou2022: {
      cases: () => [...each("linopt-vi", ["none"], FREE), ...each("linopt-vi", ["tree", "local"], CALIBRATIONS),
        ...each("linopt-vi", ["honaker", "smooth", "sqrt", "blt"], WITH_NOISE)],
      answer: (made) => linear.horizon({ ...made, paper: "zhou2022" }),
      note: () => "value iteration, d for transitions and rewards alike; `printed` is the sum of the displayed terms of Theorem " +
        "6.5, the others are the sharper bound of theory/bounds_zhou2022.py.",
    },
  };

  /* the rows of those cases one after another, as a page can show them; all of the paper's without `wanted` */
  function* rows(paper, given = {}, wanted = () => true) {
    const made = setting(paper, given);
    for (const one of PAPERS[paper].cases(made).filter(wanted)) {
      const answer = PAPERS[paper].answer({ ...made, ...one });
      for (const name of ["start", "below_trivial"]) answer[name] = answer[name] === null ? null : Number(answer[name]);
      yield { ...one, ...answer };
    }
  }

  const note = (paper, given = {}) => PAPERS[paper].note(setting(paper, given));
  const cases = (paper, given = {}) => PAPERS[paper].cases(setting(paper, given));

  const means = (paper) => (paper === "liao2021" || paper === "zhou2022" ? "bonuses above all values before episode" : "no learning before episode");

  privrl.horizon = { DEFAULTS, rows, cases, note, means, setting };
})();
