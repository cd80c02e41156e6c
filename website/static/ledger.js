/* The ledger's filter: by paper, kind, verdict, rigor and words. The address keeps the choice. */
"use strict";
(() => {
  const form = document.querySelector("form.filter");
  const rows = [...document.querySelectorAll("#ledger tbody tr")];
  const count = document.querySelector("p.count");
  const fields = ["paper", "kind", "verdict", "rigor", "words"];

  function chosen() {
    return Object.fromEntries(fields.map((field) => [field, form.elements[field].value.trim().toLowerCase()]));
  }

  function fits(row, choice) {
    const data = row.dataset;
    return (
      ["paper", "kind", "verdict"].every((field) => !choice[field] || data[field] === choice[field]) &&
      (!choice.rigor || data.rigor.split(" ").includes(choice.rigor)) &&
      choice.words.split(/\s+/).every((word) => data.words.includes(word))
    );
  }

  function filter() {
    const choice = chosen();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row, choice);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = shown === rows.length ? `${shown} items.` : `${shown} of ${rows.length} items.`;
    const query = new URLSearchParams(Object.entries(choice).filter(([, value]) => value)).toString();
    try {
      history.replaceState(null, "", query ? `?${query}` : location.pathname);
    } catch {
      /* a browser that keeps the address of a file as it is: the filter works all the same */
    }
  }

  const asked = new URLSearchParams(location.search);
  for (const field of fields) {
    if (asked.has(field)) form.elements[field].value = asked.get(field);
  }
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  filter();
})();
