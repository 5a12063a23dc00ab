// The page of an export, one file: it draws what the element "data" holds; see package page
// for its shape. Its markup loads Cytoscape.js before it.

import { el } from "./parts/dom.js";
import { dot as point } from "./parts/dot.js";
import { colour, palette, short } from "./parts/palette.js";

const data = JSON.parse(document.getElementById("data").textContent);
const graph = data.graph || { types: [], edgeTypes: [], nodes: [], edges: [] };
const FIRST = 60, MORE = 40;

const $ = id => document.getElementById(id);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dot = type => point(colour(type));

// Neighbours of each node, those with names before pieces of text, heaviest
// first: [node, edge].
const near = graph.nodes.map(() => []);
graph.edges.forEach((e, i) => { near[e[0]].push([e[1], i]); near[e[1]].push([e[0], i]); });
const isText = n => graph.types[graph.nodes[n].t].text ? 1 : 0;
near.forEach(list => list.sort((a, b) => isText(a[0]) - isText(b[0]) || graph.edges[b[1]][3] - graph.edges[a[1]][3] || a[0] - b[0]));

const hiddenTypes = new Set(), hiddenEdges = new Set();
let selected = -1;

const cy = cytoscape({ container: $("stage"), wheelSensitivity: 0.3, minZoom: 0.05, maxZoom: 4, style: [] });
function restyle() {
  cy.style([
    { selector: "node", style: { "label": "data(label)", "background-color": "data(colour)", "width": "data(size)", "height": "data(size)",
      "font-size": 11, "color": css("--ink"), "text-outline-color": css("--paper"), "text-outline-width": 2, "text-valign": "bottom", "text-margin-y": 3, "min-zoomed-font-size": 6 } },
    { selector: "node.box", style: { "shape": "round-rectangle", "text-valign": "center", "text-margin-y": 0, "width": "data(size)", "height": 26, "color": "#ffffff", "text-outline-width": 0 } },
    { selector: "node.selected", style: { "border-width": 4, "border-color": css("--mark") } },
    { selector: "edge", style: { "width": "data(width)", "line-color": css("--line"), "curve-style": "bezier", "target-arrow-color": css("--line"), "opacity": 0.9 } },
    { selector: "edge.directed", style: { "target-arrow-shape": "triangle", "arrow-scale": 0.7 } },
    { selector: "edge.selected", style: { "opacity": 0.55, "line-color": css("--mark"), "target-arrow-color": css("--mark") } },
    { selector: ".off", style: { "display": "none" } },
    { selector: ".cut", style: { "opacity": 0.35 } },
  ]);
}
restyle();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);

