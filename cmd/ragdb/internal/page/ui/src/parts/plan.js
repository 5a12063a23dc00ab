// The picture of a plan: its operators as a tree, with rows and time, the last one first.
// Each takes what those below it give.

import { duration, el, fill, plural, score } from "./dom.js";

// plan draws operators, which stand in the order of a walk with their depths. The returned
// mark shows what each did with one item, as the server tells it in why.
export function plan(ops) {
  const total = Math.max(1, ops[0]?.us ?? 0);
  const boxes = ops.map((op, i) => box(op, own(ops, i), total));
  return { node: el("div", { class: "plan scroll", tabIndex: 0, role: "group", "aria-label": "The plan" }, tree(ops, boxes, 0)[0] ?? "There is no plan."), mark: why => boxes.forEach((b, i) => b.mark(why?.ops?.[i])) };
}

// own is the time of an operator without its inputs', which follow it one level deeper.
function own(ops, i) {
  let us = ops[i].us;
  for (let j = i + 1; j < ops.length && ops[j].depth > ops[i].depth; j++) {
    if (ops[j].depth === ops[i].depth + 1) us -= ops[j].us;
  }
  return Math.max(0, us);
}

// tree makes the list of the operators of a level, and says where it ends.
function tree(ops, boxes, from) {
  if (from >= ops.length) return [null, from];
  const list = el("ul", {});
  const depth = ops[from].depth;
  let i = from;
  while (i < ops.length && ops[i].depth >= depth) {
    const li = el("li", {}, boxes[i].node);
    list.append(li);
    if (++i < ops.length && ops[i].depth > depth) {
      const [below, end] = tree(ops, boxes, i);
      li.append(below);
      i = end;
    }
  }
  return [list, i];
}

function box(op, us, total) {
  const told = el("p", { class: "told", hidden: true });
  const meter = el("span", { class: "meter", "aria-hidden": "true" }, el("span", {}));
  meter.firstChild.style.width = Math.max(1, 100 * us / total) + "%";
  const node = el("div", { class: "op" },
    el("div", { class: "head" }, el("strong", {}, op.op), el("span", { class: "quiet num" }, plural(op.rows, "row")), meter, el("span", { class: "quiet num" }, duration(us / 1000))),
    op.args?.length ? el("p", { class: "mono quiet" }, op.args.join("  ")) : null,
    (op.notes ?? []).map(n => el("p", { class: "quiet" }, n)), told);
  return {
    node,
    mark(why) {
      told.hidden = !why;
      node.classList.toggle("has", !!why && !why.lost && why.rank > 0);
      node.classList.toggle("lost", !!why?.lost);
      if (why) fill(told, why.lost ? "It is lost here." : why.rank > 0 ? `It is ${why.rank} of ${why.rows}, with score ${score(why.score)}.` : "It is not here.");
    },
  };
}
