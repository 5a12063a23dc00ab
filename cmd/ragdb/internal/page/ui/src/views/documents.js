// Documents: what there is, by page, and what adds and removes.

import { button, el, field, fill, plural, size } from "../parts/dom.js";
import { confirm } from "../parts/confirm.js";
import { jobList } from "../parts/jobs.js";
import { busy, empty, failure } from "../parts/notice.js";

const PAGE = 50;

export function documentsView(ctx) {
  const list = el("div", { "aria-live": "polite" });
  const jobs = jobList(ctx, () => load());
  const prefix = el("input", { type: "search", placeholder: "Ids that begin with…", "aria-label": "Ids that begin with", spellcheck: false,
    input: () => { clearTimeout(timer); timer = setTimeout(() => { before = []; load(""); }, 250); } });
  let timer = 0, before = [], here = "", turn = 0;

  // load shows the page that begins at after, or this page again.
  async function load(after = here) {
    const mine = ++turn;
    try {
      const page = await ctx.corpus.get("documents", { limit: PAGE, ...after ? { after } : {}, ...prefix.value ? { prefix: prefix.value } : {} });
      if (mine !== turn) return; // something else was asked for since
      here = after;
      render(page);
    } catch (err) {
      fill(list, failure(err));
    }
  }

  function render(page) {
    if (!page.documents?.length) {
      return fill(list, page.total ? empty("No id begins so") : empty("There are no documents yet", ctx.mayWrite ? "Drop files above, or choose them." : ""));
    }
    fill(list, el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Documents" }, el("table", { class: "docs" },
      el("thead", {}, el("tr", {}, ["Document", "Format", "Size", "About it", ...ctx.mayWrite ? [""] : []].map(t => el(t ? "th" : "td", t === "Size" ? { class: "num" } : {}, t)))),
      el("tbody", {}, page.documents.map(row)))),
      el("div", { class: "pager" }, el("span", { class: "quiet" }, plural(page.total, "document") + " in all"),
        button("Back", () => load(before.pop() ?? ""), { disabled: !here }),
        button("Next", () => { before.push(here); load(page.next); }, { disabled: !page.next })));
  }

  function row(d) {
    const about = Object.entries(d.meta ?? {}).map(([k, v]) => `${k}: ${v}`).join(", ");
    return el("tr", {},
      el("td", {}, el("a", { href: ctx.href("document", { id: d.id }), dir: "auto" }, d.title || d.id), d.title ? el("div", { class: "quiet", dir: "auto" }, d.id) : null),
      el("td", {}, d.format), el("td", { class: "num" }, size(d.bytes)), el("td", { class: "quiet", dir: "auto" }, about),
      ctx.mayWrite ? el("td", {}, button("Remove", e => remove(d, e.target), { class: "plain danger", "aria-label": "Remove " + d.id })) : null);
  }

  // remove tells what would go, asks, and removes.
  async function remove(d, from) {
    from.disabled = true;
    try {
      const would = await ctx.corpus.remove("documents", { id: d.id, dry_run: true });
      const yes = await confirm("Remove this document?", [
        el("p", {}, el("strong", { dir: "auto" }, d.title || d.id)),
        el("p", {}, `${plural(would.chunks, "chunk")} and ${plural(would.derived, "thing")} that only it supports go with it. This cannot be undone.`)], "Remove");
      if (!yes) return;
      await ctx.corpus.remove("documents", { id: d.id });
      await load();
    } catch (err) {
      list.prepend(failure(err));
    } finally {
      from.disabled = false;
    }
  }

  fill(list, busy("Fetching the documents…"));
  load();
  return {
    title: "Documents",
    node: el("div", { class: "documents" }, ctx.mayWrite ? uploadForm(ctx, job => jobs.watch(job)) : null, jobs.node,
      el("div", { class: "row bar" }, el("h2", {}, "Documents"), prefix), list),
    leave: () => jobs.leave(),
  };
}

// uploadForm takes files that are dropped or chosen, and calls begun with the job.
function uploadForm(ctx, begun) {
  const said = el("div", { "aria-live": "polite" });
  const files = el("input", { type: "file", multiple: true, class: "unseen", "aria-label": "Files to add", change: () => send([...files.files]) });
  const prefix = el("input", { type: "text", placeholder: "reports/", spellcheck: false });
  async function send(all) {
    if (!all.length) return;
    const bytes = all.reduce((n, f) => n + f.size, 0);
    fill(said, busy(`Sending ${plural(all.length, "file")}, ${size(bytes)}…`));
    try {
      begun(await ctx.corpus.upload(all, prefix.value.trim()));
      fill(said);
    } catch (err) {
      fill(said, failure(err));
    }
    files.value = "";
  }
  const zone = el("div", { class: "drop card",
    dragover: e => { e.preventDefault(); zone.classList.add("over"); },
    dragleave: () => zone.classList.remove("over"),
    drop: e => { e.preventDefault(); zone.classList.remove("over"); send([...e.dataTransfer.files]); } },
    el("div", {}, el("strong", {}, "Drop files here"), el("p", { class: "quiet" }, "Files that end in .txt, .md, .html, .pdf, .csv, .tsv or .jsonl, or in one of these and .gz. Others are read as text. A file of a known name replaces its document.")),
    button("Choose files", () => files.click(), { class: "main" }), files,
    field("Folder in front of the names", prefix), said);
  return zone;
}
