import { el } from "./dom.js";

// dot is a point in a colour, beside a name that says the same.
export function dot(colour) {
  const d = el("span", { class: "dot", "aria-hidden": "true" });
  d.style.background = colour;
  return d;
}
