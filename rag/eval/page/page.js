"use strict";
// The tables and plots are in the page; this sorts tables and shows questions.

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") !== "descending";
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[column].dataset.value;
    const rows = [...table.tBodies[0].rows].sort((x, y) => {
      const a = value(x), b = value(y);
      if (a === "" || b === "") return (a === "") - (b === ""); // what was not measured comes last
      const n = Number(a) - Number(b);
      const order = Number.isNaN(n) ? a.localeCompare(b) : n;
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  }));
}

function element(name, text, className) {
  const e = document.createElement(name);
  e.textContent = text;
  if (className) e.className = className;
  return e;
}

// A row of questions of a method is [figure, reciprocal rank, tokens, milliseconds], null where nothing is known.
function questions(details, set) {
  const into = details.querySelector(".scroll"), search = details.querySelector("input");
  let shown = 100;
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = set.questions.map((q, i) => [q, i]).filter(([q]) => {
      const text = (q.id + " " + q.question + " " + q.type).toLowerCase();
      return words.every((w) => text.includes(w));
    });
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const name of ["id", "question", "type"]) head.append(element("th", name, "left"));
    for (const m of set.methods) head.append(element("th", m.name));
    const body = table.createTBody();
    for (const [q, i] of found.slice(0, shown)) {
      const row = body.insertRow();
      row.append(element("td", q.id), element("td", q.question, "wrap"), element("td", q.type, "left"));
      for (const m of set.methods) {
        const x = m.rows[i];
        if (!x || x[0] === null) { row.append(element("td", "–", "miss")); continue; }
        const cell = element("td", Math.round(100 * x[0]), x[0] === 0 ? "miss" : "");
        cell.title = m.name + (x[1] ? ": first gold record at rank " + Math.round(1 / x[1]) : "") + (x[2] ? ", " + x[2] + " tokens" : "") + (x[3] ? ", " + x[3].toFixed(1) + " ms" : "");
        row.append(cell);
      }
    }
    into.replaceChildren(table);
    if (found.length > shown) {
      const more = element("button", "Show " + Math.min(500, found.length - shown) + " more of " + found.length, "more");
      more.type = "button";
      more.addEventListener("click", () => { shown += 500; draw(); });
      into.append(more);
    }
  };
  search.addEventListener("input", () => { shown = 100; draw(); });
  details.addEventListener("toggle", () => { if (details.open && !into.firstChild) draw(); });
}

const sets = JSON.parse(document.getElementById("data").textContent).sets;
document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll("details.questions").forEach((d) => questions(d, sets[Number(d.dataset.set)]));
