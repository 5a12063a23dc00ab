// Answers: text with numbers that lead to sources.

import { el } from "./dom.js";

// answerText shows an answer. Numbers in brackets that name a source are links to it.
export function answerText(text, sources) {
  const known = new Set(sources.map(s => s.n));
  const out = [];
  let from = 0;
  for (const m of text.matchAll(/\s?\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g)) {
    const numbers = m[1].split(/[,;]/).map(Number);
    if (!numbers.every(n => known.has(n))) continue;
    out.push(text.slice(from, m.index), el("span", { class: "cites" }, numbers.map(citation)));
    from = m.index + m[0].length;
  }
  out.push(text.slice(from));
  return el("div", { class: "answer prose", dir: "auto" }, out);
}

function citation(n) {
  return el("a", { class: "cite", href: "#source-" + n, "aria-label": "Source " + n, click: e => {
    e.preventDefault(); // the address is that of the view
    const card = document.getElementById("source-" + n);
    if (!card) return;
    card.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    card.focus({ preventScroll: true });
  } }, String(n));
}

// Why the evidence does not answer, by the test that its sentences failed.
const refusals = {
  "no passage": "No passage was found that comes near the question.",
  "name": "No sentence of the evidence names what the question asks about.",
  "words": "No sentence of the evidence has enough of the question's words.",
  "value": "No sentence of the evidence has a value of the kind that is asked for.",
};

// silence says that no sentence was found that answers.
export function silence(refusal) {
  return el("div", { class: "silence" }, el("h3", {}, "No sentence was found that says it"),
    el("p", {}, refusals[refusal] ?? "The evidence does not answer the question."));
}
