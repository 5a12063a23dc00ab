// A document: its text, with a place in it lit.

import { ByteText } from "../parts/bytes.js";
import { button, el, fill, plural, size } from "../parts/dom.js";
import { busy, failure } from "../parts/notice.js";
import { passage } from "../parts/source.js";

// PIECE is how many bytes are shown at once: a book would be slow to draw.
const PIECE = 100_000;

export function documentView(ctx) {
  const { id } = ctx.params;
  const node = el("div", { class: "document" }, busy("Fetching the document…"));
  open().catch(err => fill(node, failure(err)));

  async function open() {
    const [d, shown] = await Promise.all([ctx.corpus.get("document", { id }), ctx.corpus.get("show", { id })]);
    const text = new ByteText(d.text), about = shown.document;
    const lit = ctx.params.to ? [Number(ctx.params.from) || 0, Number(ctx.params.to) || 0] : null;
    fill(node,
      el("h2", { dir: "auto" }, about?.title || id),
      el("p", { class: "facts" }, [id, about?.format, size(text.length), plural(about?.chunks.length ?? 0, "chunk")].filter(Boolean).map(t => el("span", { dir: "auto" }, t)),
        ...Object.entries(about?.meta ?? {}).map(([k, v]) => el("span", { dir: "auto" }, `${k}: ${v}`))),
      body(text, lit));
    node.querySelector("mark")?.scrollIntoView({ block: "center" });
  }
  return { title: "Document", node };
}

// body shows a text around the place that is lit, with buttons for what is before and after.
function body(text, lit) {
  let from = text.begin(Math.max(0, (lit?.[0] ?? 0) - PIECE / 2)), to = text.begin(Math.min(text.length, Math.max(from + PIECE, lit?.[1] ?? 0)));
  const content = el("div", { class: "prose text card", dir: "auto" }, passage(text, [from, to], lit));
  const before = button("Earlier", () => {
    const next = text.begin(Math.max(0, from - PIECE));
    content.prepend(text.slice(next, from));
    from = next;
    settle();
  });
  const after = button("Later", () => {
    const next = text.begin(Math.min(text.length, to + PIECE));
    content.append(text.slice(to, next));
    to = next;
    settle();
  });
  const settle = () => { before.hidden = from === 0; after.hidden = to === text.length; };
  settle();
  return el("div", {}, before, content, after);
}
