// The console: statements of the query language, their rows as they come, and the graph
// that they are.

import { button, duration, el, field, fill, number, plural } from "../parts/dom.js";
import { empty, failure, note } from "../parts/notice.js";
import { cell, gather } from "../parts/values.js";
import { dot } from "../parts/dot.js";
import { colour } from "../parts/palette.js";
import { graphCanvas } from "../graph/canvas.js";
import { Model } from "../graph/model.js";

// SHOWN is how many rows the table has, KEPT how many statements are remembered.
const SHOWN = 1000, KEPT = 50;
const examples = [
  ["Nodes by type", "CALL db.labels()"],
  ["The most connected", "CALL graph.degree({direction: 'both'}) YIELD node, degree\nRETURN node, degree ORDER BY degree DESC LIMIT 20"],
  ["Neighbours, as a graph", "MATCH (a)-[r]->(b)\nRETURN a, r, b LIMIT 100"],
  ["All procedures", "CALL db.procedures()"],
];

export function consoleView(ctx) {
  const statement = el("textarea", { class: "mono", rows: 4, spellcheck: false, "aria-label": "Statement", value: ctx.params.q ?? ctx.kept.statement ?? "MATCH (a)-[r]->(b)\nRETURN a, r, b LIMIT 100",
    keydown: e => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); }
    } });
  const graphs = el("select", {});
  const write = el("input", { type: "checkbox" });
  const go = el("button", { class: "main" }, "Run");
  const stop = button("Cancel", () => running?.abort(), { hidden: true });
  const past = el("select", { "aria-label": "Statements that ran before", change: () => { if (past.value) statement.value = past.value; past.selectedIndex = 0; } });
  const out = el("div", { class: "rows" });
  const said = el("p", { class: "facts", role: "status" });
  let running = null, drawn = null;

  const form = el("form", { class: "card", submit: e => { e.preventDefault(); run(); } },
    statement,
    el("div", { class: "row bar" }, go, stop, field("Graph", graphs, { class: "field across" }), past,
      ctx.mayWrite ? el("label", { class: "check" }, write, "May write") : null, el("span", { class: "quiet hint" }, "Ctrl and Enter run it")),
    el("div", { class: "examples" }, el("span", { class: "quiet" }, "Try"), examples.map(([name, text]) => button(name, () => { statement.value = text; form.requestSubmit(); }, { class: "plain" }))));

  ctx.corpus.post("query", { statement: "CALL db.graphs()" }).then(({ rows }) => {
    fill(graphs, rows.map(r => el("option", { value: r.name }, r.name)));
    graphs.value = ctx.params.graph ?? ctx.kept.graph ?? (rows.find(r => r.name !== "base") ?? rows[0])?.name;
  }, () => {}); // the statement tells of the error
  showPast();

  function showPast() {
    const all = ctx.kept.past ?? [];
    past.hidden = !all.length;
    fill(past, el("option", { value: "" }, "Before…"), all.map(s => el("option", { value: s }, s.replace(/\s+/g, " ").slice(0, 80))));
  }

  async function run() {
    const text = statement.value.trim();
    if (!text) return;
    ctx.kept.statement = text;
    ctx.kept.graph = graphs.value;
    ctx.kept.past = [text, ...(ctx.kept.past ?? []).filter(s => s !== text)].slice(0, KEPT);
    showPast();
    running?.abort();
    const mine = running = new AbortController();
    go.hidden = true;
    stop.hidden = false;
    drawn?.leave();
    drawn = null;
    const began = performance.now();
    const table = rowTable();
    const tell = (n, end) => fill(said, el("span", {}, plural(n, "row")), n > SHOWN ? el("span", {}, `the first ${number(SHOWN)} are shown`) : null, el("span", {}, duration(performance.now() - began)), end ? el("span", {}, end) : null);
    fill(out);
    fill(said);
    const body = { statement: text, ...graphs.value ? { graph: graphs.value } : {}, ...write.checked ? { write: true } : {} };
    try {
      let n = 0;
      // Plans and counts of what was written come with the whole answer only.
      if (write.checked || /^\s*(explain|profile)\b/i.test(text)) {
        const res = await ctx.corpus.post("query", body, mine.signal);
        res.rows.forEach(r => table.add(r));
        n = res.rows.length;
        const changed = Object.entries(res.counts ?? {}).filter(([, c]) => c).map(([what, c]) => `${number(c)} ${what.replaceAll("_", " ")}`);
        fill(out, res.plan ? planTable(res.plan) : null, changed.length ? note(changed.join(", ")) : null);
      } else {
        for await (const row of ctx.corpus.rows(body, mine.signal)) {
          table.add(row);
          if (++n % 500 === 0) tell(n);
        }
      }
      tell(n);
      show(table);
    } catch (err) {
      if (running !== mine) return; // another statement runs
      if (err.name === "AbortError") {
        tell(table.rows.length, "cancelled");
        show(table);
      } else fill(out, failure(err));
    } finally {
      if (running === mine) {
        running = null;
        go.hidden = false;
        stop.hidden = true;
      }
    }
  }

  // show shows the rows, with a switch to the graph that they hold, if they hold one.
  function show(table) {
    if (!table.rows.length) {
      if (!out.firstChild) fill(out, empty("No rows"));
      return;
    }
    const model = new Model();
    table.rows.flatMap(r => gather(model, r)).forEach(e => model.link(e.start, e.end, e.type, e.properties?.weight));
    const place = el("div", {}, table.node);
    const choose = (b, other, content) => {
      b.setAttribute("aria-pressed", "true");
      other.setAttribute("aria-pressed", "false");
      fill(place, content);
    };
    const asTable = button("Table", () => choose(asTable, asGraph, table.node), { "aria-pressed": "true" });
    const asGraph = button("Graph", () => choose(asGraph, asTable, picture()), { "aria-pressed": "false" });
    function picture() {
      const types = model.types().map(([t]) => t);
      drawn ??= graphCanvas(model, { colourOf: n => colour(types.indexOf(n.type)) });
      drawn.changed();
      return el("div", { class: "stage" }, drawn.node, el("p", { class: "legend" }, types.slice(0, 8).map((t, i) => el("span", {}, dot(colour(i)), t))));
    }
    out.append(...model.nodes.length ? [el("div", { class: "switch", role: "group", "aria-label": "Show rows as" }, asTable, asGraph)] : [], place);
  }

  return { title: "Console", node: el("div", { class: "console" }, form, said, out), leave: () => { running?.abort(); drawn?.leave(); } };
}

// rowTable makes a table whose columns are those of the rows.
function rowTable() {
  const head = el("tr", {}), body = el("tbody", {}), rows = [];
  const node = el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Rows" }, el("table", { class: "cells" }, el("thead", {}, head), body));
  return {
    node, rows,
    add(row) {
      if (!rows.length) fill(head, Object.keys(row).map(c => el("th", { scope: "col" }, c)));
      rows.push(row);
      if (rows.length <= SHOWN) body.append(el("tr", {}, Object.values(row).map(v => el("td", {}, cell(v)))));
    },
  };
}

function planTable(plan) {
  return el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Plan" }, el("table", {},
    el("thead", {}, el("tr", {}, ["Step", "Of", "Rows expected", "Rows", "Time"].map(t => el("th", { scope: "col" }, t)))),
    el("tbody", {}, plan.map(p => el("tr", {}, el("td", {}, " ".repeat(4 * p.depth) + p.step), el("td", { class: "mono" }, (p.args ?? []).join("  ")),
      el("td", { class: "num" }, p.rows_est === undefined ? "" : number(p.rows_est)), el("td", { class: "num" }, p.rows === undefined ? "" : number(p.rows)), el("td", { class: "num" }, p.ms === undefined ? "" : duration(p.ms)))))));
}
