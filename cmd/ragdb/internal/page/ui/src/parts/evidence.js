// Evidence: what was retrieved, by section, with why each piece is there.

import { button, el, fill, plural, prose, score } from "./dom.js";
import { busy, failure } from "./notice.js";

// FIRST is how many pieces of a section are shown at once.
const FIRST = 8;

// ofTrace makes evidence of what a stored answer kept of it.
export function ofTrace(trace) {
  return trace.items.map((it, i) => ({ rank: i + 1, section: it.section, id: storedId(it), score: it.score, tokens: it.tokens, text: trace.texts[i] ?? "" }));
}

// storedId is the id by which the server knows a piece.
function storedId(it) {
  const [a, b] = it.keys ?? [];
  if (it.kind === "chunk" && it.chunks?.length) return "c:" + it.chunks[0];
  const short = it.kind === "entity" ? "e" : it.kind;
  return b !== undefined ? `${it.kind}:${a}→${b}` : a !== undefined ? `${short}:${a}` : it.kind;
}

// evidence lists pieces by section. It calls pick, if there is one, with a piece whose why
// was asked for and what the server tells of it.
export function evidence(ctx, request, items, pick) {
  const sections = Map.groupBy ? Map.groupBy(items, it => it.section) : grouped(items);
  return el("div", { class: "evidence" }, [...sections].map(([name, all]) => section(ctx, request, name, all, pick)));
}

function grouped(items) {
  const out = new Map();
  for (const it of items) out.set(it.section, [...out.get(it.section) ?? [], it]);
  return out;
}

function section(ctx, request, name, all, pick) {
  const top = Math.max(1e-9, ...all.map(it => it.score));
  const list = el("ol", { class: "items" }, all.slice(0, FIRST).map(it => item(ctx, request, it, top, pick)));
  const more = all.length > FIRST ? button(`Show all ${all.length}`, () => {
    list.append(...all.slice(FIRST).map(it => item(ctx, request, it, top, pick)));
    more.remove();
  }) : null;
  return el("section", {}, el("h3", {}, name, el("span", { class: "quiet" }, plural(all.length, "piece"))), list, more);
}

function item(ctx, request, it, top, pick) {
  const reason = el("div", { class: "reason" });
  const meter = el("span", { class: "meter", "aria-hidden": "true" }, el("span", {}));
  meter.firstChild.style.width = Math.max(2, 100 * Math.max(0, it.score) / top) + "%"; // scores compare within a section
  const why = button("Why?", async () => {
    const open = why.getAttribute("aria-expanded") !== "true";
    why.setAttribute("aria-expanded", String(open));
    if (!open) return fill(reason);
    fill(reason, busy("Asking why…"));
    try {
      const told = (await ctx.corpus.post("why", { ...request, id: it.id })).items;
      fill(reason, told.map(reasons));
      if (told.length) pick?.(it, told[0]);
    } catch (err) {
      fill(reason, failure(err));
    }
  }, { class: "plain", "aria-expanded": "false", "aria-label": `Why is ${it.id} here?` });
  return el("li", {},
    el("div", { class: "head" }, el("span", { class: "rank" }, String(it.rank)), el("span", { class: "id", dir: "auto" }, it.id), meter,
      el("span", { class: "quiet num" }, score(it.score)), el("span", { class: "quiet num" }, plural(it.tokens, "token")), why),
    it.text ? prose(it.text, { class: "clamp" }) : null, reason);
}

// reasons tells how a piece came into the evidence.
export function reasons(why) {
  return el("div", {}, el("p", {}, "It " + why.verdict + "."),
    el("ol", { class: "steps" }, (why.path ?? []).map(s => el("li", {}, el("strong", {}, s.op),
      s.from?.length ? " from " + s.from.join(", ") : "", s.note ? " · " + s.note : "", el("span", { class: "quiet num" }, " " + score(s.score))))));
}
