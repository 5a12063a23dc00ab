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
    const card = jobCard(ctx, job.id);
    node.prepend(card.node);
    card.show(job);
    let stored = job.stored_documents;
    try {
      for await (const [event, now] of ctx.corpus.events("GET", `jobs/${encodeURIComponent(job.id)}/events`, { signal: leaving.signal })) {
        if (event !== "job") continue;
        card.show(now);
        if (now.stored_documents && !stored || now.ended) changed();
        stored = now.stored_documents;
      }
    } catch (err) {
      if (err.name !== "AbortError") card.node.append(failure(err));
    }
  }

  ctx.corpus.get("jobs").then(({ jobs }) => jobs.filter(j => !j.ended).reverse().forEach(watch), () => {}); // the list of documents tells of the error
  return { node, watch, leave: () => leaving.abort() };
}

const states = { queued: "waits", running: "runs", done: "is done", failed: "failed", cancelled: "was cancelled", stopped: "was stopped" };

// jobCard makes the card of a job. Its button stays the same while the rest changes, so that
// a click on it is not lost.
function jobCard(ctx, id) {
  const cancel = button("Cancel", async () => {
    cancel.disabled = true;
    try {
      await ctx.corpus.post(`jobs/${encodeURIComponent(id)}/cancel`);
    } catch (err) {
      node.append(failure(err));
    }
  }, { "aria-label": "Cancel job " + id, hidden: !ctx.mayWrite });
  const title = el("strong", {}), about = el("span", { class: "quiet" }), rest = el("div", {});
  const node = el("article", { class: "card job", "aria-label": "Job " + id }, el("div", { class: "head" }, title, about, cancel), rest);
  return {
    node,
    show(job) {
      const p = job.progress;
      title.textContent = `Job ${id} ${states[job.state] ?? job.state}`;
      about.textContent = stored(job);
      cancel.hidden ||= !!job.ended;
      fill(rest, p && !job.ended ? el("label", { class: "progress" }, el("span", {}, `${p.stage}: ${number(p.done)} of ${number(p.total)}${p.failed ? `, ${number(p.failed)} failed` : ""}`),
        el("progress", { max: Math.max(1, p.total), value: p.done })) : null,
      job.result ? result(job.result) : null,
      aside(job),
      job.error ? el("p", { class: "wrong" }, sentence(job.error.message), job.error.code === "partial" ? "" : " " + sentence(job.error.hint)) : null);
    },
  };
}

// stored says how many documents of a job are in the database.
function stored(job) {
  if (!job.documents) return "";
  const all = plural(job.documents, "document");
  if (job.stored) return all + ", stored";
  if (!job.stored_documents && !job.set_aside_documents) return all; // it is not known yet
  return `${job.stored_documents ? number(job.stored_documents) : "none"} of ${all} stored`;
}

// aside names the documents that are not stored, or else what failed of those that are.
function aside(job) {
  const most = 20, failed = job.result?.bad_files ?? [];
  const [what, bad, n] = job.set_aside_documents
    ? ["These were not stored, or not whole:", job.set_aside.map(a => `${a.id}: ${a.reason}`), job.set_aside_documents]
    : ["These failed:", failed, failed.length];
  if (!n) return null;
  const rest = n - Math.min(bad.length, most);
  return el("div", { class: "wrong" }, what, el("ul", {}, bad.slice(0, most).map(b => el("li", { dir: "auto" }, b)), rest ? el("li", {}, `and ${number(rest)} more`) : null));
}

// result tells what a job did.
function result(r) {
  const parts = [[r.added, "added"], [r.replaced, "replaced"], [r.unchanged, "unchanged"], [r.failed, "failed"]].filter(([n]) => n).map(([n, what]) => `${number(n)} ${what}`);
  return el("p", { class: "facts" }, [...parts, plural(r.chunks, "chunk") + " in all", duration(r.ms)].map(t => el("span", {}, t)));
}
