// Sources: passages of documents with the sentence that is cited lit.

import { ByteText } from "./bytes.js";
import { el, fill } from "./dom.js";

// Texts fetches the texts of documents, each once.
export class Texts {
  constructor(corpus) {
    this.corpus = corpus;
    this.all = new Map();
  }

  // of returns the text of a document as bytes.
  of(doc) {
    if (!this.all.has(doc)) {
      this.all.set(doc, this.corpus.get("document", { id: doc }).then(d => new ByteText(d.text)));
    }
    return this.all.get(doc);
  }
}

// sourceCard shows a source beside an answer.
export function sourceCard(ctx, texts, s) {
  const lit = s.sentence && s.sentence[1] > s.sentence[0] ? s.sentence : null;
  const [from, to] = lit ?? s.bytes;
  const text = el("blockquote", { dir: "auto", class: "prose" }, s.quote ?? s.text ?? "");
  texts.of(s.doc).then(t => fill(text, passage(t, s.bytes, lit)), () => {
    if (!s.quote && !s.text) fill(text, "The document was removed.");
  });
  return el("article", { class: "card source", id: s.n ? "source-" + s.n : "", tabIndex: -1, "aria-label": s.n ? `Source ${s.n}: ${s.doc}` : s.doc },
    el("header", {}, s.n ? el("span", { class: "badge" }, String(s.n)) : null,
      el("a", { href: ctx.href("document", { id: s.doc, from, to }), dir: "auto" }, s.doc),
      el("span", { class: "quiet" }, [s.page ? "page " + s.page : "", s.heading].filter(Boolean).join(" · "))),
    text);
}

// passage is the text of some bytes with a part of it lit.
export function passage(text, [from, to], lit) {
  if (!lit) return [text.slice(from, to)];
  const [before, marked, after] = text.parts(from, to, lit);
  return [before, el("mark", {}, marked), after];
}
