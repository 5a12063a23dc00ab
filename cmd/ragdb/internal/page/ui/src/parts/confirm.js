import { button, el } from "./dom.js";

// confirm asks whether to do something that cannot be undone.
export function confirm(title, content, verb) {
  return new Promise(resolve => {
    const answer = yes => { dialog.close(); resolve(yes); };
    const dialog = el("dialog", { "aria-label": title, close: () => { resolve(false); dialog.remove(); } },
      el("h2", {}, title), content,
      el("div", { class: "row end" }, button("Cancel", () => answer(false), { autofocus: true }), button(verb, () => answer(true), { class: "danger" })));
    document.body.append(dialog);
    dialog.showModal();
  });
}
