/* Certified tails of counter noise and their quantiles, as privrl.privacy.quantiles computes them. */
"use strict";
(() => {
  const { UNIT, erfc, lgamma, legendre, fourier, root, bitLength } = privrl.special;
  const LAPLACE_CELLS = 65536;
  const GAUSSIAN_CELLS = 2048;
  const GAUSSIAN_REACH = 16;
  const FARTHEST = 600;
  const MOST_TERMS = 1e10;
  const SMALL = 1e-11; // below so many times the releases, the rounding of a Fourier transform would be seen

  const union = (first, second) => Math.min(first + second * (1 - first), 1);
  const normalTail = (x) => erfc(x / Math.SQRT2) / 2;

  // ---- the tree with Laplace nodes

  function laplaceTree(threshold, releases, wanted = LAPLACE_CELLS) {
    const x = Math.min(threshold, FARTHEST);
    const cells = Math.max(wanted, Math.ceil(x));
    const width = x / cells;
    const shrink = Math.exp(-width);
    const kept = -Math.expm1(-width);
    const end = Math.exp(-x);
    const mirrored = Float64Array.from({ length: cells + 1 }, (_, i) => Math.exp(-i * width));
    const outside = Float64Array.from({ length: cells + 1 }, (_, i) => (mirrored[cells - i] + mirrored[i] * end) / 2);
    const factor = 1 + (8 * cells + 16 * x + 64) * UNIT;
    const seen = new Float64Array(cells + 1);

    /* one step, written over `values`: first union, then the rounding's factor */
    function step(first, values) {
      let mass = 0;
      seen[0] = 0;
      for (let i = 1; i <= cells; i++) {
        mass = kept * values[i] + shrink * mass;
        seen[i] = mass;
      }
      mass = 0;
      for (let i = cells - 1; i >= 0; i--) {
        mass = kept * values[i + 1] + shrink * mass;
        seen[i] += mass;
      }
      for (let i = 0; i <= cells; i++) {
        const after = (seen[i] + mass * mirrored[i]) / 2 + outside[i];
        values[i] = Math.min(union(first[i], after) * factor, 1);
      }
    }

    const inside = new Float64Array(cells + 1);
    const rest = new Float64Array(cells + 1);
    for (let level = 0; level < bitLength(releases); level++) {
      if ((releases >> BigInt(level)) & 1n) step(inside, rest);
      if (releases >> BigInt(level + 1)) step(inside, inside);
    }
    return rest[0];
  }

  // ---- the tree with Gaussian nodes

  function slope(value) {
    const p = Math.min(Math.max(value, 1e-300), Math.exp(-0.5));
    return p * Math.sqrt(-2 * Math.log(p));
  }

  function gaussianTree(x, releases, wanted = GAUSSIAN_CELLS, exact = false) {
    const cells = Math.max(wanted, Math.ceil(32 * x));
    const width = x / cells;
    const whole = 2 * cells * width <= GAUSSIAN_REACH;
    const reach = whole ? 2 * cells : Math.ceil(GAUSSIAN_REACH / width);
    const lost = reach < 2 * cells ? 2 * normalTail(GAUSSIAN_REACH) : 0;
    const rule = legendre(8);
    const near = new Float64Array(reach);
    const far = new Float64Array(Math.max(reach, 2 * cells));
    for (let j = 0; j < reach; j++) {
      for (let k = 0; k < 8; k++) {
        const share = (rule.nodes[k] + 1) / 2;
        const density = Math.exp(-(((j + share) * width) ** 2) / 2) * ((rule.weights[k] * width) / Math.sqrt(8 * Math.PI));
        near[j] += density * (1 - share);
        far[j] += density * share;
      }
    }
    const kernel = new Float64Array(reach + 1); // weight of a point that is j = 0, 1, .. cells away
    kernel[0] = 2 * near[0];
    for (let j = 1; j <= reach; j++) kernel[j] = (j < reach ? near[j] : 0) + far[j - 1];
    const outside = Float64Array.from({ length: cells + 1 }, (_, i) => normalTail(x - i * width) + normalTail(x + i * width) + lost);
    const ends = Float64Array.from({ length: cells + 1 }, (_, i) =>
      (i < cells ? far[cells - 1 - i] : near[0]) + (cells - 1 + i < 2 * cells ? far[cells - 1 + i] : 0));
    const factor = 1 + 1e-9 + (16 * x * x + 8 * reach) * UNIT;
    const smooth = (exact ? directly : byFourier)(kernel, cells);

    /* one step for each of several functions, with what bounds their curvature */
    function step(functions) {
      const raised = functions.map(([values, bend]) => {
        const made = new Float64Array(cells + 1);
        for (let i = 0; i <= cells; i++) made[i] = values[i] + (Math.max(bend[i], i < cells ? bend[i + 1] : 0) * width * width) / 8;
        return made;
      });
      return smooth(raised).map((sums, one) => sums.map((sum, i) => Math.min((sum + raised[one][cells] * ends[i] + outside[i]) * factor, 1)));
    }

    const zeros = () => new Float64Array(cells + 1);
    let [inside, rest, insideBend, restBend, insideSlope] = [zeros(), zeros(), zeros(), zeros(), zeros()];
    const top = bitLength(releases);
    for (let level = 0; level < top; level++) {
      const odd = (releases >> BigInt(level)) & 1n;
      const more = level + 1 < top;
      const made = step([...(odd ? [[rest, restBend]] : []), ...(more ? [[inside, insideBend]] : [])]);
      if (odd) {
        const after = made.shift();
        restBend = after.map((one, i) => insideBend[i] + one + 2 * insideSlope[i] * slope(one));
        rest = after.map((one, i) => union(inside[i], one));
      }
      if (more) {
        const after = made.shift();
        insideBend = after.map((one, i) => insideBend[i] + one + 2 * insideSlope[i] * slope(one));
        insideSlope = after.map((one, i) => insideSlope[i] + slope(one));
        inside = after.map((one, i) => union(inside[i], one));
      }
    }
    return Math.min(1, rest[0] * factor);
  }

  /* sums over the points -(cells-1)..cells-1 of kernel times function, for even functions given at 0..cells, at 0..cells */
  function directly(kernel, cells) {
    const reach = kernel.length - 1;
    const line = new Float64Array(2 * cells + 1 + 2 * reach);
    const middle = reach + cells;
    return (functions) => functions.map((values) => {
      for (let i = 0; i < cells; i++) line[middle + i] = line[middle - i] = values[i];
      const sums = new Float64Array(cells + 1);
      for (let i = 0; i <= cells; i++) {
        const at = middle + i;
        let sum = kernel[0] * line[at];
        for (let j = 1; j <= reach; j++) sum += kernel[j] * (line[at + j] + line[at - j]);
        sums[i] = sum;
      }
      return sums;
    });
  }

  /* the same for one or two functions together, to 1e-15 of the largest value */
  function byFourier(kernel, cells) {
    const reach = kernel.length - 1;
    let size = 1;
    while (size < 2 * cells + reach) size *= 2;
    const symmetric = (values, last) => {
      const made = new Float64Array(size);
      for (let i = 0; i <= last; i++) made[i] = made[(size - i) % size] = values[i];
      return made;
    };
    const filter = symmetric(kernel, reach);
    fourier(filter, new Float64Array(size));
    return (functions) => {
      const [re, im] = [0, 1].map((one) => (functions[one] ? symmetric(functions[one], cells - 1) : new Float64Array(size)));
      fourier(re, im);
      for (let i = 0; i < size; i++) {
        re[i] *= filter[i] / size;
        im[i] *= filter[i] / size;
      }
      fourier(im, re); // parts changed: the inverse
      return [re, im].slice(0, functions.length).map((values) => values.slice(0, cells + 1).map((value) => Math.max(value, 0)));
    };
  }

  /* how many of the times 1..releases have exactly j live nodes */
  function liveNodeCounts(releases) {
    const bits = bitLength(releases);
    const found = Array(bits + 1).fill(0);
    let above = 0;
    for (let level = bits - 1; level >= 0; level--) {
      if (!((releases >> BigInt(level)) & 1n)) continue;
      let choose = 1;
      for (let below = 0; below <= level; below++) {
        found[above + below] += choose;
        choose = (choose * (level - below)) / (below + 1);
      }
      above += 1;
    }
    found[above] += 1;
    found[0] -= 1;
    return found;
  }

  function gaussianUnion(x, releases) {
    let total = 0;
    liveNodeCounts(releases).forEach((number, live) => {
      if (number && live) total += number * 2 * normalTail(x / Math.sqrt(live));
    });
    return Math.min(1, total * (1 + 1e-10));
  }

  function gaussianTreeTail(x, releases, cells = GAUSSIAN_CELLS) {
    const bound = gaussianUnion(x, releases);
    if (x > FARTHEST) return bound;
    const quick = gaussianTree(x, releases, cells);
    return Math.min(quick > SMALL * Number(releases) ? quick : gaussianTree(x, releases, cells, true), bound);
  }

  // ---- sums of Laplace draws

  function laplaceSumTail(threshold, terms) {
    const k = Number(terms);
    const x = Math.min(threshold, 1000 + 40 * Math.sqrt(k));
    const most = Math.min(k, Math.ceil(Math.sqrt(x * x + 200 * k) + 100));
    const stirling = (n) => lgamma(n + 1) - ((n + 0.5) * Math.log(n) - n + Math.log(2 * Math.PI) / 2);
    // C(2k-2, k-1)/4^(k-1)
    const half = k - 1;
    const first = half === 0 ? 1 : half < 1000 ? Math.exp(lgamma(2 * half + 1) - 2 * lgamma(half + 1) - 2 * half * Math.LN2)
      : (1 - 1 / (8 * half) + 1 / (128 * half ** 2) + 5 / (1024 * half ** 3) - 21 / (32768 * half ** 4)) / Math.sqrt(Math.PI * half);
    const mode = Math.min(Math.floor(x), most - 1);
    // Poisson(x) at its mode: n ln(x/n) - x + n - ln sqrt(2 pi n) - Stirling's rest
    const apart = mode ? (mode - x) / x : 0;
    const deviance = mode ? x * ((1 + apart) * Math.log1p(apart) - apart) : 0;
    const peak = mode === 0 ? Math.exp(-x) : Math.exp(-deviance - (mode < 1000 ? stirling(mode) : 1 / (12 * mode) - 1 / (360 * mode ** 3))) / Math.sqrt(2 * Math.PI * mode);
    const poisson = new Float64Array(most);
    poisson[mode] = peak;
    for (let n = mode + 1; n < most; n++) poisson[n] = (poisson[n - 1] * x) / n;
    for (let n = mode; n > 0; n--) poisson[n - 1] = (poisson[n] * n) / x;
    let weight = first;
    let survival = 0;
    let total = 0;
    for (let m = 1; m <= most; m++) {
      survival += poisson[m - 1];
      total += weight * survival;
      if (m < most) weight *= (2 * (k - m)) / (2 * k - 1 - m);
    }
    if (most < k) {
      const ratio = (2 * (k - most)) / (2 * k - 1 - most);
      total += (weight * ratio) / (1 - ratio);
    }
    return Math.min(1, total * (1 + (32 * most + 1000) * UNIT) + 1e-290);
  }

  // ---- quantiles of five digits

  const digits = (multiple, unit) => Number(`${multiple}e${unit}`);

  /* The smallest x of five digits with tail(x) <= beta. tail(x, true) is a coarser bound, cheap, which finds the
     neighbourhood; tail(x) decides. */
  function fiveDigits(tail, beta) {
    const level = Math.log(beta);
    const excess = (x, rough) => Math.log(Math.max(tail(x, rough), 1e-320)) - level;
    let [low, atLow] = [0, -level];
    let high = Math.max(1, -level);
    let atHigh = excess(high, true);
    while (atHigh > 0) {
      [low, atLow, high] = [high, atHigh, 2 * high];
      atHigh = excess(high, true);
    }
    for (let turn = 0; turn < 60 && high - low > 1e-4 * high; turn++) {
      const share = turn % 3 < 2 && atHigh < 0 ? atLow / (atLow - atHigh) : 0.5;
      const middle = low + (high - low) * Math.min(Math.max(share, 2e-5), 1 - 2e-5);
      const value = excess(middle, true);
      if (value > 0) [low, atLow] = [middle, value];
      else [high, atHigh] = [middle, value];
    }
    // from there by the coarse bound's slope to where the fine one crosses
    let guess = high;
    const slope = (excess(1.001 * guess, true) - atHigh) / (0.001 * guess);
    for (let turn = 0; turn < 8; turn++) {
      const move = -excess(guess, false) / slope;
      guess += move;
      if (Math.abs(move) <= 1e-3 * guess) break; // the next would be by less than a digit
    }
    const unit = Math.floor(Math.log10(guess)) - 4;
    let multiple = Math.ceil(guess / 10 ** unit);
    while (tail(digits(multiple, unit), false) > beta) multiple += 1;
    while (multiple > 1 && tail(digits(multiple - 1, unit), false) <= beta) multiple -= 1;
    return digits(multiple, unit);
  }

  /* the x with erfc(x) = share */
  function inverseErfc(share) {
    let high = Math.sqrt(-Math.log(share)) + 1;
    while (erfc(high) > share) high *= 2;
    return root((x) => Math.log(erfc(x)) - Math.log(share), 0, high);
  }

  privrl.tails = { MOST_TERMS, laplaceTree, gaussianTreeTail, laplaceSumTail, liveNodeCounts, fiveDigits, inverseErfc };
})();
