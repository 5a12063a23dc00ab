// Draws a graph on a canvas: edges in a few strokes, nodes by colour, and the names of the
// largest nodes where there is room.

import { short } from "../parts/palette.js";
import { radius } from "./model.js";

// STROKE is how many edges one stroke draws: a stroke of all of them is slower.
const STROKE = 400, NAMES = 160;

// draw draws what is within the canvas. look has colourOf, hidden (types), selected, lit
// (nodes, or null) and the colours of the theme.
export function draw(pen, width, height, view, model, look) {
  const { x, y, k } = view;
  pen.fillStyle = look.paper;
  pen.fillRect(0, 0, width, height);
  const sx = n => n.x * k + x, sy = n => n.y * k + y;
  const seen = n => !look.hidden.has(n.type);
  edges(pen, model.edges.filter(e => seen(e.a) && seen(e.b) && crosses(sx(e.a), sy(e.a), sx(e.b), sy(e.b), width, height)), sx, sy, look);
  const shown = model.nodes.filter(n => seen(n) && sx(n) > -20 && sx(n) < width + 20 && sy(n) > -20 && sy(n) < height + 20);
  circles(pen, shown, sx, sy, scale(k), look);
  names(pen, shown, sx, sy, scale(k), look);
}

// scale is how much larger nodes are drawn when the view comes nearer.
export const scale = k => Math.min(2.2, Math.max(0.22, Math.sqrt(k)));

function crosses(ax, ay, bx, by, width, height) {
  return !(ax < 0 && bx < 0 || ay < 0 && by < 0 || ax > width && bx > width || ay > height && by > height);
}

function edges(pen, all, sx, sy, look) {
  pen.lineWidth = all.length > 3000 ? 0.5 : 1;
  pen.strokeStyle = look.edge;
  pen.globalAlpha = all.length > 3000 ? 0.45 : 0.7;
  for (let i = 0; i < all.length; i += STROKE) {
    pen.beginPath();
    for (const { a, b } of all.slice(i, i + STROKE)) {
      pen.moveTo(sx(a), sy(a));
      pen.lineTo(sx(b), sy(b));
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
  if (!look.selected) return;
  pen.strokeStyle = look.accent;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const { a, b } of all) {
    if (a !== look.selected && b !== look.selected) continue;
    pen.moveTo(sx(a), sy(a));
    pen.lineTo(sx(b), sy(b));
  }
  pen.stroke();
}

function circles(pen, all, sx, sy, size, look) {
  const byColour = new Map();
  for (const n of all) {
    const c = look.colourOf(n);
    if (!byColour.has(c)) byColour.set(c, []);
    byColour.get(c).push(n);
  }
  for (const [c, nodes] of byColour) {
    pen.fillStyle = c;
    pen.beginPath();
    for (const n of nodes) {
      const r = radius(n) * size, px = sx(n), py = sy(n);
      if (r < 2) pen.rect(px - r, py - r, 2 * r, 2 * r); // nobody tells it from a circle
      else {
        pen.moveTo(px + r, py);
        pen.arc(px, py, r, 0, 7);
      }
    }
    pen.fill();
  }
  const s = look.selected;
  if (s && all.includes(s)) {
    pen.strokeStyle = look.ink;
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(sx(s), sy(s), radius(s) * size + 3, 0, 7);
    pen.stroke();
  }
}

// names writes names of the largest nodes that do not cover each other.
function names(pen, all, sx, sy, size, look) {
  const order = all.slice().sort((a, b) => (b === look.selected) - (a === look.selected) || radius(b) - radius(a));
  const taken = new Set(), cell = 24;
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "top";
  pen.lineWidth = 3;
  pen.lineJoin = "round";
  let written = 0;
  for (const n of order) {
    if (written === NAMES) break;
    const r = radius(n) * size;
    if (r < 3.4 && n !== look.selected) break;
    const px = sx(n), py = sy(n) + r + 2, text = short(n.name, 26), half = 3.4 * text.length;
    const cells = [];
    for (let cx = Math.floor((px - half) / cell); cx <= Math.floor((px + half) / cell); cx++) {
      for (let cy = Math.floor(py / cell); cy <= Math.floor((py + 12) / cell); cy++) cells.push(cx + " " + cy);
    }
    if (cells.some(c => taken.has(c))) continue;
    cells.forEach(c => taken.add(c));
    pen.strokeStyle = look.paper;
    pen.strokeText(text, px, py);
    pen.fillStyle = look.ink;
    pen.fillText(text, px, py);
    written++;
  }
}
