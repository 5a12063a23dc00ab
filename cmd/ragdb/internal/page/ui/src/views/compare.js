// Methods side by side: what each answers, and which evidence only it has.

import { button, duration, el, fill, plural, score } from "../parts/dom.js";
import { answerText, silence } from "../parts/answer.js";
import { usable } from "../parts/methods.js";
import { busy, failure, note } from "../parts/notice.js";

const MOST = 8, SHOWN = 10;

export function compareView(ctx) {
  const question = el("textarea", { rows: 2, required: true, dir: "auto", "aria-label": "Question", placeholder: "What do you want to know?", value: ctx.params.q ?? "",
    keydown: e => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); form.requestSubmit(); } } });
  const answers = el("input", { type: "checkbox", checked: true });
  const choice = el("fieldset", { class: "choice" }, el("legend", {}, "Methods"));
  const out = el("div", { class: "columns", "aria-live": "polite" });
  const go = el("button", { class: "main" }, "Compare");
  const stop = button("Cancel", () => running?.abort(), { hidden: true });
  let running = null;
  const form = el("form", { class: "card question", submit: e => { e.preventDefault(); run(); } },
    el("div", { class: "row" }, question, go, stop), choice, el("label", { class: "check" }, answers, "Answers too, not only evidence"));

  usable(ctx.corpus).then(({ names }) => {
    choice.append(...names.map((n, i) => el("label", { class: "check" }, el("input", { type: "checkbox", value: n, checked: i < 3 }), n)));
  }, err => choice.append(failure(err)));

  async function run() {
    const chosen = [...choice.querySelectorAll("input:checked")].map(b => b.value);
    if (!question.value.trim()) return;
    if (chosen.length < 2 || chosen.length > MOST) return fill(out, note(`Choose two to ${MOST} methods.`));
    running?.abort();
    const mine = running = new AbortController();
    go.hidden = true;
    stop.hidden = false;
    fill(out, busy("Asking " + plural(chosen.length, "method") + "…"));
    ctx.replace("compare", { q: question.value });
    try {
      const all = await ctx.corpus.post("compare", { question: question.value, methods: chosen, answers: answers.checked }, mine.signal);
      fill(out, all.methods.map(m => column(ctx, m)));
    } catch (err) {
      if (running === mine) fill(out, err.name === "AbortError" ? note("Cancelled.") : failure(err));
    } finally {
      if (running === mine) {
        running = null;
        go.hidden = false;
        stop.hidden = true;
      }
    }
  }
  return { title: "Compare", node: el("div", { class: "compare" }, form, out), leave: () => running?.abort() };
}

// column shows what one method gives.
function column(ctx, m) {
  const items = m.items ?? [];
  const list = el("ol", { class: "items" }, items.slice(0, SHOWN).map(it => el("li", {},
    el("div", { class: "head" }, el("span", { class: "rank" }, String(it.rank)), el("span", { class: "id", dir: "auto" }, it.id), el("span", { class: "quiet num" }, score(it.score))),
    it.also?.length ? el("p", { class: "also" }, "also by " + it.also.join(", ")) : el("p", { class: "also only" }, "only here"))));
  return el("article", { class: "card", "aria-label": m.method }, el("h2", {}, m.method),
    m.answered === undefined ? null : m.answered ? answerText(m.answer, []) : silence(""),
    el("p", { class: "facts" }, [plural(items.length, "piece"), plural(m.tokens, "token"), duration(m.ms.total)].map(t => el("span", {}, t)),
      m.trace ? el("a", { href: ctx.href("trace", { id: m.trace }) }, "How it came about") : null), list);
}
