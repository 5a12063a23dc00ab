#!/usr/bin/env bash
# Measures ragdb's vector index and hnswlib on the same files, one after the
# other on the same core, and prints a table for each set.
#
#   bench/peers/vector.sh GENERATED [REAL] [OUT.md]
#
# GENERATED is a folder below which every folder with base.f32, query.f32,
# gt.i32 and meta.json is a set; REAL a folder of compressed sets (NAME/X.f32.gz,
# X.gt.i32.gz, X.json, and X.queries.f32.gz where rows of the base do not ask
# themselves). Either may be "-" for none. OUT.md is written with a plot OUT.svg
# beside it; the table goes to standard output if it is left out.
#
# It wants g++, taskset and the headers of hnswlib (Debian: libhnswlib-dev).
# The environment may set:
#   CORE    the core that everything runs on (0)
#   ROUNDS  how often each engine runs on each set, alternately; the best of
#           each figure counts (2)
#   INDEX   index of ragdb (hnsw)
#   TIERS   tiers of ragdb's index (lowplane store)
#   SETS    names of sets to take, all if empty
#   EXTRA   flags for all engines, as "--n 20000 --ef 16,64"
#   RAW     folder to keep the engines' own output in
#   TMPDIR  folder for databases, indexes and unpacked sets
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
command="bench/peers/vector.sh $*"
for name in SETS EXTRA TIERS INDEX ROUNDS CORE; do
	[ -z "${!name:-}" ] || command="$name='${!name}' $command"
done
generated=$1 real=${2:--} out=${3:-}
core=${CORE:-0} rounds=${ROUNDS:-2} index=${INDEX:-hnsw} tiers=${TIERS:-lowplane store}
read -ra extra <<<"${EXTRA:-}"
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
raw=${RAW:-$tmp/raw}
mkdir -p "$raw"

(cd "$here/../.." && CGO_ENABLED=0 go build -o "$tmp/ragdb-bench" ./bench)
g++ -std=c++17 -O3 -march=native -o "$tmp/hnswlib" "$here/hnswlib/bench.cpp"
version=$(dpkg-query -W -f='${Version}' libhnswlib-dev 2>/dev/null || true)
peer="hnswlib${version:+ $version}"

# field FILE NAME prints a field of a flat JSON object.
field() { tr -d '\n' <"$1" | sed -nE "s/.*\"$2\": *\"?([^\",}]*)\"?.*/\1/p"; }

# pinned FILE COMMAND... runs a command on the core and keeps its output.
results=()
pinned() {
	local to=$1
	shift
	echo "==> $(basename "$to" .json)" >&2
	taskset -c "$core" "$@" >"$to"
	results+=("$to")
}

# measure NAME FLAGS... runs the engines on a set.
measure() {
	local name=$1 round tier file
	shift
	file=$raw/${name//\//-}
	for ((round = 1; round <= rounds; round++)); do
		for tier in $tiers; do
			pinned "$file.ragdb-$tier.$round.json" \
				"$tmp/ragdb-bench" vector --json --index "$index" --tier "$tier" --set "$name" "$@" "${extra[@]}"
			[ "$tier" != "${tiers%% *}" ] || pinned "$file.hnswlib.$round.json" \
				"$tmp/hnswlib" --json --engine "$peer" --set "$name" "$@" "${extra[@]}"
		done
	done
}

# wanted NAME says whether a set is to be measured.
wanted() { [ -z "${SETS:-}" ] || [[ " $SETS " == *" $1 "* ]]; }

if [ "$generated" != - ]; then
	while read -r base; do
		dir=$(dirname "$base")
		name=${dir#"${generated%/}"/}
		wanted "$name" || continue
		measure "$name" --base "$base" --query "$dir/query.f32" --gt "$dir/gt.i32" \
			--dim "$(field "$dir/meta.json" d)" --metric ip
	done < <(find -L "$generated" -name base.f32 | sort)
fi

if [ "$real" != - ]; then
	for name in vec_sift5k vec_wikilda8 vec_biographies graphrag_carol stardew_zh; do
		wanted "$name" || continue
		truth=("$real/$name"/*.gt.i32.gz)
		head=${truth[0]%.gt.i32.gz}
		if [ ! -f "$head.json" ]; then
			echo "no set in $real/$name" >&2
			exit 1
		fi
		gzip -dc "$head.f32.gz" >"$tmp/base.f32"
		gzip -dc "$head.gt.i32.gz" >"$tmp/gt.i32"
		asks=(--queries-are-base)
		if [ -f "$head.queries.f32.gz" ]; then
			gzip -dc "$head.queries.f32.gz" >"$tmp/query.f32"
			asks=(--query "$tmp/query.f32")
		fi
		measure "$name" --base "$tmp/base.f32" --gt "$tmp/gt.i32" "${asks[@]}" \
			--dim "$(field "$head.json" d)" --metric "$(field "$head.json" metric)"
	done
fi

if [ ${#results[@]} -eq 0 ]; then
	echo "no sets" >&2
	exit 1
fi
if [ -z "$out" ]; then
	"$tmp/ragdb-bench" vector-report -md -command "$command" "${results[@]}"
	exit
fi
"$tmp/ragdb-bench" vector-report -md -command "$command" -svg "${out%.md}.svg" "${results[@]}" >"$out"
