"""Writes what docs/evaluation.md says of reports of ragdb eval --json.

    tables.py DOCS REPORT.json...

DOCS is the folder with evaluation.md and figures/. The CSV files there get all methods
of the reports, and the tables of evaluation.md the figures that their heads name:

    | method | musique: coverage / recall@5 | joined / KET musique: coverage |
    | recall at 1,000 / 4,000 | musique | 2wiki |

A cell has a figure of each set and each name or budget, and "-" for what a report has
not. Columns of other heads, and rows of other methods, stay as they are.
"""

import csv
import json
import pathlib
import re
import sys

SETS = {  # by the names that the tables have
    "musique": "hippo_musique",
    "2wiki": "hippo_2wiki",
    "KET musique": "ketrag_musique",
    "joined": "ketrag_musique@joined",
    "multihop": "multihop_rag",
    "stardew": "stardew_zh",
    "FAQ": "zoomcamp_faq",
    "hotpotqa": "hotpotqa",
    "cranfield": "cranfield",
}
AT = "coverage recall recall@5 mrr set_recall graph_gain graph_cost".split()


def percent(x, sign=""):
    return "" if x is None else f"{100 * x:{sign}.1f}"


def interval(ci):
    return "" if not ci else " to ".join(percent(x, "+") for x in ci)


def read(paths):
    """Returns the methods of each set, by their names, in the order of SETS."""
    found = {}
    for path in paths:
        report = json.loads(pathlib.Path(path).read_text())
        for r in report.get("sets", [report]):
            data = r["data"] + ("@joined" if r["join"] == "yes" and "@" not in r["data"] else "")
            found[data] = {m["name"]: m for m in r["methods"]}
    return {data: found[data] for data in SETS.values() if data in found}


def gain(a):
    """The graph's gain less its cost, with a star if its interval does not hold 0."""
    if a.get("graph_gain") is None:
        return None
    lo, hi = a.get("graph_ci") or (0, 0)
    return percent(a["graph_gain"] - a["graph_cost"], "+") + ("" if lo <= 0 <= hi else "\\*")


def figure(m, name, budget=None):
    """One figure of a method, at a budget or at the whole one."""
    if budget is not None:
        m = next((a for a in m.get("at") or [] if a["budget"] == budget), {})
        if name == "graph gain less cost":
            return gain(m) or "-"
    return percent(m.get(name)) or "-"


def cell(sets, method, head, at):
    """What a column says of a method; None if the column is not of figures."""
    if at:
        name, budgets = at
        if head not in SETS:
            return None
        return " / ".join(figure(sets.get(SETS[head], {}).get(method, {}), name, b) for b in budgets)
    of, _, names = head.partition(": ")
    of = of.split(" / ")
    if not names or any(s not in SETS for s in of):
        return None
    return " / ".join(figure(sets.get(SETS[s], {}).get(method, {}), n) for s in of for n in names.split(" / "))


def fill(text, sets):
    """Returns the text of a page with its tables filled in."""
    heads, at, out = None, None, []
    for line in text.split("\n"):
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            heads = None
        elif heads is None:
            heads = cells
            m = re.fullmatch(r"(.+) at ([\d, /]+)", heads[0])
            at = m and (m[1], [int(b.replace(",", "")) for b in m[2].split(" / ")])
        elif m := re.fullmatch(r"`(\S+)`", cells[0]):
            now = [cell(sets, m[1], h, at) for h in heads[1:]]
            line = "| " + " | ".join([cells[0]] + [old if new is None else new for new, old in zip(now, cells[1:])]) + " |"
        out.append(line)
    return "\n".join(out)


def write(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(head)
        w.writerows(rows)


def main(docs, *reports):
    docs, sets = pathlib.Path(docs), read(reports)
    whole, at = [], []
    for data, methods in sets.items():
        for name, m in methods.items():
            p50 = (m.get("ms") or {}).get("p50")
            cpu = m.get("index_cpu_s")
            whole.append([data, name] + [percent(m.get(k)) for k in ("coverage", "recall@2", "recall@5", "perfect", "mrr")]
                         + [interval(m.get("ci")), round(m.get("context_tokens") or 0), f"{cpu:.1f}" if cpu else "", f"{p50:.1f}" if p50 else ""])
            for a in m.get("at") or []:
                at.append([data, name, a["budget"], round(a["tokens"])] + [percent(a.get(k)) for k in AT]
                          + [interval(a.get(k)) for k in ("graph_ci", "naive_ci", "ci")])
    write(docs / "figures/evaluation.csv", "set,method,coverage,recall@2,recall@5,perfect,mrr,vs bm25,tokens,index CPU s,p50 ms".split(","), whole)
    write(docs / "figures/equal-tokens.csv",
          "set,method,budget,tokens,coverage,recall,recall@5,mrr,set recall,graph gain,graph cost,gain less cost,vs naive,vs bm25".split(","), at)
    page = docs / "evaluation.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), sets), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
