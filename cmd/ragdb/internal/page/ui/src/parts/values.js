// Values of rows: nodes, edges, paths, lists, maps and plain ones.

import { el, number } from "./dom.js";

export const isNode = v => !!v && typeof v === "object" && Array.isArray(v.labels) && "id" in v;
export const isEdge = v => !!v && typeof v === "object" && typeof v.type === "string" && "start" in v && "end" in v;
export const isPath = v => !!v && typeof v === "object" && Array.isArray(v.nodes) && Array.isArray(v.edges);

// nameOf is what a node is called.
export const nameOf = n => String(n.properties?.name ?? n.properties?.title ?? n.key);

// nodeId is the id by which the server shows a node.
export const nodeId = (type, key) => (type === "entity" ? "e" : type === "chunk" ? "c" : type) + ":" + key;

// cell shows a value.
export function cell(v) {
  if (v === null || v === undefined) return el("span", { class: "quiet" }, "null");
  if (isNode(v)) return el("span", { class: "chip", dir: "auto", title: v.labels.join(":") + ":" + v.key },
    v.labels.length ? el("span", { class: "quiet" }, v.labels.join(" ") + " ") : null, nameOf(v));
  if (isEdge(v)) return el("span", { class: "chip" }, `–${v.type}→`);
  if (isPath(v)) return el("span", {}, v.nodes.map((n, i) => [cell(n), v.edges[i] ? cell(v.edges[i]) : null]));
  if (typeof v === "number") return el("span", { class: "num" }, Number.isInteger(v) ? number(v) : String(v));
  if (typeof v === "object") return el("code", {}, JSON.stringify(v));
  return el("span", { dir: "auto", class: "prose" }, String(v));
}

// gather adds to a model the nodes and edges that a value holds, at any depth.
export function gather(model, v) {
  const edges = [];
  const walk = x => {
    if (isNode(x)) model.add({ id: x.id, type: x.labels[0] ?? "", key: x.key, name: nameOf(x) });
    else if (isEdge(x)) edges.push(x);
    else if (x && typeof x === "object") Object.values(x).forEach(walk);
  };
  walk(v);
  return edges;
}
