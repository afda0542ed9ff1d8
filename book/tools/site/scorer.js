// The order of what the search finds, which Sphinx asks for. Chapters that have the word
// in a heading come first, those in front whose title says little else; then the glossary
// and the reference, and last what only mentions it.

const CHAPTER = /^book\/\d\d_/;
const HEADING = 7; // from this score on

var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2, // all these are Sphinx's own

  score([page, title, , , score]) {
    if (!CHAPTER.test(page) || score < HEADING) return score;
    const said = title.toLowerCase();
    const asked = new URLSearchParams(location.search).get("q") ?? "";
    const words = asked.toLowerCase().split(/\s+/).filter((word) => said.includes(word));
    return score + 100 + (100 * words.join("").length) / title.length;
  },
};
