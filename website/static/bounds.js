/* Regret bounds with explicit constants, as theory.bounds, .bounds_vietri2020, .bounds_chowdhury2021, .bounds_liao2021
   and .bounds_zhou2022 have them. Numbers of episodes are BigInt: 2^k and 2^k + 1 must not become the same. */
"use strict";
(() => {
  const { bitLength, chiSquareQuantile, lgamma } = privrl.special;
  const { gaussianMu, controlJoint, require } = privrl.privacy;
  const { sqrt, log, log1p, expm1, exp, min, max } = Math;

  const levels = (releases) => bitLength(releases);

  /* the smallest T > 8 from which on a ratio stays below 1 */
  function lastCrossing(asked) {
    const known = new Map();
    const ratio = (episodes) => {
      if (!known.has(episodes)) known.set(episodes, asked(episodes));
      return known.get(episodes);
    };
    let k = 3n;
    while ([k, k + 1n, k + 2n].some((later) => ratio((1n << later) + 1n) >= 1)) {
      k += 1n;
      require(k < 400n, "a ratio must fall below 1, got exponent=400");
    }
    let low = (1n << (k - 1n)) + 1n;
    let high = 1n << k;
    if (k === 3n || ratio(high) >= 1) return high + 1n;
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (ratio(middle) < 1) high = middle;
      else low = middle;
    }
    return high;
  }

  // ---- vietri2020

  const counters = ({ states: S, actions: A, horizon: H }) => 2 * S * A * H + S * S * A * H;

  function printedWidth(size, episodes, epsilon, beta) {
    return (3 / epsilon) * size.horizon * log(counters(size) / (beta / 4)) * log(Number(episodes)) ** 2.5;
  }

  function treeError(scale, releases, beta) {
    const exponent = log((2 * Number(releases)) / beta);
    return sqrt(8) * scale * sqrt(exponent) * max(sqrt(levels(releases)), sqrt(exponent));
  }

  function vietriWidth(size, episodes, epsilon, beta, calibration) {
    if (calibration === "printed") return printedWidth(size, episodes, epsilon, beta);
    const releases = episodes - 1n;
    return treeError((6 * size.horizon * levels(releases)) / epsilon, releases, beta / 4 / counters(size));
  }

  function vietriTerms(size, T, E, beta, lam) {
    const { states: S, actions: A, horizon: H } = size;
    const pairs = S * A;
    const share = beta / 6;
    const moving = S > 1 && H > 1;
    const kappa = lam !== null && moving ? expm1(lam) / lam : 1;
    const weights = Array.from({ length: H }, (_, h) => kappa ** h);
    const total = weights.reduce((sum, one) => sum + one, 0);
    const earlier = weights.slice(0, -1).reduce((sum, one) => sum + one, 0);
    const L = 2 * log((4 * T) / beta);
    const root = 2 * sqrt(pairs * T);
    const first = max(3 * E, 1);
    const lowest = max(2 * E, 1 - E);
    const ones = E / lowest + E * log(1 + T / (pairs * lowest));
    const squares = (E / lowest) ** 2 + (E * E) / lowest;
    const noise = (3 * (1 + S * H) + 2 + H + S * H) * ones + 2 * (1 + S * H) * squares;
    const union = log((pairs * H * (T - 1)) / share);
    let reach = H;
    if (!moving) reach = H * total;
    else if (lam !== null) reach = weights.reduce((sum, weight, h) => sum + weight * (H - h), 0);
    const deviation = reach * sqrt(union / 2) * root;
    let transitions = 0;
    if (moving && lam !== null) {
      const rate = (S * H * log((S * pairs * (H - 1)) / share)) / lam;
      transitions = earlier * pairs * rate * (1 / first + log(1 + T / (pairs * first)));
    } else if (moving) {
      const subsets = S * Math.LN2 + log(1 - 2 ** (1 - S)) + log((pairs * (H - 1) * (T - 1)) / share);
      transitions = (H - 1) * H * sqrt(subsets / 2) * root;
    }
    const martingale = H * sqrt((T * weights.reduce((sum, one) => sum + one * one, 0) * log(1 / share)) / 2);
    return H * pairs * (3 * E + 1) * total + (H + 1) * sqrt(L) * total * root + deviation + pairs * total * noise +
      transitions + martingale;
  }

  const LAMBDAS = [null, ...Array.from({ length: 41 }, (_, k) => 2 ** (-k / 2))];

  /* the best bound over lambda and total variation */
  function vietriBound(size, episodes, E, beta) {
    const T = Number(episodes);
    const slack = ((counters(size) / (size.states + 2)) * (T - 1) * (beta / 4) ** 3) / T ** 4;
    require(slack <= 1, "SAH (T-1) (beta/4)^3 must be <= T^4");
    return LAMBDAS.reduce((best, lam) => min(best, vietriTerms(size, T, E, beta, lam)), Infinity);
  }

  function vietriHorizon(size, epsilon, beta, calibration) {
    return lastCrossing((T) => {
      const E = epsilon === Infinity ? 0 : vietriWidth(size, T, epsilon, beta, calibration);
      return vietriBound(size, T, E, beta) / (size.horizon * Number(T));
    });
  }

  /* from where the sum behind theorem 4, as printed, stays below H T */
  function theorem4Horizon(size, epsilon, beta) {
    const { states: S, actions: A, horizon: H } = size;
    const below = (episodes) => {
      const T = Number(episodes);
      const E = printedWidth(size, episodes, epsilon, beta);
      const sampling = (H + 1) * sqrt(2 * log((4 * T) / beta)) * sqrt(T * H) * sqrt(S * A * H * log(T));
      const noise = 5 * S * S * A * H * H * E * log(T);
      return H * H * sqrt((T * log(T / beta)) / 2) + sampling + noise + S * A * H * H * E < H * T;
    };
    let [low, high] = [34n, 68n];
    while (!below(high)) {
      require(high < 1n << 1000n, "the bound must fall below H T");
      [low, high] = [high, 2n * high];
    }
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (below(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  // ---- chowdhury2021

  const SCALAR = { state_cost: 0.4, control_cost: 1, noise: 0.15 };

  function lqProblem(made) {
    const size = 1 + made.gamma ** 2;
    return {
      ...SCALAR, states: made.states, controls: made.actions, horizon: made.horizon, gamma: made.gamma, size,
      dimension: made.states + made.actions, value: SCALAR.state_cost * (made.horizon - 1),
      cost: max(SCALAR.state_cost, SCALAR.control_cost), reach: 1 - SCALAR.noise + sqrt(size),
    };
  }

  const meanNorm = (freedom) => Math.SQRT2 * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2));

  function lqRegularity(problem, episodes, epsilon, delta, alpha, calibration) {
    const K = Number(episodes);
    const { dimension: p, states: n, horizon: H, gamma } = problem;
    const m = levels(episodes - 1n);
    let unit = sqrt(8 * log(2 / delta)) / epsilon;
    if (calibration !== "printed") {
      const tight = calibration === "tight";
      problem.changes = problem.changes || {};
      problem.changes[calibration] = problem.changes[calibration] || controlJoint(
        { horizon: H, gamma, states: n, controls: problem.controls, replace: true, commonStart: tight, lastControl: !tight },
        H * (1 + gamma) ** 2, H * (1 + gamma));
      unit = problem.changes[calibration] / gaussianMu(epsilon, delta);
    }
    const scale = unit * sqrt(m) * H;
    const gram = scale * (1 + gamma) ** 2;
    const cross = scale * (1 + gamma);
    let bound;
    let length;
    if (calibration === "tight") {
      bound = gram * sqrt(m) * (2 * meanNorm(p) + sqrt((2 - 1 / p) * 2 * log((8 * (K - 1)) / alpha)));
      length = cross * sqrt(m) * (meanNorm(n * p) + sqrt(2 * log((4 * (K - 1)) / alpha)));
    } else {
      const users = calibration === "printed" ? K : 2 * (K - 1);
      bound = gram * sqrt(m) * (4 * sqrt(p) + sqrt(8 * log((4 * users) / alpha)));
      length = cross * sqrt(m) * (sqrt(2 * n * p) + sqrt(4 * log((2 * users) / alpha)));
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

  function lqVacuity(problem, alpha, epsilon, delta, calibration, form) {
    return lastCrossing((K) => lqBound(problem, K, alpha, lqRegularity(problem, K, epsilon, delta, alpha, calibration), form) /
      lqTrivial(problem, K));
  }

  function lqStart(problem, alpha, epsilon, delta, calibration) {
    return lastCrossing((K) => {
      const regular = lqRegularity(problem, K, epsilon, delta, alpha, calibration);
      const c = (lqRadius(problem, alpha, regular, 0) - regular.nu) ** 2;
      const blind = (c + sqrt(c * c + 4 * c * regular.least)) / 2;
      return (Math.ceil(blind / problem.horizon) + 1) / (Number(K) + 0.5);
    });
  }

  // ---- liao2021 and zhou2022: linear mixtures

  function mixtureWeight(horizon, rewards) {
    let powers = 0;
    for (let left = 0; left < horizon; left++) powers += (left / horizon) ** 4;
    return 4.5 * (powers + (rewards ? horizon : 0));
  }

  function matrixNorm(dimension, K, H, alpha, calibration) {
    const level = log((8 * K * H) / alpha);
    return calibration === "tight" ? 2 * sqrt(dimension) + 2 * sqrt(level) : 4 * sqrt(dimension) + sqrt(8 * level);
  }

  function vectorNorm(dimension, K, H, alpha, calibration) {
    const share = alpha / (4 * K * H);
    return calibration === "tight" ? sqrt(chiSquareQuantile(share, dimension)) : sqrt(dimension) + sqrt(2 * log(1 / share));
  }

  const spread = (scale, H, alpha, d, growth) => scale * sqrt(2 * log(H / alpha) + d * log1p(growth));
  const steps = (H) => Array.from({ length: H }, (_, i) => i + 1);
  const total = (values) => values.reduce((sum, one) => sum + one, 0);

  function bonusSum(cap, beta, K, dimension, growth) {
    if (dimension === 0 || growth === 0) return 0;
    const squares = (cap ** 2 * dimension * log1p(growth)) / log1p((cap / (2 * beta)) ** 2);
    return min(cap * K, sqrt(K * squares));
  }

  /* noise, regularity and widths; `linear` has paper, counter, calibration, dim, horizon, epsilon, delta, beta */
  function linearConstants(linear, episodes) {
    const { paper, counter, calibration, dim: d, horizon: H, epsilon, delta, beta: alpha } = linear;
    const K = Number(episodes);
    const zhou = paper === "zhou2022";
    const phi = zhou ? sqrt(d) : 1;
    const theta = sqrt(d);
    let p = { low: 1, high: 1, nu: 0 };
    let r = p;
    const m = counter === "tree" ? levels(episodes - 1n) : 1;
    const root = counter === "tree" ? sqrt(m) : sqrt(K - 1);
    const regularity = (gram, vector, level) => {
      const shift = gram * root * matrixNorm(d, K, H, level, calibration);
      return { low: shift, high: 3 * shift, nu: (vector * root * vectorNorm(d, K, H, level, calibration)) / sqrt(shift) };
    };
    if (counter !== "none" && zhou) {
      const unit = calibration === "printed" ? (H * sqrt(32 * m * log((4 * H) / delta))) / epsilon
        : sqrt(m * mixtureWeight(H, true)) / gaussianMu(epsilon, delta);
      p = regularity(unit * (phi * H) ** 2, unit * phi * H ** 2, alpha);
      r = regularity(unit, unit, alpha);
    } else if (counter !== "none" && H > 1) {
      const one = (calibration === "printed" ? 4 * H ** 3 * sqrt((2 * log((2.5 * H) / delta)) / epsilon)
        : (H ** 2 * sqrt(mixtureWeight(H, false))) / gaussianMu(epsilon, delta)) * sqrt(m);
      p = regularity(one, one, 2 * alpha);
    }
    const fixed = theta * sqrt(p.high) + p.nu;
    const betas = steps(H).map((h) => {
      const top = calibration === "printed" ? H : H - h;
      return spread(top / 2, H, alpha, d, (K * (phi * top) ** 2) / (d * p.low)) + fixed;
    });
    const betaR = zhou ? spread(0.5, H, alpha, d, K / (d * r.low)) + theta * sqrt(r.high) + r.nu : 0;
    return { K, phi, p, r, betas, betaR };
  }

  function linearBound(linear, episodes) {
    const { paper, calibration, dim: d, horizon: H, beta: alpha } = linear;
    const { K, phi, p, r, betas, betaR } = linearConstants(linear, episodes);
    const rewards = paper === "zhou2022";
    const level = log(1 / alpha);
    if (calibration === "printed") {
      const growth = (K * (phi * H) ** 2) / (d * p.low);
      const first = 2 * max(...betas) * sqrt(K * H) * sqrt(2 * H * d * log1p(growth));
      const second = rewards ? 2 * H * betaR * sqrt(K * H) * sqrt(2 * H * d * log1p(K / (d * r.low))) : 0;
      return first + second + H * sqrt(2 * K * H * level);
    }
    const moves = total(steps(H).map((h) => bonusSum(H - h + 1, betas[h - 1], K, d, (K * (phi * (H - h)) ** 2) / (d * p.low))));
    const gains = rewards ? total(steps(H).map((h) => bonusSum(H - h + 1, betaR, K, d, K / (d * r.low)))) : 0;
    const after = total(steps(H).map((h) => (H - h) ** 2));
    return moves + gains + sqrt((K * after * level) / 2);
  }

  function linearStart(linear, episodes) {
    const { paper, horizon: H } = linear;
    const { K, phi, p, r, betas, betaR } = linearConstants(linear, episodes);
    const seen = K - 1;
    const move = (h) => {
      const ahead = phi * (H - h);
      return ahead > 0 ? (betas[h - 1] * ahead) / sqrt(seen * ahead ** 2 + p.high) : 0;
    };
    if (paper === "liao2021") return min(...steps(H - 1).map((h) => move(h) / (H - h)));
    return min(...steps(H).map((h) => (move(h) + betaR / sqrt(seen + r.high)) / (H - h + 1)));
  }

  privrl.bounds = {
    lastCrossing, counters, printedWidth, vietriBound, vietriHorizon, theorem4Horizon,
    lqProblem, lqVacuity, lqStart, linearBound, linearStart,
  };
})();
