/* The calculator of the users' page: seven choices, one row of the table below them. It computes
   nothing: every answer stands in the page. A choice offers what the choices before it leave. */
"use strict";
(() => {
  const table = JSON.parse(document.getElementById("users").textContent);
  const named = (row) => row.map((cell, place) => [table.fields[place], cell]);
  const rows = table.rows.map((row) => Object.fromEntries(named(row)));
  const form = document.querySelector("form.calculator");
  const answer = document.querySelector("output.answer");
  const fields = [...form.elements].map((one) => one.name).filter(Boolean);

  function offer(select, values) {
    const before = select.value || select.dataset.first;
    select.replaceChildren(...values.map((value) => new Option(value, value)));
    select.value = values.includes(before) ? before : values[0];
  }

  function say(name, words) {
    answer.querySelector(`[data-answer="${name}"]`).textContent = words;
  }

  function calculate() {
    let left = rows;
    for (const field of fields) {
      const select = form.elements[field];
      offer(select, [...new Set(left.map((row) => row[field]))]);
      left = left.filter((row) => row[field] === select.value);
    }
    for (const name of ["start", "bound", "runs", "command"]) say(name, left[0][name]);
  }

  form.hidden = answer.hidden = false;
  form.addEventListener("change", calculate);
  form.addEventListener("submit", (event) => event.preventDefault());
  calculate();
})();
