// A graph that can be moved, brought nearer and clicked.

import { el } from "../parts/dom.js";
import { draw, scale } from "./draw.js";
import { Layout } from "./layout.js";
import { radius } from "./model.js";
import { Still } from "./still.js";

// MANY is from how many edges on a view that moves shows its last picture.
const MANY = 1500;

// graphCanvas shows a model. It calls on.select with a node that is clicked, and on.expand
// with one that is clicked twice. colourOf gives the colour of a node.
export function graphCanvas(model, { colourOf, select, expand }) {
  const canvas = el("canvas", { tabIndex: 0, role: "application", "aria-label": "Graph. Arrows move it, plus and minus bring it nearer, f shows all of it. The list beside it has the same nodes." });
  const pen = canvas.getContext("2d", { alpha: false });
  const view = { x: 0, y: 0, k: 1 };
  const look = { colourOf, hidden: new Set(), selected: null };
  const layout = new Layout(model);
  const leaving = new AbortController();
  let width = 0, height = 0, asked = false, follow = true, dragged = null, frames = 0, moving = false, rest = 0;
  const still = new Still(canvas);

  function theme() {
    const s = getComputedStyle(document.documentElement);
    for (const [name, v] of [["paper", "--card"], ["ink", "--ink"], ["edge", "--edge"], ["accent", "--accent"]]) look[name] = s.getPropertyValue(v).trim();
    redraw();
  }

  function redraw() {
    if (asked || leaving.signal.aborted) return;
    asked = true;
    requestAnimationFrame(frame);
  }

  function frame() {
    asked = false;
    // While a hand moves the view, the nodes stay where they are.
    if (!moving) {
      const moved = layout.step();
      if (moved && follow) fit();
      if (moved) redraw();
    }
    if (moving && model.edges.length > MANY) still.show(pen, view, look.paper);
    else {
      draw(pen, width, height, view, model, look);
      still.keep(view, width, height);
    }
    canvas.dataset.frames = String(++frames);
  }

  // hand says that a hand moves the view; a little after it rests, all is drawn again.
  function hand() {
    follow = false;
    moving = true;
    clearTimeout(rest);
    rest = setTimeout(() => { moving = false; redraw(); }, 160);
    redraw();
  }

  // fit brings all of the graph into the view.
  function fit() {
    const shown = model.nodes.filter(n => !look.hidden.has(n.type));
    if (!shown.length || !width) return;
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const n of shown) {
      [x0, y0, x1, y1] = [Math.min(x0, n.x), Math.min(y0, n.y), Math.max(x1, n.x), Math.max(y1, n.y)];
    }
    view.k = Math.min(2, (width - 70) / Math.max(1, x1 - x0), (height - 70) / Math.max(1, y1 - y0));
    view.x = width / 2 - view.k * (x0 + x1) / 2;
    view.y = height / 2 - view.k * (y0 + y1) / 2;
  }

  function zoom(by, px = width / 2, py = height / 2) {
    const k = Math.min(8, Math.max(0.02, view.k * by));
    view.x = px - (px - view.x) * k / view.k;
    view.y = py - (py - view.y) * k / view.k;
    view.k = k;
    hand();
  }

  function move(dx, dy) {
    view.x += dx;
    view.y += dy;
    hand();
  }

  // at returns the node at a place of the canvas.
  function at(px, py) {
    let best = null, least = Infinity;
    for (const n of model.nodes) {
      if (look.hidden.has(n.type)) continue;
      const d = Math.hypot(n.x * view.k + view.x - px, n.y * view.k + view.y - py) - radius(n) * scale(view.k);
      if (d < 6 && d < least) [best, least] = [n, d];
    }
    return best;
  }

  function choose(node, centre) {
    look.selected = node;
    if (node && centre) {
      view.k = Math.max(view.k, 0.7);
      view.x = width / 2 - node.x * view.k;
      view.y = height / 2 - node.y * view.k;
      follow = false;
    }
    redraw();
  }

  const listen = (name, fn, options) => canvas.addEventListener(name, fn, { signal: leaving.signal, ...options });
  const pointers = new Map();
  listen("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
    dragged = { node: at(e.offsetX, e.offsetY), x: e.offsetX, y: e.offsetY, moved: false };
  });
  listen("pointermove", e => {
    const last = pointers.get(e.pointerId);
    if (!last) {
      canvas.style.cursor = at(e.offsetX, e.offsetY) ? "pointer" : "grab";
      return;
    }
    const [dx, dy] = [e.offsetX - last[0], e.offsetY - last[1]];
    if (pointers.size === 2) { // two fingers
      const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      zoom(Math.hypot(e.offsetX - other[0], e.offsetY - other[1]) / Math.max(1, Math.hypot(last[0] - other[0], last[1] - other[1])), other[0], other[1]);
      dragged = { moved: true };
    } else if (dragged && (dragged.moved || Math.hypot(e.offsetX - dragged.x, e.offsetY - dragged.y) > 4)) {
      dragged.moved = true;
      if (dragged.node) {
        dragged.node.held = true;
        dragged.node.x += dx / view.k;
        dragged.node.y += dy / view.k;
        follow = false;
        layout.warm(0.12);
        redraw();
      } else move(dx, dy);
    }
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
  });
  const release = e => {
    pointers.delete(e.pointerId);
    if (dragged && !dragged.moved && e.type === "pointerup") {
      choose(dragged.node);
      select?.(dragged.node);
    }
    if (dragged?.node) dragged.node.held = false;
    dragged = null;
    redraw();
  };
  listen("pointerup", release);
  listen("pointercancel", release);
  listen("dblclick", e => {
    const n = at(e.offsetX, e.offsetY);
    if (n) expand?.(n);
  });
  listen("wheel", e => {
    e.preventDefault();
    zoom(Math.exp(-e.deltaY * 0.0016), e.offsetX, e.offsetY);
  }, { passive: false });
  const keys = { ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), f: () => { follow = true; fit(); redraw(); } };
  listen("keydown", e => {
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  });
  document.addEventListener("themechange", theme, { signal: leaving.signal });
  const sizes = new ResizeObserver(() => {
    const ratio = Math.min(2, devicePixelRatio || 1);
    moving = false;
    width = canvas.clientWidth;
    height = canvas.clientHeight;
    canvas.width = Math.max(1, width * ratio);
    canvas.height = Math.max(1, height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (follow) fit();
    redraw();
  });
  sizes.observe(canvas);
  theme();
  return {
    node: canvas,
    // changed draws again after nodes came, which then find their places.
    changed(all = true) {
      if (all) follow = true;
      layout.warm(all ? 1 : 0.4);
      redraw();
    },
    redraw, choose,
    fit: keys.f,
    hide(type, on) {
      look.hidden[on ? "add" : "delete"](type);
      redraw();
    },
    hidden: look.hidden,
    leave() {
      leaving.abort();
      clearTimeout(rest);
      sizes.disconnect();
    },
  };
}
