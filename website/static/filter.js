/* The filter of a table: a form's fields choose among its rows, and the address keeps the choice.
   A long table shows its first rows, and a button the rest: nobody reads hundreds, and the number
   says how many there are. A row has for each field its values, parted by "|"; words are searched
   in its data, unless they are a row's name. */
"use strict";
(() => {
  const form = document.querySelector("form.filter[role=search]");
  const rows = [...document.querySelectorAll("table.filtered tbody tr")];
  const FIRST = matchMedia("(max-width: 46em)").matches ? 100 : 150; // a phone's rows are higher
  let all = false;
  const more = document.createElement("button");
  more.type = "button";
  more.className = "more";
  document.querySelector("table.filtered").after(more);
  const count = document.querySelector("p.count");
  const fields = [...form.elements].map((one) => one.name).filter(Boolean);
  const has = (row, field, value) => (row.dataset[field] ?? "").split("|").includes(value);

  function filter() {
    const choice = fields
      .map((field) => [field, form.elements[field].value.trim().toLowerCase()])
      .filter(([, value]) => value);
    const { words = "", ...chosen } = Object.fromEntries(choice);
    const found = rows.some((row) => has(row, "names", words)) ? (row) => has(row, "names", words)
      : (row) => words.split(/\s+/).every((word) => !word || row.dataset.words.includes(word));
    let shown = 0;
    for (const row of rows) {
      const fits = found(row)
        && Object.entries(chosen).every(([field, value]) => has(row, field, value));
      shown += fits ? 1 : 0;
      row.hidden = !fits || (!all && shown > FIRST);
    }
    more.hidden = all || shown <= FIRST;
    more.textContent = `Show the other ${shown - FIRST} rows`;
    const of = shown === rows.length ? "" : ` of ${rows.length}`;
    count.textContent = `${shown}${of} rows.`;
    const query = new URLSearchParams(choice).toString();
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
  more.addEventListener("click", () => {
    all = true;
    filter();
  });
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  filter();
})();
