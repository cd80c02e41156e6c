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

  /* exp(x^2) erfc(x): the series of erf below 1, the continued fraction above */
  function erfcx(x) {
    if (x < 0) return 2 * Math.exp(x * x) - erfcx(-x);
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

  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    if (x < 1) return 1 - Math.exp(-x * x) * erfSeries(x);
    return Math.exp(-x * x) * erfcx(x);
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

  /* a zero of a function with a change of sign between the ends, to the last digit: bisection with false position */
  function root(f, low, high) {
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
      if (middle === low || middle === high || Math.abs(width) <= 4 * ulp(middle)) return middle;
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

  /* floor(log2 n) + 1 for a BigInt or a whole number >= 1 */
  function bitLength(number) {
    return BigInt(number).toString(2).length;
  }

  privrl.special = { UNIT, neighbour, ulp, erfcx, erfc, lgamma, logUpperGamma, chiSquareQuantile, root, legendre, bitLength };
})();
