/* What every counter costs, as privrl.privacy.mechanisms has it: sensitivity, largest variance, and groups of releases
   with their variances, for the union over releases. Numbers of releases are BigInt. */
"use strict";
(() => {
  const { UNIT, neighbour, erfc, bitLength, tangents } = privrl.special;
  const { laplaceTree, gaussianTreeTail, laplaceSumTail, liveNodeCounts, fiveDigits, inverseErfc } = privrl.tails;
  const SLACK = 1e-12;
  const PRIVATE = ["local", "tree", "honaker", "smooth", "signed", "sqrt", "blt"];
  const LAWS = { local: ["laplace", "gaussian"], tree: ["laplace", "gaussian"], smooth: ["laplace", "gaussian"], signed: ["laplace"] };
  const MOST_RELEASES = 2 ** 53;
  const laws = (name) => LAWS[name] ?? ["gaussian"];
  const up = (value, relative = 64 * UNIT) => neighbour(value * (1 + relative), 1);
  const sum = (values) => values.reduce((total, one) => total + one, 0);

  /* sqrt keeps every draw, the others some rows */
  function mostReleases(name, width) {
    return name === "sqrt" ? Math.min(2 ** 24, Math.floor(2 ** 27 / width)) : MOST_RELEASES;
  }

  /* times that end the groups, 64 in each power of two */
  function groupTimes(releases) {
    const last = Number(releases);
    const steps = 64 * bitLength(releases);
    const power = Math.log10(last) / (steps - 1);
    const times = [1];
    for (let k = 1; k < steps; k++) {
      const time = k === steps - 1 ? last : Math.min(Math.ceil(10 ** (k * power)), last);
      if (time > times[times.length - 1]) times.push(time);
    }
    return times;
  }

  /* a variance that grows with time: releases between two of the times count as the later one */
  function grouped(variance, releases) {
    const times = groupTimes(releases);
    return {
      variances: Float64Array.from(times, (time) => variance(time) * (1 + SLACK)),
      numbers: Float64Array.from(times, (time, i) => time - (i ? times[i - 1] : 0)),
    };
  }

  /* groups that are made when they are read: most widths need none */
  function lazily(made, groups) {
    let known = null;
    const part = (name) => ({ get: () => (known ??= groups())[name] });
    return Object.defineProperties(made, { variances: part("variances"), numbers: part("numbers") });
  }

  /* {variances, numbers} of a list that has at j how many releases have variance j */
  function counted(found) {
    const known = found.map((number, size) => [size, Number(number)]).filter(([, number]) => number !== 0);
    return { variances: Float64Array.from(known, ([size]) => size), numbers: Float64Array.from(known, ([, number]) => number) };
  }

  // ---- the papers' two

  const treeGroups = (releases) => counted(liveNodeCounts(releases));

  function tree(releases, law) {
    const height = bitLength(releases);
    const groups = treeGroups(releases);
    return { sensitivity: law === "laplace" ? height : up(Math.sqrt(height)), largest: Math.max(...groups.variances), ...groups };
  }

  /* its quantiles are those of the walk: no groups with Laplace draws */
  const local = (releases, law) => lazily({ sensitivity: 1, largest: Number(releases) }, () => (law === "gaussian" ? grouped((time) => time, releases) : {}));

  // ---- honaker

  const LOW = 10;
  const blockVariance = (level) => 1 / (2 - 0.5 ** level);

  function longest(top) {
    const best = [];
    let fresh = 1;
    for (let level = 0; level <= top; level++) {
      const own = blockVariance(level);
      if (level) fresh = own ** 2 + (1 - own) ** 2 * fresh;
      let kept = 1;
      let found = 1 / fresh;
      for (let before = level - 1; before >= 0; before--) {
        kept *= 1 - blockVariance(before + 1);
        found = Math.max(found, best[before] + (1 - kept) ** 2 / fresh);
      }
      best.push(found);
    }
    return Math.max(...best);
  }

  const honakerVariance = (time) => {
    let total = 0;
    for (let level = 0, rest = time; rest > 0n; level++, rest >>= 1n) if (rest & 1n) total += blockVariance(level);
    return total;
  };

  function honaker(releases) {
    const size = bitLength(releases);
    const ends = [releases];
    for (let j = 1n; j < size; j++) if ((releases >> j) & 1n) ends.push(((releases >> j) << j) - 1n);
    const largest = Math.max(...ends.filter((end) => end > 0n).map(honakerVariance));
    return lazily({ sensitivity: up(Math.sqrt(longest(size - 1))), largest }, () => honakerGroups(releases, size));
  }

  function honakerGroups(releases, size) {
    const low = Math.min(LOW, size);
    const inner = Float64Array.from({ length: 2 ** low }, (_, pattern) => honakerVariance(BigInt(pattern)));
    const above = releases >> BigInt(low);
    const rest = Number(releases & BigInt(inner.length - 1));
    const bound = low < size ? blockVariance(low) : 0;
    const live = above > 0n ? above.toString(2).replaceAll("0", "").length : 0;
    const counts = above > 0n ? [1, ...liveNodeCounts(above).slice(1)] : [];
    if (above > 0n) counts[live] -= 1;
    const blocks = counts.map((number, bits) => [number, bits, inner]).filter(([number]) => number);
    blocks.unshift([1, live, inner.subarray(0, rest + 1)]);
    const variances = [];
    const numbers = [];
    for (const [number, bits, lower] of blocks) {
      for (const one of lower) {
        if (one + bits * bound <= 0) continue; // time 0 is no release
        variances.push((one + bits * bound) * (1 + SLACK));
        numbers.push(number);
      }
    }
    return { variances: Float64Array.from(variances), numbers: Float64Array.from(numbers) };
  }

  // ---- smooth: Pascal's triangle in doubles, exact as far as it is read

  const HIGHEST = 62;
  const CHOOSE = [[1]];
  for (let n = 1; n <= HIGHEST; n++) CHOOSE.push(Array.from({ length: n + 1 }, (_, k) => (k ? CHOOSE[n - 1][k - 1] : 0) + (CHOOSE[n - 1][k] ?? 0)));
  const choose = (n, k) => (k < 0 ? 0 : CHOOSE[n][k] ?? 0);

  function smoothShape(count, law) {
    let best = [Infinity, 0, 0];
    for (let height = 2; height <= HIGHEST; height++) {
      for (let ones = 1; ones < height; ones++) {
        const cost = (height - ones) ** (law === "laplace" ? 2 : 1) * ones;
        if (cost < best[0] && choose(height, ones) > count) best = [cost, height, ones];
      }
    }
    return best.slice(1);
  }

  function smooth(releases, law) {
    const count = Number(releases);
    const [height, ones] = smoothShape(count, law);
    let rank = count; // the string of that rank, highest digit first
    let left = ones;
    const last = [];
    for (let place = height - 1; place >= 0; place--) {
      const bit = rank >= choose(place, left);
      if (bit) rank -= choose(place, left--);
      last.push(bit);
    }
    const atLeast = []; // strings up to the last one that end with so many ones
    for (let run = 0; run <= ones; run++) {
      let found = 0;
      let open = ones - run;
      last.slice(0, height - run).forEach((bit, at) => {
        if (bit) found += choose(height - run - 1 - at, open--);
      });
      atLeast.push(found + last.slice(height - run).every(Boolean));
    }
    const exactly = atLeast.map((one, run) => one - (atLeast[run + 1] ?? 0));
    exactly[ones] -= 1; // the first string is no release
    const groups = counted(exactly.reverse());
    return { sensitivity: law === "laplace" ? height - ones : up(Math.sqrt(height - ones)), largest: Math.max(...groups.variances), ...groups };
  }

  // ---- signed digits, with Delannoy's numbers as BigInt

  const delannoy = new Map();
  function vectors(levels, allowance) {
    if (allowance < 0) return 0n;
    if (levels === 0 || allowance === 0) return 1n;
    const key = levels * 2048 + allowance;
    let found = delannoy.get(key);
    if (found === undefined) {
      found = vectors(levels - 1, allowance) + vectors(levels, allowance - 1) + vectors(levels - 1, allowance - 1);
      delannoy.set(key, found);
    }
    return found;
  }

  function signedShape(releases) {
    let best = [1000 ** 3, 0, 0];
    for (let levels = 1; levels <= 40; levels++) {
      for (let allowance = 1; allowance <= Math.min(1000, Math.floor(best[0] / levels ** 2)); allowance++) {
        if (vectors(levels, allowance) > 2n * releases) {
          if (allowance * levels ** 2 < best[0] || !best[1]) best = [allowance * levels ** 2, levels, allowance];
          break;
        }
      }
    }
    return best.slice(1);
  }

  function signedDigits(releases, levels, allowance) {
    let rest = releases + (vectors(levels, allowance) - 1n) / 2n;
    let left = allowance;
    return Array.from({ length: levels }, (_, level) => {
      let digit = -left;
      for (let size = 1n; digit < left; digit++) {
        size = vectors(levels - 1 - level, left - Math.abs(digit));
        if (rest < size) break;
        rest -= size;
      }
      left -= Math.abs(digit);
      return digit;
    });
  }

  /* how many vectors not after this one have sum of sizes s, s = 0..w */
  function upTo(digits, allowance) {
    const found = Array(allowance + 1).fill(0n);
    let used = 0;
    digits.forEach((last, level) => {
      const rest = digits.length - 1 - level;
      for (let digit = used - allowance; digit < last; digit++) {
        for (let size = used + Math.abs(digit); size <= allowance; size++) {
          const over = size - used - Math.abs(digit);
          found[size] += vectors(rest, over) - (rest ? vectors(rest, over - 1) : BigInt(over > 0));
        }
      }
      used += Math.abs(last);
    });
    found[used] += 1n;
    return found;
  }

  function signed(releases) {
    const [levels, allowance] = signedShape(releases);
    const early = upTo(Array(levels).fill(0), allowance);
    const groups = counted(upTo(signedDigits(releases, levels, allowance), allowance).map((late, size) => late - early[size]));
    return { sensitivity: levels, largest: Math.max(...groups.variances), ...groups };
  }

  // ---- sqrt: s_t, the squared coefficients of (1 - x)^(-1/2) added up

  const FIRST = 512;
  const SUMS = [0];
  for (let t = 1, coefficient = 1; t <= FIRST; t++) {
    SUMS.push(SUMS[t - 1] + coefficient ** 2);
    coefficient *= (2 * t - 1) / (2 * t);
  }
  const EULER = 0.5772156649015329;
  const rootNorm = (t) => (Math.log(16 * t) + EULER) / Math.PI;

  /* beyond the first some hundred by its expansion about t - 1/4, good to 1e-17 there */
  function rootSum(t) {
    if (t <= FIRST) return SUMS[t];
    const inverse = 1 / (t - 0.25) ** 2;
    return rootNorm(t - 0.25) + (inverse * (11 / 192 - inverse * (1541 / 122880))) / Math.PI;
  }

  function sqrt(releases) {
    const largest = rootSum(Number(releases));
    return lazily({ sensitivity: up(Math.sqrt(largest), 1e-12), largest }, () => grouped(rootSum, releases));
  }

  // ---- blt: a rational function in place of the root, its points by Zolotarev's formula

  /* partial fractions of prod (1 - (1 - z) x) / prod (1 - (1 - e) x) from the distances z, e to one */
  function fractions(ends, zeros) {
    return ends.map((end, j) => {
      let value = 1;
      zeros.forEach((zero) => (value *= (zero - end) / (1 - end)));
      ends.forEach((other, i) => (value /= i === j ? 1 : (other - end) / (1 - end)));
      return value;
    });
  }

  function design(count, buffers) {
    const kappa = Math.min(Math.max(2.7 / count, 1e-14), 0.5);
    const shares = Array.from({ length: 2 * buffers }, (_, l) => (l + 1) / (2 * buffers + 1));
    const points = tangents(shares, kappa).map((tangent) => 1 / (1 + Number((kappa * 0.92 * tangent ** 2).toPrecision(10))));
    const poles = points.filter((_, l) => l % 2 === 0).map((point) => 1 - point);
    const zeros = points.filter((_, l) => l % 2).map((point) => 1 - point);
    const near = [0, ...zeros];
    return { near, weights: fractions(near, poles), poles, shares: fractions(poles, zeros) };
  }

  const apart = (one, other) => one + other * (1 - one); // 1 - p p' from 1 - p and 1 - p'

  function bltVariance({ near, weights }, terms) {
    let found = weights[0] ** 2 * terms;
    for (let j = 1; j < near.length; j++) {
      for (let i = 0; i <= j; i++) {
        const share = ((1 + (i < j)) * weights[i] * weights[j]) / apart(near[i], near[j]);
        found -= share * Math.expm1(terms * (Math.log1p(-near[i]) + Math.log1p(-near[j])));
      }
    }
    return found;
  }

  function bltNorm({ poles, shares }, count) {
    if (count === 1) return 1;
    const first = shares.map((share, j) => share * (1 - poles[j]));
    return 1 + sum(poles.flatMap((one, i) => poles.map((other, j) =>
      (first[i] * first[j] * -Math.expm1((count - 1) * (Math.log1p(-one) + Math.log1p(-other)))) / apart(one, other))));
  }

  function blt(releases) {
    const count = Number(releases);
    const target = 1.01 * Math.max(rootNorm(count), 1) ** 2;
    let least = Infinity;
    let best = null;
    for (let buffers = 1; buffers <= 16; buffers++) {
      const made = design(count, buffers);
      const product = bltNorm(made, count) * bltVariance(made, count);
      if (product < least) [least, best] = [product, made];
      if (product <= target) break;
    }
    return lazily({ sensitivity: up(Math.sqrt(bltNorm(best, count)), 1e-12), largest: bltVariance(best, count) },
      () => grouped((time) => bltVariance(best, time), releases));
  }

  // ---- behind one interface

  const COSTS = { tree, local, honaker, smooth, signed, sqrt, blt };
  const remembered = (function_, most = 64) => {
    const known = new Map();
    return (...given) => {
      const key = given.join();
      if (!known.has(key)) {
        if (known.size >= most) known.delete(known.keys().next().value);
        known.set(key, function_(...given));
      }
      return known.get(key);
    };
  };
  const cost = remembered((name, releases, law) => Object.assign(COSTS[name](releases, law), { law }));

  /* an x that some release exceeds with probability beta at most, by the union over the releases, five digits */
  function unionQuantile({ law, variances, numbers }, beta) {
    if (law === "laplace") {
      return fiveDigits((x) => Math.min(1, sum(Array.from(numbers, (number, i) => number * laplaceSumTail(x, variances[i]))) * (1 + 1e-12)), beta);
    }
    const deviations = Float64Array.from(variances, (variance) => Math.SQRT2 * Math.sqrt(variance));
    return fiveDigits((x) => {
      let total = 0;
      for (let i = 0; i < deviations.length; i++) total += numbers[i] * erfc(x / deviations[i]);
      return Math.min(1, total * (1 + 1e-9));
    }, beta);
  }

  const walk = (level, terms) => fiveDigits((x) => laplaceSumTail(x, terms), level / 2);

  /* certified, in units of the scale of a draw: tree and local by their own laws, the others by the union */
  const quantile = remembered((name, releases, beta, law) => {
    if (name === "tree" && law === "laplace") return fiveDigits((x, rough) => laplaceTree(x, releases, rough ? 4096 : undefined), beta);
    if (name === "tree") return fiveDigits((x, rough) => gaussianTreeTail(x, releases, rough ? 256 : undefined), beta);
    if (name === "local" && law === "laplace") return walk(beta, releases);
    if (name === "local") return Math.sqrt(2 * Number(releases)) * inverseErfc(beta / 2) * (1 + 1e-9);
    return unionQuantile(cost(name, releases, law), beta);
  });

  /* the same of `number` independent sums added up, Laplace draws */
  const several = remembered((name, releases, number, level) => {
    if (name === "local") return walk(level, releases * BigInt(number));
    const made = cost(name, releases, "laplace");
    return unionQuantile({ law: "laplace", variances: made.variances.map((variance) => variance * number), numbers: made.numbers }, level);
  });

  privrl.counters = { SLACK, PRIVATE, laws, mostReleases, treeGroups, cost, quantile, several, unionQuantile };
})();
