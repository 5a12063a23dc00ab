import { token } from "./parts/api.js";
import { el, field } from "./parts/dom.js";
import { sentence } from "./parts/notice.js";

// tokenForm asks for a token and calls done once there is one. The token stays in this tab.
export function tokenForm(err, done) {
  const input = el("input", { type: "password", required: true, autocomplete: "off", spellcheck: false });
  const wrong = token.get() ? el("p", { class: "wrong", role: "alert" }, sentence(err.message)) : null;
  return el("form", { class: "card token", submit: e => { e.preventDefault(); token.set(input.value.trim()); done(); } },
    el("h2", {}, "This server wants a token"),
    el("p", {}, "It is in the file that ragdb serve was started with. This tab keeps it until it is closed."),
    field("Token", input), wrong, el("button", { class: "main" }, "Go on"));
}
