// Elements. Texts come from documents and models, so they are only ever set as text:
// nothing here, or in the rest of the page, reads markup.

// el makes an element. Of props, "class", "for", "role" and names with a dash are set as
// attributes, functions become listeners ("click"), and the rest are properties. Children
// are nodes, texts, lists of them, or null.
export function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false && name.includes("-")) continue;
    if (typeof value === "function") e.addEventListener(name, value);
    else if (name === "class" || name === "for" || name === "role" || name.includes("-")) e.setAttribute(name, value);
    else e[name] = value;
  }
  e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

// fill replaces what stands in an element.
export function fill(e, ...children) {
  e.replaceChildren(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

// button makes a button with a text, or with an icon and a label for screen readers.
export function button(text, click, props) {
  return el("button", { type: "button", click, ...props }, text);
}

// field puts a label above a control.
export function field(text, control, props) {
  return el("label", { class: "field", ...props }, el("span", {}, text), control);
}

// prose is text of a document or a model: it keeps its lines and its direction.
export function prose(text, props) {
  return el("div", { dir: "auto", ...props, class: "prose " + (props?.class ?? "") }, text);
}

// number writes a number as people do.
export const number = n => Number(n).toLocaleString("en");

// plural writes a count with its noun.
export const plural = (n, noun, nouns = noun + "s") => `${number(n)} ${n === 1 ? noun : nouns}`;

// score writes a score with as many digits as tell.
export const score = s => Math.abs(s) >= 100 ? s.toFixed(0) : Number(s).toPrecision(3);

// duration writes milliseconds.
export const duration = ms => ms >= 1000 ? (ms / 1000).toFixed(1) + " s" : ms >= 10 ? ms.toFixed(0) + " ms" : ms.toFixed(1) + " ms";

// size writes bytes.
export function size(bytes) {
  if (bytes < 1000) return bytes + " B";
  return bytes < 1e6 ? (bytes / 1e3).toFixed(1) + " kB" : (bytes / 1e6).toFixed(1) + " MB";
}
