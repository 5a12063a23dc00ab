#!/usr/bin/python3
"""Measures SQLite's FTS5 on the documents and searches that
"go run ./bench text -dump BEGINNING" wrote.

    text.py BEGINNING [--queries N] [--db FILE]

Each kind of table is built in a transaction of its own and then searched for
the ten best documents by bm25. Times are the processor time of the process.
"""

import argparse
import os
import sqlite3
import time

p = argparse.ArgumentParser()
p.add_argument("beginning")
p.add_argument("--queries", type=int, default=100)
p.add_argument("--db", default="")
p.add_argument("--kinds", default="")
args = p.parse_args()

KINDS = {
    "positions, text kept": "tokenize='porter unicode61'",
    "positions, index alone": "tokenize='porter unicode61', content=''",
    "no positions, text kept": "tokenize='porter unicode61', detail=none",
    "no positions, index alone": "tokenize='porter unicode61', detail=none, content=''",
}

with open(args.beginning + ".documents") as f:
    documents = [(i + 1, line.rstrip("\n")) for i, line in enumerate(f)]
with open(args.beginning + ".queries") as f:
    queries = [" OR ".join(line.split()) for line in f][: args.queries]

print(f"SQLite {sqlite3.sqlite_version}, {len(documents)} documents")
for kind, options in KINDS.items():
    if args.kinds and kind not in args.kinds.split(";"):
        continue
    path = args.db or args.beginning + ".sqlite"
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA cache_size=-131072")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5(body, {options})")
    at = time.process_time()
    with db:
        db.executemany("INSERT INTO t(rowid, body) VALUES (?, ?)", documents)
    build = time.process_time() - at
    at = time.process_time()
    with db:
        db.execute("INSERT INTO t(t) VALUES ('optimize')")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    optimize = time.process_time() - at
    times = []
    for q in queries if "no positions" not in kind else []:
        at = time.process_time()
        db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (q,)).fetchall()
        times.append(time.process_time() - at)
    times.sort()
    n = len(documents)
    print(f"{kind}: building {build:.3f} CPU-s, {build / n * 1e6:.2f} us a document, optimize {optimize:.3f} CPU-s, "
          f"disk {os.path.getsize(path) / 1e6:.1f} MB", end="")
    if times:
        print(f", search p50 {times[len(times) // 2] * 1e3:.2f} ms, p99 {times[int(len(times) * .99)] * 1e3:.2f} ms", end="")
    print()
    db.close()
    os.remove(path)
