/* A formula in a line that is wider than its paragraph or cell scrolls in a box of its own; the others keep their base line. */
"use strict";
(() => {
  function fit() {
    const formulas = document.querySelectorAll("span.math");
    formulas.forEach((one) => one.classList.remove("too-wide"));
    const room = (one) => (one.closest("td, dd, li, p, article") ?? document.documentElement).getBoundingClientRect().right;
    const wide = [...formulas].filter((one) => one.getBoundingClientRect().right > room(one));
    wide.forEach((one) => one.classList.add("too-wide"));
  }
  addEventListener("resize", fit);
  addEventListener("load", () => (window.MathJax?.startup?.promise ?? Promise.resolve()).then(fit));
})();
