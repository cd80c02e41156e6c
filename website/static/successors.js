/* Widths and regret bounds of the successors of PUCB over any counter, as privrl.agents.private_ucbvi and .dp_ucbvi,
   privrl.horizon_successors and theory.bounds_successors have them. Numbers of episodes are doubles, at most 2^53. */
"use strict";
(() => {
  const { gaussianMu } = privrl.privacy;
  const { MOST_TERMS } = privrl.tails;
  const { mostReleases, cost, quantile, several } = privrl.counters;
  const { falling } = privrl.bounds;
  const { sqrt, log, min, max, floor, ceil } = Math;
  const BLOCKS = [1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5];
  const FEW = 20;
  const GROWTH = 1.0005;
  const sum = (values) => values.reduce((total, one) => total + one, 0);

  /* at level 2 q, each of the live draws' sums: an error in closed form */
  const chernoff = (beta, terms) => sqrt(8 * log(2 / beta)) * max(sqrt(terms), sqrt(log(2 / beta)));

  function elementary(made, releases, level) {
    return made.law === "gaussian" ? sqrt(2 * made.largest * log((2 * releases) / level)) : chernoff(level / releases, Math.round(made.largest));
  }

  function blocks(number, visits, level) {
    let best = null;
    for (const eta of BLOCKS) {
      const ends = ceil(log(visits) / log(eta)) + 2;
      const one = [eta, log((number * ends) / level)];
      if (best === null || one[0] * one[1] < best[0] * best[1]) best = one;
    }
    return best;
  }

  function hoeffding(number, visits, level, tight) {
    const single = log((number * visits) / level);
    if (!tight) return single;
    const [eta, logarithm] = blocks(number, visits, level);
    return min(single, eta * logarithm);
  }

  const law = (agent) => (agent.delta > 0 ? "gaussian" : "laplace");
  const costOf = (agent, planned) => cost(agent.counter, BigInt(planned - 1), law(agent));
  const quantileOf = (agent, planned, level) => quantile(agent.counter, BigInt(planned - 1), level, law(agent));
  const scaleOf = (agent, made, l1, l2) =>
    (made.law === "gaussian" ? (l2 * made.sensitivity) / gaussianMu(agent.epsilon, agent.delta) : (l1 * made.sensitivity) / agent.epsilon);

  // ---- private UCBVI

  function privateWidths(agent, planned) {
    const { states: S, actions: A, horizon: H, beta } = agent;
    const pairs = S * A * H;
    const tight = agent.calibration === "tight";
    const lengths = Array.from({ length: H }, (_, h) => H - h);
    const most = hoeffding(pairs, planned, beta / 2, tight);
    const factors = lengths.map((c) => c * sqrt(most / 2));
    if (agent.counter === "none") return { scale: 0, ratios: lengths.map(() => 1), widths: lengths.map(() => 0), surplus: 0, factors };
    const made = costOf(agent, planned);
    const releases = planned - 1;
    const level = beta / 4 / pairs;
    const change = (ratios) => [2 * sum(ratios.map((one) => 1 + 1 / one)), sqrt(2 * sum(ratios.map((one) => 1 + 1 / one ** 2)))];
    if (!tight) {
      const ratios = lengths.map(() => 1);
      const scale = scaleOf(agent, made, ...change(ratios));
      const error = scale * elementary(made, releases, (2 * level) / (1 + S));
      return { scale, ratios, widths: lengths.map((c) => (1 + S * c) * error), surplus: S * error, factors };
    }
    if (made.law === "gaussian") {
      const spreads = lengths.map((c) => (S - 1) * c * c + 1);
      const ratios = spreads.map((spread) => spread ** 0.25);
      const scale = scaleOf(agent, made, ...change(ratios));
      const error = scale * quantileOf(agent, planned, level);
      return { scale, ratios, widths: spreads.map((spread, h) => error * sqrt(ratios[h] ** 2 + spread)), surplus: error * sqrt(S), factors };
    }
    const scale = scaleOf(agent, made, ...change(lengths));
    const error = scale * several(agent.counter, BigInt(releases), S + 1, level);
    return {
      scale, ratios: lengths, widths: lengths.map((c) => c * error), factors,
      surplus: scale * several(agent.counter, BigInt(releases), S, level),
    };
  }

  // ---- DP-UCBVI

  function dpWidths(agent, planned) {
    const { states: S, actions: A, horizon: H, beta } = agent;
    const sums = 2 * S * A * H + S * S * A * H;
    const pairs = S * A * H;
    const tight = agent.calibration === "tight";
    const single = log((pairs * planned) / (beta / 6));
    let [eta, logarithm] = tight ? blocks(pairs, planned, beta / 6) : [1, single];
    if (eta * logarithm > single) [eta, logarithm] = [1, single];
    const deviation = sqrt(2 * eta * logarithm);
    const share = FEW / (FEW - 1);
    const plain = deviation * (sqrt(2 * single * share) + sqrt(share) / 2) + logarithm / 3;
    const reward = sqrt(hoeffding(pairs, planned, beta / 6, tight) / 2);
    if (agent.counter === "none") return { error: 0, reward, deviation, constant: max(plain, FEW) };
    const made = costOf(agent, planned);
    const scale = scaleOf(agent, made, 6 * H, sqrt(6 * H));
    const level = beta / 2 / sums;
    const error = scale * (tight ? quantileOf(agent, planned, level) : elementary(made, planned - 1, level));
    return { error, reward, deviation, constant: max(plain + deviation * sqrt(2 * error * (S - 1)), FEW) + error * (S + 3) };
  }

  // ---- where they start, and their bounds

  function slack(agent, planned) {
    const { horizon: H } = agent;
    const caps = Array.from({ length: H }, (_, h) => H - h);
    if (agent.agent !== "dp-ucbvi") {
      const ours = privateWidths(agent, planned);
      const root = sqrt(planned + ours.surplus);
      return max(...caps.map((_, h) => 1 - (ours.widths[h] + ours.factors[h] * root) / planned));
    }
    const theirs = dpWidths(agent, planned);
    const n = planned + 2 * theirs.error;
    return max(...caps.map((cap) => 1 - (theirs.reward * sqrt(n) + 5 * theirs.error + (theirs.deviation ** 2 + theirs.constant) * (cap - 1)) / n));
  }

  /* how much Q+ exceeds r + P V+ after n visits at step h */
  function excess(agent, episodes) {
    const { states: S, actions: A, horizon: H, beta } = agent;
    const pairs = S * A * H;
    const sampling = log((3 * pairs * episodes) / beta) + S * Math.LN2;
    if (agent.agent !== "dp-ucbvi") {
      const ours = privateWidths(agent, episodes);
      const { surplus } = ours;
      const error = agent.counter === "none" ? 0 : ours.scale * quantileOf(agent, episodes, beta / 3 / (pairs * (1 + S)));
      const bound = (h, n) => {
        const c = H - h;
        const over = max(n - surplus, 0);
        if (over === 0) return c;
        const seen = over + surplus;
        const total = c * sqrt((seen * sampling) / 2) + ours.factors[h] * sqrt(seen + 2 * surplus) + ours.widths[h] +
          (ours.ratios[h] + S * (c - 1)) * error + c * surplus;
        return min(c, total / over);
      };
      return { bound, free: floor(surplus) };
    }
    const { error: e, deviation: a, reward, constant } = dpWidths(agent, episodes);
    const bound = (h, n) => {
      const c = H - h;
      const k = c - 1;
      if (n === 0) return c;
      const total = c * sqrt((n * sampling) / 2) + reward * sqrt(n + 4 * e) + 6 * e +
        max((a * sqrt(n + 4 * e) * k) / 2, a * a * k) + (constant + e * (S + 3)) * k;
      return min(c, total / n);
    };
    return { bound, free: 0 };
  }

  function regret(agent, episodes) {
    const { states: S, actions: A, horizon: H, beta } = agent;
    const { bound, free } = excess(agent, episodes);
    const visits = ceil(episodes / (S * A));
    let total = 0;
    for (let n = 0; n < visits;) {
      const next = min(visits, max(n + 1, n < free ? free : floor(n * GROWTH)));
      for (let h = 0; h < H; h++) total += (next - n) * bound(h, n);
      n = next;
    }
    return S * A * total + ((H * (H + 1)) / 2) * sqrt((episodes * log(3 / beta)) / 2);
  }

  /* agent: agent, counter, calibration, epsilon, delta, beta, states, actions, horizon */
  function horizon(agent) {
    const { states: S, actions: A, horizon: H, counter } = agent;
    const walk = counter === "local" && agent.delta === 0;
    let limit = min(2 ** 53, mostReleases(counter, 2 * S * A * H + S * S * A * H) + 1);
    if (walk && agent.calibration === "tight") limit = min(limit, floor(MOST_TERMS / (S + 1)));
    const start = falling((planned) => 1 - slack(agent, planned), limit);
    const most = walk ? min(limit, MOST_TERMS + 1) : limit;
    const guess = (start ?? most) * (counter === "local" ? 1e4 : 200);
    return { start, below_trivial: falling((planned) => regret(agent, planned) / (H * planned), most, guess, -0.6) };
  }

  privrl.successors = { horizon, slack, regret };
})();
