"""Writes corpus.jsonl and questions.jsonl of a data set, for sets.sh.

    sets.py NAME FROM TO

FROM is the folder of the files that sets.sh fetched, TO that of the set. The same
files give the same bytes.
"""

import json
import pathlib
import re
import sys


def write(to, records, questions):
    """Writes a set. Its questions may name those of its records alone."""
    ids = {r["id"] for r in records}
    assert len(ids) == len(records), "two records have one id"
    for q in questions:
        assert q["supporting"] and ids.issuperset(q["supporting"]), q
    for name, rows in ("corpus.jsonl", records), ("questions.jsonl", questions):
        with open(to / name, "w", encoding="utf-8", newline="\n") as f:
            f.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    print(f"{len(records)} records, {len(questions)} questions", file=sys.stderr)


def hotpotqa(files, to):
    """The questions of a file with the paragraphs that each is asked about, pooled."""
    known, records, questions = {}, [], []
    for line in open(files / "dev_subsampled.jsonl", encoding="utf-8"):
        q = json.loads(line)
        gold = []
        for c in q["contexts"]:
            key = c["title"], c["paragraph_text"]
            if key not in known:
                known[key] = f"hp{len(records):04}"
                records.append({"id": known[key], "title": c["title"], "text": c["paragraph_text"]})
            if c["is_supporting"]:
                gold.append(known[key])
        answers = [s for a in q["answers_objects"] for s in a["spans"]]
        questions.append({"id": q["question_id"], "question": q["question_text"], "answers": answers, "supporting": gold})
    write(to, records, questions)


def hippo_hotpotqa(files, to):
    """A corpus by title, and questions that name titles."""
    corpus = json.load(open(files / "hotpotqa_train_corpus.json", encoding="utf-8"))
    ids = {title: f"ht{i:04}" for i, title in enumerate(corpus)}
    records = [{"id": ids[t], "title": t, "text": "".join(sentences).strip()} for t, sentences in corpus.items()]
    questions = []
    for q in json.load(open(files / "hotpotqa_train.json", encoding="utf-8")):
        gold = list(dict.fromkeys(ids[title] for title, _ in q["supporting_facts"]))
        questions.append({"id": q["_id"], "question": q["question"], "answers": [q["answer"]], "supporting": gold, "type": q["type"]})
    write(to, records, questions)


def fields(file):
    """The entries of a file of SMART's form, each a mapping of letters to text."""
    for entry in re.split(r"^\.I ", file.read_text(encoding="latin-1"), flags=re.M)[1:]:
        parts = re.split(r"^\.([TABW])\r?\n", entry, flags=re.M)
        yield {"I": parts[0].strip()} | {k: " ".join(v.split()) for k, v in zip(parts[1::2], parts[2::2])}


def cranfield(files, to):
    """Abstracts, and the relevant ones of each question. Two entries have no text."""
    records = []
    for e in fields(files / "cran.all.1400"):
        title = e["T"]
        text = e["W"].removeprefix(title).strip()  # which most begin with
        if text:
            records.append({"id": "c" + e["I"], "title": title, "text": text})
    there = {r["id"] for r in records}
    gold = {}
    for line in open(files / "cranqrel.correct", encoding="ascii"):
        question, _, record, _ = line.split()
        if "c" + record in there:
            gold.setdefault(int(question), []).append("c" + record)
    questions = [
        # The judgements number the questions by their place, not by their own numbers.
        {"id": f"cq{n}", "question": e["W"], "answers": [], "supporting": gold[n]}
        for n, e in enumerate(fields(files / "cran.qry"), 1)
        if n in gold
    ]
    write(to, records, questions)


if __name__ == "__main__":
    name, source, to = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    {"hotpotqa": hotpotqa, "hippo_hotpotqa": hippo_hotpotqa, "cranfield": cranfield}[name](source, to)
