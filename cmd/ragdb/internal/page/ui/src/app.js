// The page: its frame, and the view that the address names.

import { Corpus, send } from "./parts/api.js";
import { fill } from "./parts/dom.js";
import { failure, empty } from "./parts/notice.js";
import { address, parse } from "./parts/route.js";
import { frame } from "./frame.js";
import { tokenForm } from "./token.js";
import { ask } from "./views/ask.js";
import { compareView } from "./views/compare.js";
import { consoleView } from "./views/console.js";
import { documentView } from "./views/document.js";
import { documentsView } from "./views/documents.js";
import { graphView } from "./views/graph.js";
import { traceView } from "./views/trace.js";

// The views by their names in addresses. Those with a label stand in the menu.
const views = {
  ask: { label: "Ask", open: ask },
  graph: { label: "Graph", open: graphView },
  compare: { label: "Compare", open: compareView },
  documents: { label: "Documents", open: documentsView },
  trace: { label: "Traces", open: traceView },
  console: { label: "Console", open: consoleView },
  document: { open: documentView, within: "documents" },
};

const app = { databases: [], role: "", view: null, kept: new Map() };
const page = frame(views, {
  choose: (db, ns) => location.hash = address(db, ns, parse(location.hash).view || "ask"),
  forget: () => start(),
});

// start asks what there is to see, and for a token if the server wants one.
async function start() {
  try {
    const list = await (await send("GET", "/databases")).json();
    Object.assign(app, { databases: list.databases, role: list.role });
    page.databases(list.databases, list.role);
    show();
  } catch (err) {
    app.databases = [];
    fill(page.main, err.status === 401 ? tokenForm(err, start) : failure(err));
  }
}

// show opens the view of the address.
function show() {
  if (!app.databases.length) {
    fill(page.main, empty("There is nothing to see here", "The token is bound to namespaces that do not exist."));
    return;
  }
  const at = parse(location.hash);
  const db = app.databases.find(d => d.name === at.db) ?? app.databases.find(d => d.namespaces.length) ?? app.databases[0];
  const ns = db.namespaces.find(n => n.ns === at.ns) ?? db.namespaces[0];
  const view = views[at.view] ? at.view : "ask";
  if (!ns) {
    page.here(db.name, "", view);
    fill(page.main, empty("This database is empty", `Put documents in with ragdb index ${db.name}.ragdb PATH, or make a namespace.`));
    return;
  }
  if (db.name !== at.db || ns.ns !== at.ns || view !== at.view) {
    history.replaceState(null, "", address(db.name, ns.ns, view, at.params));
  }
  app.view?.leave?.();
  page.here(db.name, ns.ns, view);
  app.view = views[view].open(context(db, ns.ns, at.params));
  document.title = `${app.view.title} · ${ns.ns} · ragdb`;
  fill(page.main, app.view.node);
  page.announce(app.view.title);
}

// context is what a view works with.
function context(db, ns, params) {
  const name = db.name + "/" + ns;
  if (!app.kept.has(name)) app.kept.set(name, {});
  return {
    corpus: new Corpus(db.name, ns), params,
    // kept holds what a view keeps until the page is closed.
    kept: app.kept.get(name),
    mayWrite: app.role !== "read" && !db.read_only,
    href: (view, p) => address(db.name, ns, view, p),
    go: (view, p) => location.hash = address(db.name, ns, view, p),
    // replace changes the address and leaves the view as it is.
    replace: (view, p) => history.replaceState(null, "", address(db.name, ns, view, p)),
  };
}

addEventListener("hashchange", show);
start();
