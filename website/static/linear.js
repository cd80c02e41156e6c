/* Regret bounds for linear mixtures with explicit constants, as theory.bounds_liao2021 and .bounds_zhou2022 have them. */
"use strict";
(() => {
  const { bitLength, chiSquareQuantile, meanNorm } = privrl.special;
  const { gaussianMu } = privrl.privacy;
  const { SLACK, mostReleases, cost } = privrl.counters;
  const { lastCrossing } = privrl.bounds;
  const { sqrt, log, log1p, min, max } = Math;

  function mixtureWeight(horizon, rewards) {
    let powers = 0;
    for (let left = 0; left < horizon; left++) powers += (left / horizon) ** 4;
    return 4.5 * (powers + (rewards ? horizon : 0));
  }

  const normQuantile = (dimension, share) => sqrt(chiSquareQuantile(share, dimension));

  function matrixNorm(dimension, K, H, alpha, calibration) {
    const level = log((8 * K * H) / alpha);
    if (calibration !== "tight") return 4 * sqrt(dimension) + sqrt(8 * level);
    if (dimension === 1) return normQuantile(1, alpha / (4 * K * H));
    return 2 * meanNorm(dimension) + sqrt((2 - 1 / dimension) * 2 * level);
  }

  function vectorNorm(dimension, K, H, alpha, calibration) {
    const share = alpha / (4 * K * H);
    return calibration === "tight" ? normQuantile(dimension, share) : sqrt(dimension) + sqrt(2 * log(1 / share));
  }

  const spread = (scale, H, alpha, d, growth) => scale * sqrt(2 * log(H / alpha) + d * log1p(growth));
  const steps = (H) => Array.from({ length: H }, (_, i) => i + 1);
  const total = (values) => values.reduce((sum, one) => sum + one, 0);

  function bonusSum(cap, beta, K, dimension, growth) {
    if (dimension === 0 || growth === 0) return 0;
    const squares = (cap ** 2 * dimension * log1p(growth)) / log1p((cap / (2 * beta)) ** 2);
    return min(cap * K, sqrt(K * squares));
  }

  /* squared sensitivity and largest variance; for the tree both are its levels */
  function released(counter, episodes) {
    if (counter === "none" || counter === "local") return [1, Number(episodes - 1n)];
    if (counter === "tree") return Array(2).fill(bitLength(episodes - 1n));
    const made = cost(counter, episodes - 1n, "gaussian");
    return [made.sensitivity ** 2, made.largest * (1 + SLACK)];
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
    const [m, live] = released(counter, episodes);
    const root = sqrt(live);
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

  /* last crossings, for other counters than the papers' within what they can serve */
  function horizon(linear) {
    const { paper, counter, dim: d, horizon: H } = linear;
    const most = BigInt(mostReleases(counter, ((paper === "zhou2022" ? 2 : 1) * H * d * (d + 3)) / 2) + 1);
    const crossing = (ratio) => {
      if (["none", "local", "tree"].includes(counter)) return lastCrossing(ratio);
      return ratio(most) < 1 ? lastCrossing((K) => ratio(K < most ? K : most)) : null;
    };
    return {
      start: crossing((K) => linearStart(linear, K)), below_trivial: crossing((K) => linearBound(linear, K) / (H * Number(K))),
    };
  }

  privrl.linear = { horizon };
})();
