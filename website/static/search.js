/* The search: a section whose title is just what was asked ("lemma 18") comes before pages that have the words. */
var Scorer = {
  score: ([, title, , , score, , kind]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().trim();
    return kind === "title" && title.toLowerCase().endsWith(` > ${asked}`) ? score + 1000 : score;
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
