/* A formula in a line that is wider than its paragraph or cell scrolls in a box of its own; the
   others keep their base line. */
"use strict";
(() => {
  function fit() {
    const formulas = document.querySelectorAll("span.math");
    formulas.forEach((one) => one.classList.remove("too-wide"));
    const right = (one) => one.getBoundingClientRect().right;
    const holder = (one) => one.closest("td, dd, li, p, article") ?? document.documentElement;
    const wide = [...formulas].filter((one) => right(one) > right(holder(one)));
    wide.forEach((one) => one.classList.add("too-wide"));
  }
  addEventListener("resize", fit);
  addEventListener("load", () => (window.MathJax?.startup?.promise ?? Promise.resolve()).then(fit));
})();
