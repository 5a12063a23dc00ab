#!/usr/bin/env bash
# Measures this tree's encoder and onnxruntime on the same model and texts, on one
# core, alternately, in processor time.
#
#   bench/models/compare.sh MODEL
#
# MODEL is a folder that bench/models/reference.py has written its reference to.
# The environment may set:
#   CORE    the core that everything runs on (0)
#   ROUNDS  how often each is measured (3)
#   PYTHON  a Python with onnxruntime, onnx, numpy, safetensors and tokenizers
set -euo pipefail

if [ $# -ne 1 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
model=$(realpath -s "$1") core=${CORE:-0} python=${PYTHON:-python3}
cd "$(dirname "$0")/../.."
test=$(mktemp)
trap 'rm -f "$test"' EXIT
go test -c -o "$test" ./rag/llm/encoder
for round in $(seq "${ROUNDS:-3}"); do
	for form in f32 int8; do
		taskset -c "$core" "$python" bench/models/reference.py time "$model" "$form"
		RAGDB_MODELS=$(dirname "$model") taskset -c "$core" "$test" -test.run '^$' -test.benchtime 1x \
			-test.bench "Real/$(basename "$model")/$form" | grep -E 'texts/CPU-s|CPU-ms'
	done
done