const widest = Math.max(1e-9, ...graph.edges.map(e => e[3]));
function addNode(n, at) {
  if (cy.getElementById("n" + n).nonempty()) return false;
  const node = graph.nodes[n];
  cy.add({ group: "nodes", data: { id: "n" + n, n, label: short(node.n), colour: colour(node.t), size: 10 + 4 * Math.log2(1 + near[n].length) }, position: at });
  return true;
}
function link() {
  cy.nodes().forEach(v => near[v.data("n")]?.forEach(([m, i]) => {
    if (cy.getElementById("n" + m).empty() || cy.getElementById("e" + i).nonempty()) return;
    const [from, to, type, weight] = graph.edges[i];
    cy.add({ group: "edges", data: { id: "e" + i, source: "n" + from, target: "n" + to, type, width: 1 + 3 * Math.sqrt(Math.max(0, weight) / widest) },
      classes: graph.edgeTypes[type].directed ? "directed" : "" });
  }));
}
function filter() {
  cy.batch(() => {
    cy.nodes().forEach(v => v.toggleClass("off", hiddenTypes.has(graph.nodes[v.data("n")]?.t)));
    cy.edges().forEach(e => e.toggleClass("off", hiddenEdges.has(e.data("type"))));
  });
  const on = cy.nodes().filter(v => !v.hasClass("off")).length;
  $("shown").textContent = `${on.toLocaleString()} drawn · ${graph.nodes.length.toLocaleString()} in this page of ${graph.total.toLocaleString()} nodes`;
}
// expand draws a node with its heaviest neighbours around it.
function expand(n, count) {
  const there = cy.getElementById("n" + n);
  const at = there.nonempty() ? { ...there.position() } : { x: 0, y: 0 };
  addNode(n, at);
  const fresh = near[n].map(([m]) => m).filter(m => !hiddenTypes.has(graph.nodes[m].t) && cy.getElementById("n" + m).empty());
  const unique = [...new Set(fresh)].slice(0, count);
  unique.forEach((m, i) => {
    // A spiral of golden angles: no two on one place, the heaviest nearest.
    const r = 70 + 26 * Math.sqrt(i), a = i * 2.399963;
    addNode(m, { x: at.x + r * Math.cos(a), y: at.y + r * Math.sin(a) });
  });
  link();
  if (unique.length) {
    cy.layout({ name: "cose", animate: false, randomize: false, fit: false, nodeRepulsion: () => 60000, idealEdgeLength: () => 90, nodeOverlap: 20, numIter: 500 }).run();
  }
  filter();
  return unique.length;
}
function select(n, go) {
  if (cy.getElementById("n" + n).empty()) { expand(n, MORE); go = true; }
  selected = n;
  cy.elements().removeClass("selected");
  const v = cy.getElementById("n" + n);
  v.addClass("selected");
  v.connectedEdges().addClass("selected");
  if (go) cy.animate({ center: { eles: v }, duration: 200 });
  showNode(n);
}
function sourceList(sources) {
  const out = el("div");
  sources.forEach(i => {
    const s = typeof i === "number" ? data.sources[i] : i;
    const where = [s.n ? `[${s.n}]` : "", s.doc, s.page ? "page " + s.page : "", s.heading, s.bytes ? `bytes ${s.bytes[0]}–${s.bytes[1]}` : ""].filter(Boolean).join(" · ");
    out.append(el("div", { className: "quiet", textContent: where }), el("blockquote", { textContent: s.text }));
  });
  return out;
}
function showNode(n) {
  const node = graph.nodes[n], panel = $("panel");
  const actions = el("div", { className: "actions" },
    el("button", { textContent: "Expand", click: () => { expand(n, MORE); select(n); } }),
    el("button", { textContent: "Only this", click: () => { cy.elements().remove(); expand(n, FIRST); cy.fit(undefined, 40); select(n); } }),
    el("button", { textContent: "Hide", click: hide }));
  panel.replaceChildren(el("h2", { textContent: node.n }), el("div", { className: "quiet", textContent: `${graph.types[node.t].name} · ${node.k}` }), actions);
  if (node.d) panel.append(el("h3", { textContent: "What is said of it" }), el("blockquote", { textContent: node.d }));
  if (node.s?.length) panel.append(el("h3", { textContent: `Sources (${node.s.length}${node.more ? " of " + (node.s.length + node.more) : ""})` }), sourceList(node.s));
  const list = el("ul");
  near[n].slice(0, 200).forEach(([m, i]) => {
    const e = graph.edges[i], other = graph.nodes[m];
    const arrow = graph.edgeTypes[e[2]].directed ? (e[0] === n ? "→ " : "← ") : "";
    list.append(el("li", {}, el("button", { click: () => select(m, true) }, dot(other.t), el("span", { textContent: short(other.n) }),
      el("span", { className: "edge", textContent: arrow + graph.edgeTypes[e[2]].name }))));
  });
  panel.append(el("h3", { textContent: `Neighbours (${near[n].length})` }), list);
  panel.scrollTop = 0;
}
function hide() {
  if (selected < 0) return;
  cy.getElementById("n" + selected).remove();
  selected = -1;
  $("panel").replaceChildren(el("p", { className: "quiet", textContent: "Nothing is selected." }));
  filter();
}

