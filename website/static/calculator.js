/* The calculators' pages: read the form, compute, show what the command line prints. */
"use strict";
(() => {
  const form = document.querySelector("form.calculator");
  const answer = document.querySelector(".answer");
  const which = form.dataset.calculator;
  const defaults = which === "sigma" ? privrl.privacy.DEFAULTS : privrl.horizon.DEFAULTS;
  const options = { dimension: "dim" }; // as the command line calls them
  let turn = 0;

  function element(name, content = "", attributes = {}) {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...[content].flat());
    return made;
  }

  /* a table like the command line's: the first cell of a row is its header */
  function table(caption, columns) {
    const body = element("tbody");
    const head = element("tr", columns.map((column) => element("th", column, { scope: "col" })));
    const made = element("table", [element("caption", caption), element("thead", head), body]);
    const add = (row) => body.append(element("tr", row.map((cell, i) => (i ? element("td", cell) : element("th", cell, { scope: "row" })))));
    return { whole: element("div", made, { class: "wide", tabindex: "0", role: "region", "aria-label": caption }), add };
  }

  /* what differs from the paper's default setting; a field that the paper does not have is left out */
  function given() {
    const paper = form.elements.paper.value;
    const made = {};
    for (const field of form.querySelectorAll("input, select")) {
      if (field.name === "paper" || field.disabled) continue;
      const words = field.value.trim();
      if (field.tagName === "SELECT") made[field.name] = words;
      else if (words !== "") made[field.name] = Number(words);
      if (Number.isNaN(made[field.name])) throw new privrl.privacy.Refusal(`${field.name} must be a number, got ${words}`);
    }
    return { paper, made };
  }

  function command(paper, made) {
    const parts = Object.entries(made).filter(([name, value]) => value !== (defaults[paper][name] ?? "replace"))
      .map(([name, value]) => `--${options[name] ?? name} ${value}`);
    return element("p", ["The same on the command line: ", element("code", ["privrl", which, paper, ...parts].join(" "))], { class: "command" });
  }

  function refuse(error) {
    if (!(error instanceof privrl.privacy.Refusal)) throw error;
    answer.replaceChildren(element("p", `${error.message}.`, { class: "refusal" }));
  }

  function sigma(paper, made) {
    const found = privrl.privacy.noise(paper, made);
    const shown = ["epsilon", "delta", "horizon", "episodes", "states", "actions", "dimension", "gamma"]
      .map((name) => `${options[name] ?? name} ${privrl.general(found.setting[name])}`).join(", ");
    const { whole, add } = table("Noise scales", ["noise", "law", "printed", "smallest"]);
    for (const row of found.scales) add([row.name, row.law, privrl.general(row.printed, 4), privrl.general(row.smallest, 4)]);
    const verdict = found.factor <= 1 ? "gives" : "does not give";
    answer.replaceChildren(
      element("p", `${paper}: ${shown}, adjacency ${found.setting.adjacency}`), whole,
      element("p", `The printed noise ${verdict} what is claimed: really epsilon = ${privrl.upward(found.real_epsilon)} at delta = ` +
        `${privrl.general(found.setting.delta)}, claimed ${privrl.general(found.setting.epsilon)}.`),
      element("p", `Smallest over printed: ${privrl.upward(found.factor)} (${found.note}).`), command(paper, made));
    answer.dataset.done = "yes";
  }

  function horizon(paper, made, mine) {
    const setting = privrl.horizon.setting(paper, made);
    const rows = privrl.horizon.rows(paper, made);
    const { whole, add } = table("Episodes needed", ["agent", "counter", "calibration", privrl.horizon.means(paper), "bound below trivial from episode"]);
    const state = element("p", "Computing ...", { role: "status" });
    answer.replaceChildren(
      element("p", `${paper}: ${Object.entries(setting).map(([name, value]) => `${name} ${privrl.general(value)}`).join(", ")}`),
      whole, state, command(paper, made));
    const shown = (episodes) => (episodes === null ? "-" : privrl.general(Number(episodes), 3));
    (function next() {
      if (mine !== turn) return; // a newer question has been asked
      try {
        const { value, done } = rows.next();
        if (done) {
          const note = privrl.horizon.note(paper, made);
          state.textContent = note[0].toUpperCase() + note.slice(1);
          answer.dataset.done = "yes";
          return;
        }
        add([value.agent, value.counter, value.calibration, shown(value.start), shown(value.below_trivial)]);
        setTimeout(next);
      } catch (error) {
        refuse(error);
      }
    })();
  }

  function compute() {
    turn += 1;
    delete answer.dataset.done;
    try {
      const { paper, made } = given();
      (which === "sigma" ? sigma : horizon)(paper, made, turn);
    } catch (error) {
      refuse(error);
    }
  }

  /* the fields that the paper has, at its default setting */
  function fill() {
    const own = defaults[form.elements.paper.value];
    for (const field of form.querySelectorAll("input")) {
      const known = field.name in own;
      field.closest("p").hidden = !known;
      field.disabled = !known;
      field.value = known ? own[field.name] : "";
    }
  }

  form.hidden = false;
  form.elements.paper.addEventListener("change", () => {
    fill();
    compute();
  });
  form.addEventListener("change", (event) => {
    if (which === "sigma" && event.target.name !== "paper") compute();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    compute();
  });
  fill();
  compute();
})();
