// Ask: a question, its answer as it comes, and the sources beside it.

import { button, duration, el, field, fill, number, plural, prose } from "../parts/dom.js";
import { answerText, silence } from "../parts/answer.js";
import { evidence, ofTrace } from "../parts/evidence.js";
import { usable } from "../parts/methods.js";
import { busy, failure, note, sentence } from "../parts/notice.js";
import { sourceCard, Texts } from "../parts/source.js";

export function ask(ctx) {
  const texts = new Texts(ctx.corpus);
  const form = questionForm(ctx, request => run(request), () => running?.abort());
  const answer = el("section", { class: "result", "aria-live": "polite", "aria-label": "Answer" });
  const beside = el("aside", { class: "beside", "aria-label": "Sources" });
  const below = el("section", { class: "below", "aria-label": "Evidence" });
  let running = null;

  async function run(request) {
    running?.abort();
    const mine = running = new AbortController();
    form.running(true);
    const text = el("div", { class: "answer prose", dir: "auto" });
    fill(answer, busy("Reading the documents…"));
    fill(beside);
    fill(below);
    ctx.replace("ask", {});
    let got = "", result = null;
    try {
      for await (const [event, data] of ctx.corpus.events("POST", "ask", { body: request, signal: mine.signal })) {
        if (event === "text") {
          if (!got) fill(answer, text);
          text.textContent = got += data.text;
        } else if (event === "answer") result = data;
      }
      if (!result) throw new Error("the answer broke off");
      ctx.replace("ask", { trace: result.trace });
      render(result, request);
    } catch (err) {
      if (running !== mine) return; // another question was asked
      if (err.name === "AbortError") fill(answer, got ? text : null, note("The question was cancelled."));
      else fill(answer, got ? text : null, failure(err));
    } finally {
      if (running === mine) {
        running = null;
        form.running(false);
      }
    }
  }

  // render shows an answer, fresh or stored.
  function render(a, request) {
    const sources = a.sources ?? [];
    const answered = a.answered ?? !!a.answer;
    fill(answer, el("h2", { class: "unseen" }, "Answer"), answered ? answerText(a.answer, sources) : silence(a.refusal),
      a.supported === false ? note("No sentence of the evidence clearly says this. Read the sources before you rely on it.") : null,
      (a.notes ?? []).map(n => note(sentence(n))), facts(ctx, a));
    const shown = answered ? sources : a.nearest ?? [];
    fill(beside, shown.length ? el("h2", {}, answered ? plural(shown.length, "source") : "What comes nearest") : null,
      shown.map(s => sourceCard(ctx, texts, s)));
    const piece = el("div", {});
    fill(below, el("details", { toggle: e => { if (e.target.open && !piece.firstChild) showEvidence(piece, a, request); } },
      el("summary", {}, "Evidence: everything that was retrieved"), piece));
  }

  async function showEvidence(into, a, request) {
    fill(into, busy("Fetching the evidence…"));
    try {
      const items = a.trace ? ofTrace((await ctx.corpus.get("show", { id: a.trace })).trace) : (await ctx.corpus.post("search", request)).items;
      fill(into, items.length ? evidence(ctx, request, items) : prose("Nothing was retrieved."));
    } catch (err) {
      fill(into, failure(err));
    }
  }

  // An address with a trace shows the answer that was kept.
  async function restore(id) {
    try {
      const t = (await ctx.corpus.get("show", { id })).trace;
      const request = { question: t.question, method: t.method };
      form.set(request);
      render({ ...t, trace: id }, request);
    } catch (err) {
      fill(answer, failure(err));
    }
  }

  if (ctx.params.trace) restore(ctx.params.trace);
  else if (ctx.params.q) run(form.set({ question: ctx.params.q }));
  else fill(answer, welcome());
  return {
    title: "Ask",
    node: el("div", { class: "ask" }, el("div", { class: "wide" }, form.node), el("div", { class: "left" }, answer, below), beside),
    leave: () => running?.abort(),
  };
}

function welcome() {
  return el("p", { class: "hint" }, "Answers come from the documents, and each names its sources. If no sentence is found that says it, you are told so and see the passages that come nearest.");
}

// facts tells in a line how an answer came about.
function facts(ctx, a) {
  return el("p", { class: "facts" },
    [a.method, a.model, a.ms ? duration(a.ms.total) : "", a.tokens ? plural(a.tokens.in, "token") + " of evidence" : "", a.usd ? "$" + number(a.usd) : ""]
      .filter(Boolean).map(t => el("span", {}, t)),
    a.trace ? el("a", { href: ctx.href("trace", { id: a.trace }) }, "How it came about") : null);
}

// questionForm is the form of questions. It calls asked with a request, or cancel.
function questionForm(ctx, asked, cancel) {
  const question = el("textarea", { rows: 2, required: true, dir: "auto", placeholder: "What do you want to know?", "aria-label": "Question",
    keydown: e => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); form.requestSubmit(); } } });
  const method = el("select", {}, el("option", { value: "" }, "The default"));
  const where = el("input", { type: "text", placeholder: "kind = 'person'", spellcheck: false });
  const budget = el("input", { type: "number", min: 0, step: 500, placeholder: "4000" });
  const go = el("button", { class: "main" }, "Ask");
  const stop = button("Cancel", cancel, { hidden: true });
  const request = () => Object.fromEntries(Object.entries({ question: question.value, method: method.value, where: where.value.trim(), budget: Number(budget.value) }).filter(([, v]) => v));
  const form = el("form", { class: "card question", submit: e => { e.preventDefault(); if (question.value.trim()) asked(request()); } },
    el("div", { class: "row" }, question, go, stop),
    el("details", {}, el("summary", {}, "Method, filter, budget"),
      el("div", { class: "fields" }, field("Method", method), field("Only documents where", where), field("Tokens of evidence", budget))));
  const ready = usable(ctx.corpus).then(({ names, first }) => {
    method.append(...names.map(n => el("option", { value: n }, n + (n === first ? " (default)" : ""))));
  }, () => {}); // the server's default remains
  return {
    node: form,
    set(r) {
      question.value = r.question;
      ready.then(() => {
        if ([...method.options].some(o => o.value === r.method)) method.value = r.method;
      });
      return r;
    },
    running(on) {
      stop.hidden = !on;
      go.hidden = on;
    },
  };
}
