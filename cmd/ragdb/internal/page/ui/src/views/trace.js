// How an answer came about: its plan, and why each piece of the evidence is there.

import { el, fill, plural, prose } from "../parts/dom.js";
import { answerText, silence } from "../parts/answer.js";
import { evidence, ofTrace } from "../parts/evidence.js";
import { busy, empty, failure } from "../parts/notice.js";
import { plan } from "../parts/plan.js";

export function traceView(ctx) {
  const node = el("div", { class: "trace" }, busy("Fetching…"));
  (ctx.params.id ? one(ctx, node) : list(ctx, node)).catch(err => fill(node, failure(err)));
  return { title: ctx.params.id ? "Trace" : "Traces", node };
}

// list shows the answers that are kept.
async function list(ctx, node) {
  const { traces } = await ctx.corpus.get("traces");
  if (!traces.length) return fill(node, empty("No answer is kept yet", el("a", { href: ctx.href("ask") }, "Ask something")));
  fill(node, el("h2", {}, "Answers that are kept"), el("ul", { class: "traces" }, traces.map(t => el("li", {},
    el("a", { href: ctx.href("trace", { id: t.id }), dir: "auto" }, t.question),
    el("p", { class: "clamp", dir: "auto" }, t.answered ? t.answer : "No sentence was found that says it."),
    el("p", { class: "facts" }, el("span", {}, t.method), el("span", {}, plural(t.items, "piece") + " of evidence"), el("span", {}, t.id))))));
}

async function one(ctx, node) {
  const { trace } = await ctx.corpus.get("show", { id: ctx.params.id });
  const ops = trace.trace?.Ops ?? trace.trace?.ops ?? [];
  const picture = plan(ops);
  const picked = el("p", { class: "hint", role: "status" }, "Ask a piece of evidence why it is here, and the plan shows its way.");
  const request = { question: trace.question, method: trace.method };
  fill(node,
    el("div", { class: "wide" }, el("p", { class: "facts" }, el("span", {}, trace.method), el("span", {}, ctx.params.id), el("a", { href: ctx.href("ask", { trace: ctx.params.id }) }, "Back to the answer")),
      el("h2", { dir: "auto" }, trace.question),
      trace.answer ? answerText(trace.answer, []) : silence("")),
    el("section", { "aria-label": "Plan" }, el("h3", {}, "The plan, from its end to its beginning"), picked, picture.node),
    el("section", { "aria-label": "Evidence" }, el("h3", {}, plural(trace.items.length, "piece"), " of evidence"),
      trace.items.length ? evidence(ctx, request, ofTrace(trace), (it, why) => {
        picture.mark(why.ops?.length === ops.length ? why : null);
        fill(picked, "The way of ", el("strong", {}, it.id), why.ops?.length === ops.length ? ":" : " goes through another plan than this: the documents or the method have changed.");
      }) : prose("Nothing was retrieved.")));
}
