/* No line begins with the sign that ends a formula, or ends with the one that opens it. A formula
   in a line that is wider than its paragraph or cell is made smaller; where that would be too small
   it scrolls in a box of its own. The others keep their base line. And the names of a table's rows
   stay where the rest of it is scrolled on a phone. */
"use strict";
(() => {
  const SMALLEST = 0.7;
  const formulas = [...document.querySelectorAll("span.math")];

  function glue(formula) {
    const before = formula.previousSibling, after = formula.nextSibling;
    const opened = /[(["']+$/.exec(before?.nodeType === 3 ? before.data : "")?.[0] ?? "";
    const following = after?.nodeType === 3 ? after.data : "";
    const closed = /^\S{1,14}(?=\s|$)|^[,.;:!?)\]"'-]+/.exec(following)?.[0] ?? "";
    if (!opened && !closed) return;
    const whole = document.createElement("span");
    whole.className = "whole";
    formula.before(whole);
    whole.append(...[opened, formula, closed].filter(Boolean));
    if (opened) before.data = before.data.slice(0, -opened.length);
    if (closed) after.data = after.data.slice(closed.length);
  }

  /* the dotted name of a module goes on behind a dot */
  function part(text) {
    if (/\s/.test(text.data)) return;
    const pieces = text.data.split(/(?<=[._/])(?=\w)/);
    text.replaceWith(...pieces.flatMap((piece) => [document.createElement("wbr"), piece]).slice(1));
  }

  function room(formula) {
    const holder = formula.closest("td, dd, li, p, article") ?? document.documentElement;
    const style = getComputedStyle(holder), box = holder.getBoundingClientRect();
    const left = box.left + parseFloat(style.paddingLeft);
    return { left, right: box.right - parseFloat(style.paddingRight) };
  }

  function fit() {
    for (const formula of formulas) {
      formula.classList.remove("too-wide");
      formula.style.fontSize = "";
    }
    const measured = formulas.map((formula) => {
      const box = formula.getBoundingClientRect(), { left, right } = room(formula);
      const signs = formula.parentElement.matches(".whole")
        ? formula.parentElement.getBoundingClientRect().width - box.width : 0;
      return { formula, wide: box.right > right + 1, share: (right - left - signs) / box.width };
    });
    for (const { formula, wide, share } of measured) {
      if (!wide) continue;
      const percent = Math.floor(100 * Math.min(share, 1)) - 1;
      if (share >= SMALLEST) formula.style.fontSize = `${percent}%`;
      else formula.classList.add("too-wide");
    }
  }

  /* the columns of names of a notebook's table, which stay beside one another as long as they take
     less than half of a narrow page */
  function hold() {
    for (const table of document.querySelectorAll("table.dataframe")) {
      const scrolled = table.scrollLeft;
      table.scrollLeft = 0;
      const start = table.getBoundingClientRect().left, room = table.clientWidth / 2;
      const rows = [...table.rows].map((row) => [...row.cells]);
      const names = rows.flatMap((cells) => cells.filter((cell) => cell.closest("tbody")
        && cell.tagName === "TH"));
      const ends = names.map((cell) => cell.getBoundingClientRect().right - start);
      const end = Math.max(...ends.filter((right) => right <= room), ends[0] ?? 0);
      for (const cell of rows.flat()) {
        const { left, right } = cell.getBoundingClientRect();
        const within = cell.tagName === "TH" && right - start <= end + 1;
        cell.classList.toggle("held", within);
        cell.style.left = within ? `${Math.round(left - start)}px` : "";
      }
      table.scrollLeft = scrolled;
    }
  }

  addEventListener("resize", fit);
  addEventListener("resize", hold);
  addEventListener("load", () => {
    for (const title of document.querySelectorAll("article h1"))
      [...title.childNodes].filter((node) => node.nodeType === 3).forEach(part);
    (window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => {
      formulas.forEach(glue);
      fit();
      hold();
    });
  });
})();
