/* Regret bounds of Private-OFU-RL with explicit constants, as theory.bounds_chowdhury2021 has them. */
"use strict";
(() => {
  const { bitLength, meanNorm, normTail, root } = privrl.special;
  const { gaussianMu, controlJoint } = privrl.privacy;
  const { mostReleases, cost, treeGroups } = privrl.counters;
  const { lastCrossing, falling } = privrl.bounds;
  const { sqrt, log, log1p, exp, min, max } = Math;

  const SCALAR = { state_cost: 0.4, control_cost: 1, noise: 0.15 };

  function lqProblem(made) {
    const size = 1 + made.gamma ** 2;
    return {
      ...SCALAR, states: made.states, controls: made.actions, horizon: made.horizon, gamma: made.gamma, size,
      dimension: made.states + made.actions, value: SCALAR.state_cost * (made.horizon - 1),
      cost: max(SCALAR.state_cost, SCALAR.control_cost), reach: 1 - SCALAR.noise + sqrt(size),
    };
  }

  /* the x with sum of numbers times tail(x / deviation) = level, the tails falling */
  function union(tail, { variances, numbers }, level) {
    let deviations = Float64Array.from(variances, Math.sqrt);
    let counts = numbers;
    const excess = (x) => {
      let sum = 0;
      for (let i = 0; i < deviations.length; i++) sum += counts[i] * tail(x / deviations[i]);
      return log(max(sum * (1 + 1e-9), 1e-300)) - log(level);
    };
    let high = deviations.reduce((most, one) => max(most, one), 0);
    let low = 0;
    while (excess(high) > 0) {
      const least = (level * 1e-18) / deviations.length; // what is less than that here is so at every larger x
      const kept = deviations.map((one, i) => counts[i] * tail(high / one) > least);
      [deviations, counts] = [deviations, counts].map((values) => values.filter((_, i) => kept[i]));
      [low, high] = [high, 1.5 * high];
    }
    return root(excess, low, high, 1e-13 * high);
  }

  function operatorTail(size) {
    if (size === 1) return (x) => normTail(x, 1);
    const [twice, spread] = [2 * meanNorm(size), 2 * (2 - 1 / size)];
    return (x) => min(1, 2 * exp(-(max(x - twice, 0) ** 2) / spread));
  }

  /* Assumption 2 over a counter; its releases have the variances of `groups`, the largest of them is `live` */
  function lqRegularity(problem, episodes, { epsilon, delta, beta, calibration, counter }) {
    const K = Number(episodes);
    const { dimension: p, states: n, horizon: H, gamma } = problem;
    const tight = calibration === "tight";
    let nodes = bitLength(episodes - 1n);
    let live = nodes;
    let groups = null;
    if (counter !== "tree") {
      groups = cost(counter, episodes - 1n, "gaussian");
      nodes = groups.sensitivity ** 2;
      live = groups.largest;
    } else if (tight) groups = treeGroups(episodes - 1n);
    let unit = sqrt(8 * log(2 / delta)) / epsilon;
    if (calibration !== "printed") {
      problem.changes = problem.changes || {};
      problem.changes[calibration] = problem.changes[calibration] || controlJoint(
        { horizon: H, gamma, states: n, controls: problem.controls, replace: true, commonStart: tight, lastControl: !tight },
        H * (1 + gamma) ** 2, H * (1 + gamma));
      unit = problem.changes[calibration] / gaussianMu(epsilon, delta);
    }
    const scale = unit * sqrt(nodes) * H;
    const gram = scale * (1 + gamma) ** 2;
    const cross = scale * (1 + gamma);
    let bound;
    let length;
    if (tight) {
      bound = gram * union(operatorTail(p), groups, beta / 4);
      length = cross * union((x) => normTail(x, n * p), groups, beta / 4);
    } else {
      const users = calibration === "printed" ? K : 2 * (K - 1);
      bound = gram * sqrt(live) * (4 * sqrt(p) + sqrt(8 * log((4 * users) / beta)));
      length = cross * sqrt(live) * (sqrt(2 * n * p) + sqrt(4 * log((2 * users) / beta)));
    }
    return { least: bound, most: 3 * bound, nu: length / sqrt(bound) };
  }

  const logDeterminant = (p, vectors, norm, least) => p * log1p((vectors * norm ** 2) / (p * least));
  const batch = (value) => (value > 0 ? value / log1p(value) : 1);

  function lqRadius(problem, alpha, regular, ratio) {
    return problem.noise * sqrt(2 * log(2 / alpha) + problem.states * ratio) + sqrt(regular.most) + regular.nu;
  }

  function lqBound(problem, episodes, alpha, regular, form) {
    const K = Number(episodes);
    const { horizon: H, dimension: p, gamma } = problem;
    const level = log(2 / alpha);
    if (form === "printed") {
      const D = max(1, problem.cost * H);
      const ratio = logDeterminant(p, K * H, 1 + gamma, regular.least);
      const root = sqrt(2 * K * H * level);
      const outer = 4 * D ** 2 * (1 + gamma) ** 2 * H * sqrt(K * ratio);
      return problem.cost * problem.size * H * root + 2 * D * root + outer * lqRadius(problem, alpha, regular, ratio);
    }
    const ratio = logDeterminant(p, K * H, sqrt(problem.size), regular.least);
    const released = p * log((regular.most + ((K - 1) * H * problem.size) / p) / regular.least);
    const beta = lqRadius(problem, alpha, regular, released);
    const squares = ((H - 1) * H * (2 * H - 1)) / 6;
    const byStep = problem.state_cost + gamma ** 2 * problem.control_cost;
    const cost = byStep * sqrt((K * squares * level) / 2);
    const prediction = min(problem.state_cost * sqrt(squares), problem.value * sqrt(H - 1)) * sqrt((K * level) / 2);
    const first = sqrt(problem.value * (H - 1) * K) * problem.reach;
    const kappa = ((H - 1) * problem.size) / regular.least;
    const second = 2 * sqrt(problem.value * ratio) *
      min(beta * sqrt(batch(kappa)), max(beta, problem.reach / 2) * sqrt(batch(H - 1)));
    return cost + prediction + first * second;
  }

  function lqTrivial(problem, episodes) {
    return Number(episodes) * (problem.horizon - 1) * (problem.state_cost + problem.gamma ** 2 * problem.control_cost);
  }

  function lqStart(problem, episodes, alpha, regular) {
    const c = (lqRadius(problem, alpha, regular, 0) - regular.nu) ** 2;
    const blind = (c + sqrt(c * c + 4 * c * regular.least)) / 2;
    return (Math.ceil(blind / problem.horizon) + 1) / (Number(episodes) + 0.5);
  }

  /* made: counter, calibration, epsilon, delta, beta, states, actions, horizon, gamma */
  function ratios(made, form) {
    const problem = lqProblem(made);
    const regular = (K) => lqRegularity(problem, K, made);
    return {
      start: (K) => lqStart(problem, K, made.beta, regular(K)),
      below: (K) => lqBound(problem, K, made.beta, regular(K), form) / lqTrivial(problem, K),
    };
  }

  function horizon(made) {
    const { start, below } = ratios(made, "proved");
    if (made.counter === "tree") return { start: lastCrossing(start), below_trivial: lastCrossing(below) };
    const p = made.states + made.actions;
    const most = min(2 ** 53, mostReleases(made.counter, (p * (p + 1)) / 2 + p * made.states) + 1);
    const at = (ratio) => (K) => ratio(BigInt(K));
    return { start: falling(at(start), most), below_trivial: falling(at(below), most, 2 ** 20, -0.6) };
  }

  /* the printed lines with the printed noise */
  const lines = (made) => lastCrossing(ratios({ ...made, counter: "tree", calibration: "printed" }, "printed").below);

  privrl.control = { SCALAR, horizon, lines };
})();
