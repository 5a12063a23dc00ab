// The graph explorer: search a node, expand it, see communities.

import { button, el, field, fill, number, plural, prose } from "../parts/dom.js";
import { dot } from "../parts/dot.js";
import { colour, short } from "../parts/palette.js";
import { busy, empty, failure } from "../parts/notice.js";
import { nodeId } from "../parts/values.js";
import { graphCanvas } from "../graph/canvas.js";
import { Model } from "../graph/model.js";
import { GraphSource } from "../graph/source.js";

export function graphView(ctx) {
  const source = new GraphSource(ctx.corpus);
  let model = new Model(), canvas = null, byCommunity = false, total = 0, turn = 0, types = [];
  const stage = el("div", { class: "stage" });
  const panel = el("aside", { class: "side", "aria-label": "Node", "aria-live": "polite" }, el("p", { class: "quiet" }, "Choose a node to read about it."));
  const found = el("ol", { class: "names" });
  const filter = el("fieldset", {});
  const shown = el("p", { class: "shown", role: "status" });
  const graphs = el("select", { change: () => { source.graph = graphs.value; load(); } });
  const most = el("select", { change: () => load() }, [100, 300, 1000, 5000].map(n => el("option", { value: n, selected: n === 300 }, number(n))));
  const colours = el("select", { change: () => recolour() }, el("option", { value: "type" }, "Type"), el("option", { value: "community" }, "Community"));
  const search = el("input", { type: "search", placeholder: "A name, or a part of it", spellcheck: false, input: () => { clearTimeout(timer); timer = setTimeout(find, 250); } });
  let timer = 0;

  const colourOf = n => byCommunity ? n.community < 0 ? "#7f7f7f" : colour(n.community) : colour(types.indexOf(n.type));

  // load draws the most connected nodes of the graph.
  async function load() {
    const mine = ++turn;
    canvas?.leave();
    fill(stage, busy("Fetching the graph…"));
    try {
      const fresh = new Model();
      const count = await source.top(fresh, Number(most.value));
      if (mine !== turn) return; // another graph was chosen
      [model, total] = [fresh, count];
      types = model.types().map(([t]) => t);
      if (!model.nodes.length) return fill(stage, empty("The graph has no nodes"));
      canvas = graphCanvas(model, { colourOf, select: n => n && tell(n), expand });
      fill(stage, canvas.node, shown, el("div", { class: "tools" }, button("Show all", canvas.fit)));
      canvas.changed();
      settle();
      if (byCommunity) await recolour();
      if (ctx.params.node) open(ctx.params.node);
    } catch (err) {
      if (mine === turn) fill(stage, failure(err));
    }
  }

  // settle brings what stands beside the graph in step with it.
  function settle() {
    for (const [t] of model.types()) if (!types.includes(t)) types.push(t);
    fill(filter, el("legend", {}, "Types"), model.types().map(([t, n]) => el("label", { class: "check" },
      el("input", { type: "checkbox", checked: !canvas.hidden.has(t), change: e => { canvas.hide(t, !e.target.checked); count(); } }),
      byCommunity ? null : dot(colour(types.indexOf(t))), el("span", {}, t), el("span", { class: "quiet num" }, number(n)))));
    count();
  }

  function count() {
    const n = model.nodes.filter(x => !canvas.hidden.has(x.type)).length;
    shown.textContent = `${number(n)} of ${plural(total, "node")} shown`;
  }

  async function recolour() {
    byCommunity = colours.value === "community";
    if (byCommunity) {
      try {
        await source.communities(model);
      } catch (err) {
        panel.prepend(failure(err));
      }
    }
    canvas?.redraw();
    if (canvas) settle();
  }

  // find lists nodes of the whole graph whose names hold what was written.
  async function find() {
    const text = search.value.trim(), mine = ++turn;
    if (!text) return fill(found);
    try {
      const nodes = await source.find(text);
      if (mine !== turn) return;
      fill(found, nodes.length ? nodes.map(n => item(n, () => { place(n); }, n.type)) : el("li", { class: "quiet" }, "No name holds this."));
    } catch (err) {
      fill(found, el("li", {}, failure(err)));
    }
  }

  function item(n, click, right) {
    const drawn = model.byId.get(n.id);
    return el("li", {}, el("button", { type: "button", click }, dot(drawn ? colourOf(drawn) : colour(Math.max(0, types.indexOf(n.type)))), el("span", { dir: "auto" }, short(n.name, 60)), el("span", { class: "quiet" }, right)));
  }

  // place shows a node, and fetches its neighbours if it was not there.
  async function place(n) {
    const there = model.byId.get(n.id);
    const node = there ?? model.add(n);
    if (there) canvas.choose(there, true);
    else await expand(node);
    canvas.choose(node, true);
    tell(node);
  }

  async function open(key) {
    try {
      const n = await source.node(key);
      if (n) await place(n);
    } catch (err) {
      panel.prepend(failure(err));
    }
  }

  // expand fetches the neighbours of a node.
  async function expand(node) {
    try {
      const before = model.nodes.length;
      await source.neighbours(model, node);
      if (byCommunity) await source.communities(model);
      canvas.changed(before < 5);
      settle();
      tell(node);
    } catch (err) {
      panel.prepend(failure(err));
    }
  }

  // tell shows what the documents say of a node.
  async function tell(node) {
    const about = el("div", { class: "said" }, busy("Reading…"));
    const near = model.neighbours(node);
    fill(panel, el("h2", { dir: "auto" }, node.name), el("p", { class: "quiet" }, `${node.type}, ${plural(near.length, "neighbour")} shown${node.degree > near.length ? " of " + number(node.degree) : ""}`),
      el("div", { class: "row" }, button("Expand", () => expand(node), { class: "main" })), about,
      near.length ? el("h3", {}, "Neighbours") : null,
      el("ol", { class: "names" }, near.slice(0, 200).map(([n, e]) => item(n, () => { canvas.choose(n, true); tell(n); }, (e.a === node ? "→ " : "← ") + e.type))));
    try {
      const s = await ctx.corpus.get("show", { id: nodeId(node.type, node.key) });
      const texts = s.chunk ? [s.chunk.text] : (s.nodes ?? []).flatMap(n => n.texts ?? []);
      fill(about, texts.slice(0, 5).map(t => prose(t)), s.chunk ? el("p", {}, el("a", { href: ctx.href("document", { id: s.chunk.span.doc, from: s.chunk.span.bytes[0], to: s.chunk.span.bytes[1] }) }, "In its document")) : null);
    } catch {
      fill(about); // show does not know every kind of node
    }
  }

  source.graphs().then(names => {
    fill(graphs, names.map(n => el("option", { value: n }, n)));
    graphs.value = source.graph = names.includes(ctx.params.graph) ? ctx.params.graph : names.find(n => n !== "base") ?? names[0];
    return load();
  }, err => fill(stage, failure(err)));
  return {
    title: "Graph",
    node: el("div", { class: "explorer" },
      el("div", { class: "side" }, field("Find a node", search), found, field("Graph", graphs), field("Most connected nodes", most), field("Colours by", colours), filter),
      stage, panel),
    leave: () => { turn++; canvas?.leave(); },
  };
}
