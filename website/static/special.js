/* Special functions to nearly the last digit of a double, and roots. In plain scripts: a page from a file loads no modules. */
"use strict";
globalThis.privrl = globalThis.privrl || {};
(() => {
  const UNIT = 2 ** -53;
  const bits = new DataView(new ArrayBuffer(8));

  /* the next double above (step 1) or below (step -1) a number > 0 */
  function neighbour(value, step) {
    if (!Number.isFinite(value)) return value;
    if (value === 0) return step > 0 ? Number.MIN_VALUE : 0;
    bits.setFloat64(0, value);
    bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(step));
    return bits.getFloat64(0);
  }

  function ulp(value) {
    return neighbour(Math.abs(value), 1) - Math.abs(value);
  }

  /* exp(x^2) erfc(x) from its definition: the series of erf below 1, the continued fraction above */
  function scaledErfc(x) {
    if (x < 1) return Math.exp(x * x) - erfSeries(x);
    let rest = 0;
    for (let depth = Math.ceil(20 + 330 / (x * x)); depth > 0; depth--) rest = depth / 2 / (x + rest);
    return 1 / (Math.sqrt(Math.PI) * (x + rest));
  }

  /* exp(x^2) erf(x) = 2/sqrt(pi) sum of 2^n x^(2n+1)/(2n+1)!!, all terms positive */
  function erfSeries(x) {
    let term = x;
    let sum = x;
    for (let n = 1; term > sum * 1e-18; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  }

  /* Chebyshev coefficients of (x + 4) exp(x^2) erfc(x) in (x - 4)/(x + 4), from the above at the nodes */
  const FITTED = (() => {
    const order = 48;
    const values = Array.from({ length: order }, (_, k) => {
      const t = Math.cos((Math.PI * (k + 0.5)) / order);
      const x = (4 * (1 + t)) / (1 - t);
      return (x + 4) * scaledErfc(x);
    });
    return Float64Array.from({ length: 36 }, (_, j) => {
      let sum = 0;
      values.forEach((value, k) => (sum += value * Math.cos((Math.PI * j * (k + 0.5)) / order)));
      return ((j ? 2 : 1) * sum) / order;
    });
  })();

  /* exp(x^2) erfc(x) */
  function erfcx(x) {
    if (x < 0) return 2 * Math.exp(x * x) - erfcx(-x);
    const double = (2 * (x - 4)) / (x + 4);
    let after = 0;
    let now = 0;
    for (let j = FITTED.length - 1; j > 0; j--) [after, now] = [now, double * now - after + FITTED[j]];
    return ((double / 2) * now - after + FITTED[0]) / (x + 4);
  }

  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    return x < 0.5 ? 1 - Math.exp(-x * x) * erfSeries(x) : Math.exp(-x * x) * erfcx(x);
  }

  /* ln Gamma: Stirling's series from 20 on, the recurrence below */
  function lgamma(x) {
    let product = 1;
    let shifted = x;
    while (shifted < 20) {
      product *= shifted;
      shifted += 1;
    }
    const inverse = 1 / (shifted * shifted);
    const tail = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188 -
      inverse * (691 / 360360)))))) / shifted;
    return (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + tail - Math.log(product);
  }

  /* E||g|| for g of d standard normals: m(d) m(d + 1) = d, and from 64 on the series of Gamma((d+1)/2)/Gamma(d/2) */
  function meanNorm(d) {
    if (d < 64) return d / meanNorm(d + 1);
    const i = 1 / d;
    return Math.sqrt(d) * (1 - i * (1 / 4 - i * (1 / 32 + i * (5 / 128 - i * (21 / 2048 + i * (399 / 8192 - i * (869 / 65536)))))));
  }

  /* P(||g|| > x) for g of d standard normals: erfc or exp and a sum of d/2 terms */
  function normTail(x, d) {
    const y = (x * x) / 2;
    if (d > 400 || y > 690) return Math.exp(logUpperGamma(d / 2, y));
    const odd = d % 2;
    let term = odd ? Math.sqrt((4 * y) / Math.PI) : 1; // y^a/Gamma(a + 1) from a = 1/2, 0 on
    let sum = 0;
    for (let a = odd ? 0.5 : 0; a < d / 2; a++) {
      sum += term;
      term *= y / (a + 1);
    }
    return Math.exp(-y) * sum + (odd ? erfc(Math.sqrt(y)) : 0);
  }

  /* ln Q(a, x), the upper incomplete gamma function over Gamma(a) */
  function logUpperGamma(a, x) {
    if (x <= 0) return 0;
    const front = a * Math.log(x) - x - lgamma(a);
    if (x < a + 1) {
      let term = 1 / a;
      let sum = term;
      for (let n = 1; term > sum * 1e-18; n++) {
        term *= x / (a + n);
        sum += term;
      }
      return Math.log1p(-Math.exp(front) * sum);
    }
    let b = x + 1 - a; // Lentz
    let c = 1e300;
    let d = 1 / b;
    let h = d;
    for (let n = 1; n < 10000; n++) {
      const an = -n * (n - a);
      b += 2;
      d = 1 / (an * d + b);
      c = b + an / c;
      const factor = d * c;
      h *= factor;
      if (Math.abs(factor - 1) < 1e-16) break;
    }
    return front + Math.log(h);
  }

  /* a zero of a function with a change of sign between the ends, to the last digit or as near as asked: bisection with
     false position */
  function root(f, low, high, near = 0) {
    let atLow = f(low);
    let atHigh = f(high);
    if (atLow === 0) return low;
    if (atHigh === 0) return high;
    for (let turn = 0; turn < 400; turn++) {
      const width = high - low;
      let middle = low + width / 2;
      if (turn % 3 && Number.isFinite(atLow) && Number.isFinite(atHigh)) {
        middle = low + (width * atLow) / (atLow - atHigh);
        const least = Math.max(Math.abs(width) * 1e-6, 2 * ulp(middle)) * Math.sign(width);
        if (Math.abs(middle - low) < Math.abs(least)) middle = low + least;
        if (Math.abs(high - middle) < Math.abs(least)) middle = high - least;
      }
      if (middle === low || middle === high || Math.abs(width) <= Math.max(4 * ulp(middle), near)) return middle;
      const value = f(middle);
      if (value === 0) return middle;
      if (value > 0 === atLow > 0) {
        low = middle;
        atLow = value;
      } else {
        high = middle;
        atHigh = value;
      }
    }
    return low + (high - low) / 2;
  }

  /* the x that chi-square with that many degrees exceeds with probability share */
  function chiSquareQuantile(share, degrees) {
    const target = Math.log(share);
    const excess = (x) => logUpperGamma(degrees / 2, x / 2) - target;
    let high = degrees - 2 * target + 2 * Math.sqrt(-target * degrees) + 1;
    while (excess(high) > 0) high *= 2;
    return root(excess, 0, high);
  }

  /* means of the arithmetic-geometric mean of 1 and the root of the complement, each with half the difference before */
  function means(complement) {
    const found = [[1, Math.sqrt(1 - complement)]];
    let [a, b] = [1, Math.sqrt(complement)];
    while (Math.abs(a - b) > 4e-16 * a) {
      found.push([(a + b) / 2, (a - b) / 2]);
      [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
    }
    return found;
  }

  const quarter = (found) => Math.PI / 2 / found[found.length - 1][0];

  /* sn/cn at shares below 1 of the quarter period K for the modulus whose square is 1 - complement, as scipy has it:
     1 - complement is rounded, and beyond 1 - 1e-10 hyperbolic functions stand for elliptic ones (Abramowitz 16.15) */
  function tangents(shares, complement) {
    const period = quarter(means(complement));
    const rounded = 1 - (1 - complement);
    if (1 - rounded >= 0.9999999999) {
      return shares.map((share) => {
        const u = share * period;
        const twice = Math.cosh(u) * Math.sinh(u) - u;
        return (Math.tanh(u) + ((rounded / 4) * twice) / Math.cosh(u) ** 2) /
          (1 / Math.cosh(u) - ((rounded / 4) * Math.tanh(u) * twice) / Math.cosh(u));
      });
    }
    const found = means(rounded);
    const own = quarter(found);
    const lower = (u) => {
      let phase = 2 ** (found.length - 1) * found[found.length - 1][0] * u;
      for (let n = found.length - 1; n > 0; n--) phase = (phase + Math.asin((found[n][1] / found[n][0]) * Math.sin(phase))) / 2;
      return Math.tan(phase);
    };
    // beyond the middle by sc(K - u) = 1/(k' sc(u))
    return shares.map((share) => (share <= 0.5 ? lower(share * period) : 1 / (Math.sqrt(rounded) * lower(own - share * period))));
  }

  /* nodes and weights of Gauss and Legendre on [-1, 1] */
  function legendre(order) {
    const nodes = [];
    const weights = [];
    for (let k = order; k > 0; k--) {
      let x = Math.cos((Math.PI * (k - 0.25)) / (order + 0.5));
      let slope = 1;
      for (let turn = 0; turn < 50; turn++) {
        let [before, now] = [1, x];
        for (let n = 2; n <= order; n++) [before, now] = [now, ((2 * n - 1) * x * now - (n - 1) * before) / n];
        slope = (order * (x * now - before)) / (x * x - 1);
        const step = now / slope;
        x -= step;
        if (Math.abs(step) < 1e-16) break;
      }
      nodes.push(x);
      weights.push(2 / ((1 - x * x) * slope * slope));
    }
    return { nodes, weights };
  }

  /* the discrete Fourier transform of re + i im in place, of a power of two of numbers; the inverse is not divided */
  const ROOTS = new Map();
  function fourier(re, im) {
    const size = re.length;
    if (!ROOTS.has(size)) {
      const angle = (k) => (-2 * Math.PI * k) / size;
      ROOTS.set(size, [Float64Array.from({ length: size / 2 }, (_, k) => Math.cos(angle(k))), Float64Array.from({ length: size / 2 }, (_, k) => Math.sin(angle(k)))]);
    }
    const [cosines, sines] = ROOTS.get(size);
    for (let i = 1, j = 0; i < size; i++) {
      let bit = size >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) {
        [re[i], re[j]] = [re[j], re[i]];
        [im[i], im[j]] = [im[j], im[i]];
      }
    }
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0, i = start, j = start + half; k < half; k++, i++, j++) {
          const c = cosines[k * stride];
          const s = sines[k * stride];
          const x = re[j] * c - im[j] * s;
          const y = re[j] * s + im[j] * c;
          re[j] = re[i] - x;
          im[j] = im[i] - y;
          re[i] += x;
          im[i] += y;
        }
      }
    }
  }

  /* floor(log2 n) + 1 for a BigInt or a whole number >= 1 */
  function bitLength(number) {
    return BigInt(number).toString(2).length;
  }

  privrl.special = { UNIT, neighbour, ulp, erfcx, erfc, lgamma, meanNorm, normTail, chiSquareQuantile, root, tangents, legendre, fourier, bitLength };
})();
