#!/usr/bin/env bash
# Holds this tree's encoder to onnxruntime on the same model: the vectors of 500 texts,
# and what exact search finds with those of three sets. It takes minutes.
#
#   bench/models/fidelity.sh MODEL DATA
#
# MODEL is a folder that bench/models/fetch.sh made; what onnxruntime makes of it goes
# to MODEL/reference. DATA has the folders of the sets. The environment may set:
#   PYTHON  a Python with onnxruntime, onnx, numpy, safetensors and tokenizers
set -euo pipefail

if [ $# -ne 2 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
model=$(realpath -s "$1") data=$(realpath -s "$2") python=${PYTHON:-python3}
cd "$(dirname "$0")/../.."
"$python" bench/models/reference.py write "$model" "$data"
"$python" bench/models/reference.py retrieval "$model" "$data"
RAGDB_MODELS=$(dirname "$model") go test ./rag/llm/encoder -v -long -count 1 -timeout 2h \
	-run "^(TestReference|TestRetrieval)\$/^$(basename "$model")\$"
