// Places of nodes: all push each other away, edges pull. The push of far nodes is that of
// squares of a tree (Barnes and Hut), so that a step takes n log n.

const PUSH = 420, PULL = 0.06, LENGTH = 46, CENTRE = 0.012, SLOW = 0.62, FAR = 0.9;

export class Layout {
  heat = 1; // 0 is at rest

  constructor(model) {
    this.model = model;
  }

  warm(heat = 1) {
    this.heat = Math.max(this.heat, heat);
  }

  // step moves the nodes once, and reports whether it did.
  step() {
    if (this.heat < 0.02) return false;
    const { nodes, edges } = this.model;
    const tree = new Square(nodes);
    for (const n of nodes) {
      tree.push(n);
      n.vx -= n.x * CENTRE;
      n.vy -= n.y * CENTRE;
    }
    for (const { a, b } of edges) {
      const dx = b.x - a.x, dy = b.y - a.y, d = Math.hypot(dx, dy) || 1;
      // A node with many edges is not torn about by one of them.
      const f = PULL * (d - LENGTH) / d, share = b.links / (a.links + b.links);
      a.vx += dx * f * share;
      a.vy += dy * f * share;
      b.vx -= dx * f * (1 - share);
      b.vy -= dy * f * (1 - share);
    }
    for (const n of nodes) {
      if (!n.held) {
        const speed = Math.hypot(n.vx, n.vy), most = 40 * this.heat;
        const f = speed > most ? most / speed : 1;
        n.x += n.vx * f;
        n.y += n.vy * f;
      }
      n.vx *= SLOW;
      n.vy *= SLOW;
    }
    this.heat *= nodes.length > 1500 ? 0.975 : 0.985;
    return true;
  }
}

// Square is a tree of squares, in arrays: a square has four children, or one node.
class Square {
  constructor(nodes) {
    let low = Infinity, high = -Infinity;
    for (const n of nodes) {
      low = Math.min(low, n.x, n.y);
      high = Math.max(high, n.x, n.y);
    }
    this.size = high - low + 1;
    this.low = low;
    const most = 8 * nodes.length + 64;
    this.child = new Int32Array(4 * most); // 0 is none
    this.mass = new Float64Array(most);
    this.x = new Float64Array(most);
    this.y = new Float64Array(most);
    this.used = 1;
    this.most = most;
    for (const n of nodes) this.#insert(n);
  }

  // insert adds a node to the sums of the squares that it is in. A square that had one node
  // moves it down.
  #insert(n) {
    let at = 0, x0 = this.low, y0 = this.low, size = this.size;
    for (let depth = 0; depth < 24; depth++) {
      const before = this.mass[at];
      if (before === 1 && depth < 23) this.#into(at, this.x[at], this.y[at], x0, y0, size);
      this.x[at] = (this.x[at] * before + n.x) / (before + 1);
      this.y[at] = (this.y[at] * before + n.y) / (before + 1);
      this.mass[at] = before + 1;
      if (before === 0) return;
      size /= 2;
      const right = n.x >= x0 + size, below = n.y >= y0 + size;
      const next = this.#child(at, (right ? 1 : 0) + (below ? 2 : 0));
      if (!next) return;
      if (right) x0 += size;
      if (below) y0 += size;
      at = next;
    }
  }

  // into puts the one node of a square into a child.
  #into(at, x, y, x0, y0, size) {
    const c = this.#child(at, (x >= x0 + size / 2 ? 1 : 0) + (y >= y0 + size / 2 ? 2 : 0));
    if (!c) return;
    this.mass[c] = 1;
    this.x[c] = x;
    this.y[c] = y;
  }

  #child(at, i) {
    let c = this.child[4 * at + i];
    if (!c && this.used < this.most) c = this.child[4 * at + i] = this.used++;
    return c;
  }

  // push adds to a node's speed what all others push it.
  push(n) {
    const stack = [0, this.size];
    while (stack.length) {
      const size = stack.pop(), at = stack.pop(), mass = this.mass[at];
      const dx = n.x - this.x[at], dy = n.y - this.y[at], d2 = dx * dx + dy * dy;
      if (mass > 1 && size * size > FAR * FAR * d2) {
        for (let i = 0; i < 4; i++) {
          const c = this.child[4 * at + i];
          if (c) stack.push(c, size / 2);
        }
        continue;
      }
      if (d2 < 1e-6) continue; // itself
      const f = PUSH * mass / Math.max(d2, 60);
      n.vx += dx * f / Math.sqrt(d2) * 2;
      n.vy += dy * f / Math.sqrt(d2) * 2;
    }
  }
}
