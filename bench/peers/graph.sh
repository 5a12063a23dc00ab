#!/usr/bin/env bash
# Measures ragdb's graph algorithms and other libraries on the same files, one
# after the other on the same core, and prints tables with ratios.
#
#   bench/peers/graph.sh GRAPH...
#
# A GRAPH is a binary file as "go run ./bench graph-gen" writes it, or a text
# with an edge a line, which may be gzipped. Labels to compare communities with
# are in NAME.truth beside NAME.bin, or in labels.tsv.gz beside edges.tsv.gz.
# The table goes to standard output.
#
# It wants gcc, pkg-config, taskset, and of Debian's packages libigraph-dev,
# python3-igraph, python3-leidenalg, python3-networkx, python3-scipy and
# python3-sklearn; PEERS can leave some out. The environment may set:
#   CORE     the core that everything runs on (0)
#   ROUNDS   how often each engine runs each task, alternately (3)
#   REPS     repetitions in one run, of which the least counts (1)
#   TASKS    tasks, as "bench graph" takes them; all if empty
#   SEEDS    seeds of the tasks that depend on one (1)
#   PEERS    of igraph python-igraph leidenalg networkx scipy scikit-learn
#   CLUSTER  words FILE,DIM,TASK: vectors to cluster, raw little-endian f32
#            rows, as blobs.f32,256,kmeans:141
#   PYTHON   interpreter that has the packages (/usr/bin/python3)
#   LIMIT    seconds after which a run is given up (300)
#   RAW      folder to keep the engines' own output in
#   TMPDIR   folder for databases and unpacked graphs
set -euo pipefail

if [ $# -eq 0 ] && [ -z "${CLUSTER:-}" ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
command="bench/peers/graph.sh $*"
for name in LIMIT CLUSTER PEERS SEEDS TASKS REPS ROUNDS CORE; do
	[ -z "${!name:-}" ] || command="$name='${!name}' $command"
done
core=${CORE:-0} rounds=${ROUNDS:-3} reps=${REPS:-1} limit=${LIMIT:-300}
read -ra seeds <<<"${SEEDS:-1}"
read -ra peers <<<"${PEERS-igraph python-igraph leidenalg networkx scipy scikit-learn}"
read -ra tasks <<<"${TASKS:-project kcore components clustering pagerank pagerank:1e-10 bc:10 leiden:2 leiden_w:2 ppr path wpath}"
read -ra cluster <<<"${CLUSTER:-}"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
raw=${RAW:-$tmp/raw}
mkdir -p "$raw"

(cd "$here/../.." && CGO_ENABLED=0 go build -o "$tmp/ragdb-bench" ./bench)
if [[ " ${peers[*]} " == *" igraph "* ]]; then
	read -ra flags <<<"$(pkg-config --cflags --libs igraph)"
	gcc -O2 -march=native -o "$tmp/igraph" "$here/igraph/bench.c" "${flags[@]}" -lm
fi

# able ENGINE TASK says whether an engine has a task.
able() {
	case $1:$2 in
	ragdb:*) ;;
	*:project) return 1 ;;
	igraph:pagerank:1e-10) ;; # what its solver stops at
	igraph:kmeans:* | igraph:gmm:* | *:pagerank:*) return 1 ;;
	igraph:*) ;;
	python-igraph:kcore | python-igraph:components | python-igraph:clustering | python-igraph:pagerank) ;;
	python-igraph:leiden* | python-igraph:ppr | python-igraph:path | python-igraph:wpath) ;;
	leidenalg:leiden*) ;;
	networkx:kcore | networkx:components | networkx:clustering | networkx:pagerank) ;;
	networkx:bc:10 | networkx:ppr | networkx:path | networkx:wpath) ;;
	scipy:ppr) ;;
	scikit-learn:kmeans:* | scikit-learn:gmm:*) ;;
	*) return 1 ;;
	esac
}

results=()
# run ENGINE TASK SEED ROUND FLAGS... runs an engine on the core and keeps its
# output.
run() {
	local engine=$1 task=$2 seed=$3 round=$4 program
	shift 4
	case $engine in
	ragdb) program=("$tmp/ragdb-bench" graph --json) ;;
	igraph) program=("$tmp/igraph") ;;
	*) program=("${PYTHON:-/usr/bin/python3}" "$here/graph.py" --engine "$engine") ;;
	esac
	local to=$raw/$name.$task.$engine.$seed.$round.json
	echo "==> $(basename "$to" .json)" >&2
	if timeout "$limit" taskset -c "$core" "${program[@]}" --task "$task" --seed "$seed" --reps "$reps" "$@" >"$to"; then
		results+=("$to")
	else
		echo "    no result (code $?)" >&2
		rm -f "$to"
	fi
}

# measure TASK FLAGS... runs all engines that have a task, in turn.
measure() {
	local task=$1 engine seed round
	shift
	local of=("${seeds[@]}")
	case $task in
	leiden* | kmeans* | gmm*) ;;
	*) of=(1) ;;
	esac
	for ((round = 1; round <= rounds; round++)); do
		for seed in "${of[@]}"; do
			for engine in ragdb "${peers[@]}"; do
				! able "$engine" "$task" || run "$engine" "$task" "$seed" "$round" "$@"
			done
		done
	done
}

for graph in "$@"; do
	name=$(basename "${graph%%.*}")
	labels=()
	if [[ $graph == *.bin ]]; then
		[ ! -f "${graph%.bin}.truth" ] || labels=(--labels "${graph%.bin}.truth")
	else
		[ "$name" != edges ] || name=$(basename "$(cd "$(dirname "$graph")" && pwd)") && name=${name#graph_}
		of=$(dirname "$graph")/labels.tsv.gz
		if [ -f "$of" ]; then
			labels=(--labels "$tmp/$name.truth")
			"$tmp/ragdb-bench" graph-gen -kind edges -from "$graph" -labels "$of" -o "$tmp/$name.bin" -truth "$tmp/$name.truth" >&2
		else
			"$tmp/ragdb-bench" graph-gen -kind edges -from "$graph" -o "$tmp/$name.bin" >&2
		fi
		graph=$tmp/$name.bin
	fi
	for task in "${tasks[@]}"; do
		measure "$task" --graph "$graph" "${labels[@]}"
	done
done
for set in "${cluster[@]}"; do
	IFS=, read -r file dim task <<<"$set"
	name=$(basename "${file%%.*}")
	measure "$task" --vectors "$file" --dim "$dim"
done

if [ ${#results[@]} -eq 0 ]; then
	echo "no results" >&2
	exit 1
fi
"$tmp/ragdb-bench" graph-report -md -command "$command" "${results[@]}"