// Search: names that begin with the words first, then those that hold them.
function search() {
  const q = $("search").value.trim().toLowerCase(), found = $("found");
  found.replaceChildren();
  if (!q) return;
  const begins = [], holds = [];
  graph.nodes.forEach((node, n) => {
    const name = node.n.toLowerCase();
    if (name.startsWith(q)) begins.push(n); else if (name.includes(q)) holds.push(n);
  });
  const all = begins.concat(holds);
  all.slice(0, 30).forEach(n => found.append(el("li", {}, el("button", { click: () => select(n, true) }, dot(graph.nodes[n].t), el("span", { textContent: graph.nodes[n].n })))));
  if (!all.length) found.append(el("li", { className: "quiet", textContent: "No name holds this." }));
  if (all.length > 30) found.append(el("li", { className: "quiet", textContent: `and ${all.length - 30} more` }));
}
$("search").addEventListener("input", search);
$("search").addEventListener("keydown", e => { if (e.key === "Enter") $("found").querySelector("button")?.click(); });

function choices(field, names, hidden) {
  names.forEach((t, i) => {
    if (!t.count) return;
    const box = el("input", { type: "checkbox", checked: true, change: () => { box.checked ? hidden.delete(i) : hidden.add(i); filter(); } });
    field.append(el("label", {}, box, field.id === "types" ? dot(i) : null, el("span", { textContent: t.name }), el("span", { className: "count", textContent: t.count.toLocaleString() })));
  });
}
choices($("types"), graph.types, hiddenTypes);
choices($("edgetypes"), graph.edgeTypes, hiddenEdges);

cy.on("tap", "node", e => { const n = e.target.data("n"); if (n >= 0) select(n); else showItem(e.target.data("item")); });
cy.on("dbltap", "node", e => { const n = e.target.data("n"); if (n >= 0) { expand(n, MORE); select(n); } });
document.addEventListener("keydown", e => {
  if (e.target instanceof HTMLInputElement || e.ctrlKey || e.metaKey || e.altKey) return;
  switch (e.key) {
    case "/": $("search").focus(); e.preventDefault(); break;
    case "f": cy.fit(undefined, 40); break;
    case "e": if (selected >= 0) { expand(selected, MORE); select(selected); } break;
    case "h": hide(); break;
  }
});

