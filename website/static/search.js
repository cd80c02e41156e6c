/* The search: the page of just the claim that was asked for ("lemma 18") comes first, then what is
   written to be read (pages, claims, notebooks), and the names of the code last. */
var Scorer = {
  score: ([page, title, , , score]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().trim();
    const name = asked.replaceAll(/\s+/g, "-");
    const claim = page.startsWith("claims/") && page.toLowerCase().endsWith(`/${name}`);
    const titled = asked !== "" && title.toLowerCase().startsWith(asked);
    const code = page.startsWith("api/") || page === "py-modindex";
    const first = !page.includes("/");
    const better = (claim ? 1000 : 0) + (titled && !code ? 100 : 0) + (first ? 5 : 0);
    return score + better - (code ? 10000 : 0);
  },
  /* as Sphinx has them */
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
