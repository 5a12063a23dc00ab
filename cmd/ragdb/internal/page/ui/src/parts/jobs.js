// Jobs: runs that store and index documents, with their progress.

import { button, duration, el, fill, number, plural } from "./dom.js";
import { failure, sentence } from "./notice.js";

// jobList shows the jobs that run, and those that were begun here. It calls changed when
// the documents may be others than before.
export function jobList(ctx, changed) {
  const node = el("div", { class: "jobs", "aria-live": "polite" });
  const leaving = new AbortController();
  const watched = new Set();

  // watch follows a job until it ends.
  async function watch(job) {
    if (watched.has(job.id)) return;
    watched.add(job.id);
    const card = el("article", { class: "card job", "aria-label": "Job " + job.id });
    node.prepend(card);
    render(ctx, card, job);
    let stored = job.stored;
    try {
      for await (const [event, now] of ctx.corpus.events("GET", `jobs/${encodeURIComponent(job.id)}/events`, { signal: leaving.signal })) {
        if (event !== "job") continue;
        render(ctx, card, now);
        if (now.stored && !stored || now.ended) changed();
        stored = now.stored;
      }
    } catch (err) {
      if (err.name !== "AbortError") card.append(failure(err));
    }
  }

  ctx.corpus.get("jobs").then(({ jobs }) => jobs.filter(j => !j.ended).reverse().forEach(watch), () => {}); // the list of documents tells of the error
  return { node, watch, leave: () => leaving.abort() };
}

const states = { queued: "waits", running: "runs", done: "is done", failed: "failed", cancelled: "was cancelled", stopped: "was stopped" };

function render(ctx, card, job) {
  const p = job.progress;
  const cancel = job.ended || !ctx.mayWrite ? null : button("Cancel", async e => {
    e.target.disabled = true;
    try {
      await ctx.corpus.remove("jobs/" + encodeURIComponent(job.id));
    } catch (err) {
      card.append(failure(err));
    }
  }, { "aria-label": "Cancel job " + job.id });
  fill(card,
    el("div", { class: "head" }, el("strong", {}, `Job ${job.id} ${states[job.state] ?? job.state}`),
      el("span", { class: "quiet" }, job.documents ? plural(job.documents, "document") + (job.stored ? ", stored" : "") : ""), cancel),
    p && !job.ended ? el("label", { class: "progress" }, el("span", {}, `${p.stage}: ${number(p.done)} of ${number(p.total)}${p.failed ? `, ${number(p.failed)} failed` : ""}`),
      el("progress", { max: Math.max(1, p.total), value: p.done })) : null,
    job.result ? result(job.result) : null,
    job.error ? el("p", { class: "wrong" }, sentence(job.error.message), " ", sentence(job.error.hint)) : null);
}

// result tells what a job did.
function result(r) {
  const parts = [[r.added, "added"], [r.replaced, "replaced"], [r.unchanged, "unchanged"], [r.failed, "failed"]].filter(([n]) => n).map(([n, what]) => `${number(n)} ${what}`);
  return [el("p", { class: "facts" }, [...parts, plural(r.chunks, "chunk") + " in all", duration(r.ms)].map(t => el("span", {}, t))),
    r.bad_files?.length ? el("p", { class: "wrong" }, "These could not be read: " + r.bad_files.join(", ")) : null];
}