// The trace of an answer: from the question by the steps of each piece of
// evidence to the piece, lines as wide as their scores.
const trace = data.trace;
function showItem(i) {
  if (!(i >= 0)) return; // a step, or the question
  const it = trace.items[i], panel = $("panel");
  panel.replaceChildren(el("h2", { textContent: it.name }), el("div", { className: "quiet", textContent: `rank ${i + 1} · ${it.section} · score ${it.score.toPrecision(4)} · ${it.tokens} tokens` }));
  const steps = el("table");
  it.why.forEach(s => steps.append(el("tr", {}, el("td", { textContent: s.op }), el("td", { textContent: s.note || "" }), el("td", { className: "number", textContent: s.score.toPrecision(4) }))));
  panel.append(el("h3", { textContent: "Why it is here" }), steps);
  if (it.s?.length) panel.append(el("h3", { textContent: "Sources" }), sourceList(it.s));
  cy.elements().removeClass("selected");
  cy.getElementById("i" + i).addClass("selected").predecessors().addClass("selected");
}
const pen = document.createElement("canvas").getContext("2d");
pen.font = "11px Helvetica, Arial, sans-serif"; // as the library writes labels
const WAYS = 24, ROW = 36, COLUMN = 240;
function drawTrace(count) {
  selected = -1;
  cy.elements().remove();
  const steps = new Map(); // id -> {depth, label, before, rows, score}
  const items = trace.items.slice(0, count || WAYS);
  // Scores compare within a section only.
  const top = section => Math.max(1e-9, ...trace.items.filter(x => x.section === section).map(x => x.score));
  const depth = 1 + Math.max(0, ...items.map(it => it.why.length));
  const nodes = [], edges = [];
  const box = (id, label, colour, x, y, item) => nodes.push({ group: "nodes", data: { id, label, colour, size: pen.measureText(label).width + 20, item: item ?? -1 }, position: { x, y }, classes: "box" });
  box("q", short(trace.question), palette[3], 0, (items.length - 1) * ROW / 2);
  items.forEach((it, i) => {
    let before = "q";
    it.why.forEach((s, d) => {
      const id = "s" + d + " " + s.op + " " + (s.note || "") + " " + before;
      if (!steps.has(id)) {
        steps.set(id, { id, depth: d + 1, label: short(s.op + (s.note ? " · " + s.note : "")), rows: [] });
        edges.push([before, id, 1 + 3 * Math.min(1, Math.max(0, s.score))]);
      }
      steps.get(id).rows.push(i);
      before = id;
    });
    box("i" + i, (i + 1) + "  " + short(it.name), palette[2], depth * COLUMN, i * ROW, i);
    edges.push([before, "i" + i, 1 + 5 * Math.max(0, it.score) / top(it.section)]);
  });
  // A step stands level with the middle of what it leads to, below the step
  // above it in its column.
  const low = [];
  [...steps.values()].sort((a, b) => a.rows[0] - b.rows[0]).forEach(s => {
    const y = Math.max((s.rows[0] + s.rows[s.rows.length - 1]) / 2 * ROW, (low[s.depth] ?? -1e9) + ROW);
    low[s.depth] = y;
    box(s.id, s.label, palette[0], s.depth * COLUMN, y);
  });
  cy.add(nodes.concat(edges.map(([source, target, width]) => ({ group: "edges", data: { source, target, width }, classes: "directed" }))));
  cy.fit(undefined, 30);
  if (cy.zoom() < 0.6) { cy.zoom(0.6); cy.center(cy.getElementById("q")); }
  $("shown").textContent = `${trace.method} · ${items.length} of ${trace.items.length} ${trace.items.length === 1 ? "piece" : "pieces"} of evidence drawn`;
  const plan = trace.ops.map(o => "  ".repeat(o.depth) + o.text + `  ${o.rows} rows, ${o.ms} ms`).join("\n");
  const panel = [el("h2", { textContent: trace.question }), el("div", { className: "quiet", textContent: `${trace.method} · ${trace.id || "trace"}` })];
  if (trace.answer) panel.push(el("h3", { textContent: "Answer" }), el("blockquote", { className: "answer", textContent: trace.answer }));
  if (trace.cited?.length) panel.push(sourceList(trace.cited));
  if (items.length < trace.items.length) panel.push(el("div", { className: "actions" }, el("button", { textContent: `Draw all ${trace.items.length}`, click: () => drawTrace(trace.items.length) })));
  panel.push(el("h3", { textContent: "Evidence" }),
    el("ul", {}, ...trace.items.map((it, i) => el("li", {}, el("button", { click: () => showItem(i) }, el("span", { textContent: (i + 1) + "  " + it.name }), el("span", { className: "edge", textContent: it.score.toPrecision(3) })),
      it.s?.length ? el("div", { className: "quote", textContent: data.sources[it.s[0]].text }) : null))),
    el("h3", { textContent: "Plan" }), el("div", { className: "plan", textContent: plan }));
  $("panel").replaceChildren(...panel);
}
function drawGraph() {
  cy.elements().remove();
  filter();
  if (!graph.nodes.length) { $("panel").replaceChildren(el("p", { className: "quiet", textContent: "The graph has no nodes." })); return; }
  expand(graph.start, FIRST);
  cy.fit(undefined, 40);
  select(graph.start);
}
const views = [];
if (data.graph) views.push(["Graph", drawGraph]);
if (trace) views.unshift(["Answer", () => drawTrace()]);
const buttons = views.map(([name, draw]) => el("button", { textContent: name, click: () => { buttons.forEach(b => b.setAttribute("aria-pressed", b === buttons[views.findIndex(v => v[0] === name)])); draw(); } }));
if (views.length > 1) $("views").append(...buttons);
if (buttons.length) buttons[0].click();
