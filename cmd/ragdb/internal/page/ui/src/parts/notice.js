import { el } from "./dom.js";

// failure shows an error: what is wrong, and what to do about it.
export function failure(err) {
  return el("div", { class: "notice bad", role: "alert" },
    el("strong", {}, sentence(err.message)),
    err.at ? el("pre", { class: "at" }, err.at) : null,
    err.hint ? el("p", {}, sentence(err.hint)) : null);
}

// note shows something that a reader should know.
export const note = (...children) => el("div", { class: "notice", role: "status" }, ...children);

// empty says that there is nothing yet, and what could be done.
export const empty = (title, ...more) => el("div", { class: "empty" }, el("h2", {}, title), ...more);

// busy says that something is awaited.
export const busy = text => el("p", { class: "busy", role: "status" }, text);

// sentence writes a message of the server as a sentence.
export function sentence(s) {
  if (!s) return "";
  return s[0].toUpperCase() + s.slice(1) + (/[.!?]$/.test(s) ? "" : ".");
}
