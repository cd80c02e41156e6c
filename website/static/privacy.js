/* The exact privacy of the papers' noise, as privrl.privacy.accounting, .sensitivity and .noise compute it. */
"use strict";
(() => {
  const { UNIT, neighbour, ulp, erfcx, erfc, root, legendre, bitLength } = privrl.special;
  const LEAST_DELTA = 1e-290;
  const RULE = legendre(10);

  class Refusal extends Error {}

  function require(fits, sentence) {
    if (!fits) throw new Refusal(sentence);
  }

  const up = (value, roundings = 4) => neighbour(value * (1 + 2 * roundings * UNIT), 1);

  // ---- the Gaussian mechanism

  const mills = (z) => Math.sqrt(Math.PI / 2) * erfcx(z / Math.SQRT2);

  function millsSlope(z) {
    if (z <= 3) return 1 - z * mills(z);
    let rest = z;
    for (let depth = 64; depth > 1; depth--) rest = z + depth / rest;
    const tail = 1 / rest;
    return tail / (z + tail);
  }

  /* delta(epsilon; mu), rounded up */
  function gaussianCurve(epsilon, mu) {
    const quotient = epsilon / mu;
    const a = Math.min(quotient - mu / 2, 1e3);
    const b = Math.min(quotient + mu / 2, 1e300);
    if (a >= 40) return LEAST_DELTA;
    const density = Math.exp((-a * a) / 2) / Math.sqrt(2 * Math.PI);
    const left = erfc(a / Math.SQRT2) / 2;
    const right = density * mills(b);
    let value = left - right;
    if (right > 0.9 * left) {
      value = 0;
      for (let k = 0; k < RULE.nodes.length; k++) {
        const z = Math.min(Math.max(a + mu * ((RULE.nodes[k] + 1) / 2), -40), 1e3);
        value += millsSlope(z) * (RULE.weights[k] / 2);
      }
      value *= density * mu;
    }
    const slack = UNIT * (512 + 4 * (1 + Math.max(a, 0)) * (Math.min(quotient, 1e200) + Math.abs(a)));
    return Math.min(Math.max(value * (1 + slack), LEAST_DELTA), 1);
  }

  function safe(curve, delta, unsafe, good, outward) {
    let found = root((x) => Math.log(curve(x)) - Math.log(delta), unsafe, good);
    let step = ulp(found);
    while (curve(found) > delta) {
      found += outward * step;
      step *= 2;
    }
    return found;
  }

  /* the largest mu that is (epsilon, delta)-private */
  const known = new Map();
  function gaussianMu(epsilon, delta) {
    const key = `${epsilon},${delta}`;
    if (!known.has(key)) {
      let low = 1;
      let high = 1;
      while (gaussianCurve(epsilon, low) > delta) low /= 4;
      while (gaussianCurve(epsilon, high) <= delta) high *= 4;
      known.set(key, safe((mu) => gaussianCurve(epsilon, mu), delta, high, low, -1));
    }
    return known.get(key);
  }

  /* the smallest epsilon of a release with that mu */
  function gaussianEpsilon(delta, mu) {
    if (delta <= 2 * LEAST_DELTA) return Infinity;
    if (gaussianCurve(0, mu) <= delta) return 0;
    let high = mu * (mu / 2 + 1);
    while (gaussianCurve(high, mu) > delta) high *= 2;
    return safe((epsilon) => gaussianCurve(epsilon, mu), delta, 0, high, 1);
  }

  // ---- how far one user moves what is released

  /* phi phi' and phi y of one step together, in units of their noise */
  function featuresJoint(size, bound, sigmaGram, sigmaCross, replace) {
    const gram = 1 / sigmaGram ** 2;
    const cross = 1 / sigmaCross ** 2;
    if (!replace) return Math.sqrt(gram * size ** 4 + cross * size ** 2 * bound ** 2);
    const meeting = Math.min(size ** 2, (bound ** 2 * cross) / (2 * gram));
    return Math.sqrt(2 * gram * (size ** 4 - meeting ** 2) + 2 * cross * bound ** 2 * (size ** 2 + meeting));
  }

  /* both sums of chowdhury2021, gram in the released norm; an upper bound */
  function controlJoint(made, sigmaGram, sigmaCross) {
    const { horizon, gamma, states, controls, replace, commonStart = false, lastControl = true } = made;
    const bounds = Array(horizon).fill(gamma);
    if (!lastControl) bounds[horizon - 1] = 0;
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const cross = (replace ? 2 : 1) * Math.hypot(horizon, sum(bounds));
    const moved = replace && commonStart ? bounds.slice(1) : bounds;
    const outer = replace && states > 1 ? Math.SQRT2 : 1;
    const inner = controls > 1 ? outer : 1;
    const beside = (inner * sum(moved)) ** 2;
    const gram = Math.sqrt((outer * moved.length) ** 2 + beside + (inner * sum(moved.map((one) => one * one))) ** 2);
    const weights = [1 / sigmaGram ** 2, 1 / sigmaCross ** 2];
    const apart = Math.sqrt(weights[0] * gram ** 2 + weights[1] * cross ** 2);
    if (!replace) return apart;
    let total = 0;
    bounds.forEach((bound, step) => {
      const size = 1 + bound ** 2;
      if (step === 0 && commonStart) {
        total += Math.sqrt(weights[1] * 4 * size);
        return;
      }
      const corner = Math.SQRT2 * bound;
      const early = Math.min(corner, weights[1] / weights[0]);
      const late = Math.min(Math.max(corner, weights[1] / (2 * weights[0])), size);
      const first = 2 * (size ** 2 - corner ** 2 / 2) - (corner ? early ** 2 : 0);
      const second = 2 * (size ** 2 - late ** 2);
      total += Math.sqrt(Math.max(weights[0] * first + weights[1] * 2 * (size + early),
        weights[0] * second + weights[1] * 2 * (size + late)));
    });
    return Math.min(total, apart);
  }

  // ---- what each paper prints and what its claim needs

  const DEFAULTS = {
    vietri2020: { epsilon: 1, delta: 0, horizon: 3, episodes: 1e6, states: 3, actions: 2, dimension: 1, gamma: 1 },
    chowdhury2021: { epsilon: 1, delta: 1e-6, horizon: 5, episodes: 1e6, states: 2, actions: 1, dimension: 3, gamma: 0.5 },
    liao2021: { epsilon: 1, delta: 0.1, horizon: 6, episodes: 1e4, states: 3, actions: 2, dimension: 4, gamma: 1 },
    zhou2022: { epsilon: 1, delta: 1e-6, horizon: 10, episodes: 1e5, states: 3, actions: 2, dimension: 4, gamma: 1 },
  };
  const PAPERS = Object.keys(DEFAULTS);

  function checked(made, whole, real) {
    for (const name of real) {
      require(Number.isFinite(made[name]) && made[name] > 0, `${name} must be > 0 and finite, got ${name}=${made[name]}`);
    }
    for (const [name, least] of Object.entries(whole)) {
      require(Number.isInteger(made[name]), `${name} must be a whole number, got ${name}=${made[name]}`);
      require(made[name] >= least, `${name} must be >= ${least}, got ${name}=${made[name]}`);
      require(made[name] <= 2 ** 53, `${name} must be <= 2^53 here, got ${name}=${made[name]}`);
    }
    require(made.delta >= 0 && made.delta < 1, `delta must be in [0, 1), got delta=${made.delta}`);
    require(made.delta === 0 || made.delta >= 1e-280, `delta must be >= 1e-280, got delta=${made.delta}`);
    return made;
  }

  function setting(paper, given) {
    require(PAPERS.includes(paper), `paper must be one of ${PAPERS.join(", ")}, got paper=${paper}`);
    const made = checked({ ...DEFAULTS[paper], adjacency: "replace", ...given },
      { horizon: 1, episodes: 2, states: 1, actions: 1, dimension: 1 }, ["epsilon", "gamma"]);
    require(["replace", "add-remove"].includes(made.adjacency), `adjacency must be one of replace, add-remove, got adjacency=${made.adjacency}`);
    require(made.horizon <= 1e6, `horizon must be <= 10^6 here, got horizon=${made.horizon}`);
    require(paper === "vietri2020" || made.delta > 0, `${paper} claims (epsilon, delta): delta must be in (0, 1), got delta=${made.delta}`);
    return made;
  }

  function gaussian(made, printed, mu, note) {
    const factor = mu / gaussianMu(made.epsilon, made.delta);
    const scales = Object.entries(printed).map(([name, value]) => ({ name, law: "gaussian", printed: value, smallest: value * factor }));
    return { scales, real_epsilon: gaussianEpsilon(made.delta, mu), factor, note };
  }

  const NOISES = {
    vietri2020(made) {
      const levels = bitLength(made.episodes - 1);
      const printed = ((3 * made.horizon) / made.epsilon) * Math.log(made.episodes);
      const replace = made.adjacency === "replace";
      const change = (replace && made.states > 1 ? 6 : replace ? 1 : 3) * made.horizon;
      const real = up((levels * change) / printed);
      const smallest = up((levels * change) / made.epsilon, 2);
      const note = `counters n, r, m together, l1 change ${privrl.general(change)}, ${levels} levels; log read as ` +
        "natural; pure differential privacy, whatever delta";
      return { scales: [{ name: "b", law: "laplace", printed, smallest }], real_epsilon: real, factor: smallest / printed, note };
    },
    chowdhury2021(made) {
      const levels = bitLength(made.episodes - 1);
      const base = Math.sqrt(8 * levels * Math.log(2 / made.delta)) / made.epsilon;
      const one = made.horizon * (1 + made.gamma) ** 2 * base;
      const two = made.horizon * (1 + made.gamma) * base;
      const change = controlJoint({ ...made, controls: made.actions, replace: made.adjacency === "replace" }, one, two);
      return gaussian(made, { sigma_1: one, sigma_2: two }, Math.sqrt(levels) * change,
        `both trees together, ${levels} levels; an upper bound on the joint change, which explicit users come near; ` +
        "|x| <= 1 and |u| <= gamma taken for granted");
    },
    liao2021(made) {
      const sigma = 4 * made.horizon ** 3 * Math.sqrt((2 * Math.log((2.5 * made.horizon) / made.delta)) / made.epsilon);
      let squares = 0;
      for (let left = made.horizon - 1; left > 0; left--) squares += featuresJoint(left, left, 1, 1, made.adjacency === "replace") ** 2;
      require(squares > 0, "the message of one step holds no data: horizon must be >= 2 for liao2021, got horizon=1");
      return gaussian(made, { sigma }, Math.sqrt(squares) / sigma,
        "one user's whole message; features within equation-3.1 and 0 <= V_{h+1} <= H - h, which algorithm 1 clips " +
        "from above only");
    },
    zhou2022(made) {
      const levels = bitLength(made.episodes - 1);
      const base = (made.horizon / made.epsilon) * Math.sqrt(32 * levels * Math.log((4 * made.horizon) / made.delta));
      const printed = {
        sigma_p1: base * made.dimension * made.horizon ** 2,
        sigma_p2: base * Math.sqrt(made.dimension) * made.horizon ** 2,
        sigma_r1: base,
        sigma_r2: base,
      };
      const replace = made.adjacency === "replace";
      const size = Math.sqrt(Math.max(made.dimension, 2));
      let squares = 0;
      for (let left = made.horizon - 1; left >= 0; left--) {
        if (left > 0) squares += featuresJoint(size * left, left, printed.sigma_p1, printed.sigma_p2, replace) ** 2;
        squares += featuresJoint(1, 1, base, base, replace) ** 2;
      }
      return gaussian(made, printed, Math.sqrt(levels) * Math.sqrt(squares),
        `all ${4 * made.horizon} trees together, ${levels} levels; log K read to base 2`);
    },
  };

  /* printed noise, real privacy and smallest noise of a paper; given: what differs from the default setting */
  function noise(paper, given = {}) {
    const made = setting(paper, given);
    return { paper, setting: made, ...NOISES[paper](made) };
  }

  // ---- numbers as the command line prints them

  /* Python's format(value, ".{digits}g") */
  privrl.general = (value, digits = 6) => {
    if (value === Infinity) return "inf";
    if (value === 0) return "0";
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    const exponent = Number(power);
    const bare = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
    if (exponent < -4 || exponent >= digits) {
      return `${bare(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    }
    return bare(value.toFixed(Math.max(digits - 1 - exponent, 0)));
  };

  /* to four significant digits, rounded up: a guarantee may not shrink when it is printed */
  privrl.upward = (value, digits = 4) => {
    if (!Number.isFinite(value) || value === 0) return privrl.general(value);
    const exponent = Math.floor(Math.log10(Math.abs(value))) - digits + 1;
    const [mantissa, power] = value.toExponential(40).split("e"); // 41 digits: more than a double of this size differs by
    const digitsOf = BigInt(mantissa.replace(".", ""));
    const shift = 40 - (Number(power) - exponent);
    const unit = 10n ** BigInt(shift);
    const whole = (digitsOf + unit - 1n) / unit;
    if (exponent >= 0) return (whole * 10n ** BigInt(exponent)).toString();
    const text = whole.toString().padStart(1 - exponent, "0");
    return `${text.slice(0, exponent)}.${text.slice(exponent)}`;
  };

  privrl.privacy = { Refusal, require, DEFAULTS, PAPERS, checked, noise, gaussianCurve, gaussianMu, gaussianEpsilon, featuresJoint, controlJoint };
})();
