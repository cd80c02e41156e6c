/* PUCB's regret bounds with explicit constants, as theory.bounds and .bounds_vietri2020 have them, and where a ratio falls
   below 1. Numbers of episodes are BigInt: 2^k and 2^k + 1 must not become the same. */
"use strict";
(() => {
  const { bitLength } = privrl.special;
  const { require } = privrl.privacy;
  const { sqrt, log, expm1, exp, min, max } = Math;

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

  /* An episode in 2..most, a number, at which a ratio falls below 1, rounded up by less than a thousandth; null: none. By
     secants between logarithms inside a bracket: few evaluations if the ratio is about a power. */
  function falling(ratio, most, guess = 1024, start = -1) {
    const logarithm = (at) => min(max(log(max(ratio(at), 1e-300)), -50), 50);
    let low = null;
    let high = null;
    let slope = start;
    let at = min(max(guess, 2), most);
    for (let turn = 0; turn < 200; turn++) {
      const value = logarithm(at);
      const old = low ?? high;
      if (old !== null && old[0] !== at) slope = min(max((value - old[1]) / log(at / old[0]), -1.5), -0.3);
      if (value < 0) high = [at, value];
      else low = [at, value];
      if (high !== null && high[0] <= 2) return high[0];
      if (low !== null && low[0] >= most) return null;
      if (low === null || high === null) {
        const aim = Math.round(at * exp(-value / slope) * (low !== null ? 1.03 : 0.97));
        at = low !== null ? min(max(aim, at + 1), most) : max(min(aim, at - 1), 2);
        continue;
      }
      if (high[0] - low[0] <= max(1, Math.floor(high[0] / 1000))) return high[0];
      let aim = low[0] * (high[0] / low[0]) ** (turn < 12 ? low[1] / (low[1] - high[1]) : 0.5);
      if (aim > high[0] * (1 - 1.5e-3)) aim = high[0] - Math.floor(high[0] / 1000);
      else if (aim < low[0] * (1 + 1.5e-3)) aim = low[0] + Math.floor(low[0] / 1000);
      else aim *= 1 + 4e-4;
      at = min(max(Math.round(aim), low[0] + 1), high[0] - 1);
    }
    return high !== null ? high[0] : null;
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

  privrl.bounds = { lastCrossing, falling, counters, printedWidth, vietriBound, vietriHorizon, theorem4Horizon };
})();
