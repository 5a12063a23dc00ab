// A drawn graph: nodes with places, and edges between them.

export class Model {
  nodes = [];
  edges = [];
  byId = new Map(); // node by its id
  #known = new Set(); // edges by their ends and type

  // add adds a node that is not there, beside another one if that is given, and returns
  // the node that is there.
  add({ id, type, key, name, degree }, beside) {
    const there = this.byId.get(id);
    if (there) return there;
    // A spiral of golden angles: no two stand in one place.
    const i = this.nodes.length, r = 18 * Math.sqrt(i + 1), a = i * 2.399963;
    const near = beside ? 30 + Math.random() * 30 : r;
    const node = { id, type, key, name: name || key, degree: degree ?? 0, links: 0, x: (beside?.x ?? 0) + near * Math.cos(a), y: (beside?.y ?? 0) + near * Math.sin(a), vx: 0, vy: 0, community: -1, held: false };
    this.nodes.push(node);
    this.byId.set(id, node);
    return node;
  }

  // link adds an edge between nodes that are there.
  link(from, to, type, weight = 1) {
    const a = this.byId.get(from), b = this.byId.get(to), name = `${from} ${to} ${type}`;
    if (!a || !b || a === b || this.#known.has(name)) return;
    this.#known.add(name);
    this.edges.push({ a, b, type, weight });
    a.links++;
    b.links++;
  }

  // types counts the nodes of each type, the commonest first.
  types() {
    const counts = new Map();
    for (const n of this.nodes) counts.set(n.type, (counts.get(n.type) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }

  neighbours(node) {
    const out = [];
    for (const e of this.edges) {
      if (e.a === node) out.push([e.b, e]);
      else if (e.b === node) out.push([e.a, e]);
    }
    return out.sort((x, y) => y[1].weight - x[1].weight);
  }
}

// radius is how large a node is drawn.
export const radius = n => 3.5 + 1.6 * Math.sqrt(Math.min(100, Math.max(n.links, n.degree)));
