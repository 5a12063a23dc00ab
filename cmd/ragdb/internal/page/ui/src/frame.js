// The frame around views: which database, which view, which colours.

import { button, el, fill } from "./parts/dom.js";
import { address } from "./parts/route.js";
import { themeSwitch } from "./theme.js";
import { token } from "./parts/api.js";

// frame builds the frame into the document. It calls on.choose if another namespace is
// chosen and on.forget if the token is to be forgotten.
export function frame(views, on) {
  const main = el("main", { id: "main", tabIndex: -1 });
  const choice = el("select", { "aria-label": "Database and namespace", change: e => on.choose(...JSON.parse(e.target.value)) });
  const nav = el("nav", { "aria-label": "Views" });
  const said = el("div", { class: "unseen", "aria-live": "polite" });
  const role = el("span", { class: "role" });
  const out = button("Sign out", () => { token.set(""); on.forget(); }, { class: "plain" });
  const header = el("header", { class: "top" },
    el("div", { class: "brand" }, el("h1", {}, "ragdb"), choice), nav,
    el("div", { class: "tools" }, role, out, themeSwitch()));
  document.body.append(
    el("a", { class: "skip", href: "#main", click: e => { e.preventDefault(); main.focus(); } }, "Skip to content"),
    header, said, main);
  header.hidden = true;
  let first = true;
  return {
    main,
    // databases shows what there is to choose.
    databases(all, name) {
      header.hidden = false;
      fill(choice, all.map(db => el("optgroup", { label: db.name + (db.read_only ? " (read only)" : "") },
        db.namespaces.map(ns => el("option", { value: JSON.stringify([db.name, ns.ns]) }, all.length > 1 || ns.ns !== "main" ? `${db.name} / ${ns.ns}` : db.name)))));
      role.textContent = "may " + name;
      role.hidden = out.hidden = !token.get();
    },
    // here marks where the page is.
    here(db, ns, view) {
      choice.value = JSON.stringify([db, ns]);
      const current = views[view].within ?? view;
      fill(nav, Object.entries(views).filter(([, v]) => v.label).map(([name, v]) =>
        el("a", { href: address(db, ns, name), "aria-current": name === current ? "page" : null }, v.label)));
    },
    // announce tells a screen reader of another view, whose content it then reads.
    announce(title) {
      said.textContent = title;
      if (!first) main.focus({ preventScroll: true });
      first = false;
      scrollTo(0, 0);
    },
  };
}
