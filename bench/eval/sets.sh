#!/usr/bin/env bash
# Makes data sets that ragdb eval --data reads, of public data, in folders, one a set.
#
#   bench/eval/sets.sh DIR [NAME...]
#
# NAMEs are of the table below, all of them if none is given; a set that is there is left
# alone. A set is made of files of one commit each, and only if they have the checksums
# written here. Nothing that is fetched is run. It wants Python 3, sha256sum, and curl if
# files are fetched. The environment may set:
#   FILES   folder with files that were fetched already, by their names
#   PYTHON  the Python that is used (python3)
#
#   hotpotqa        500 questions of HotpotQA's development set with answers, two gold
#                   records each, and 4,858 records: the paragraphs of all of them. CC BY-SA
#                   4.0, in a copy of IRCoT's repository, which is under Apache-2.0
#   hippo_hotpotqa  100 questions of HotpotQA's training set likewise, and 994 records.
#                   CC BY-SA 4.0, in HippoRAG's repository, which is under MIT
#   cranfield       225 questions of engineers without answers, and 1,398 abstracts, of
#                   which 2 to 40 are relevant to each. The files state no licence, the
#                   repository that has them is under Apache-2.0
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

# file REPOSITORY COMMIT PATH SHA256: puts a file of a repository of GitHub into $tmp.
file() {
	local name=${3##*/}
	if [ -n "${FILES:-}" ] && [ -e "$FILES/$name" ]; then
		cp "$FILES/$name" "$tmp/$name"
	else
		curl --fail --silent --show-error --location --retry 3 --output "$tmp/$name" "https://raw.githubusercontent.com/$1/$2/$3"
	fi
	echo "$4  $tmp/$name" | sha256sum --check --quiet
}

hotpotqa() {
	file xindili-cmu/anlp-project-multihop 11ba72982918286f4bc602fb0cd87b5e2a145860 processed_data/hotpotqa/dev_subsampled.jsonl \
		837a919903fedf521211c4271f168ad5458488198e9c4d967bf5f3a579525ce8
}

hippo_hotpotqa() {
	local at=b144c46df14cabe5f5822d8caded4bec5f709461
	file OSU-NLP-Group/HippoRAG $at data/hotpotqa_train.json 6c0e2689d03c94b3bb4d5f94ed806ea4f4eb4f46c12132f8e91df774ad5c5a22
	file OSU-NLP-Group/HippoRAG $at data/hotpotqa_train_corpus.json 2671af600095eabc5b3f3bc3728861682f14fcced84ef1386509a8ae92647f88
}

cranfield() {
	local at=64bc97ae97b101d4b546a3ca2211841260afb28c
	file michelecafagna26/lucene $at cran/cran.all.1400 5b7e1db21b4427270c6b57fef2a655eeca2ef15d3b63a993a63e4a0182cc02b2
	file michelecafagna26/lucene $at cran/cran.qry 99578ceb88941ef89c14faf7c63c23776a376d8fba319b990f01d0c601d8b03f
	file michelecafagna26/lucene $at cran/cranqrel.correct 005a4a1effb1bf21cadbcb2f435a5aeebb1789550159b1d5cc44cadcb0a6d6ac
}

[ $# -gt 0 ] || set -- hotpotqa hippo_hotpotqa cranfield
for name; do
	case $name in
	hotpotqa | hippo_hotpotqa | cranfield) ;;
	*)
		echo "sets.sh: no set $name: there are hotpotqa, hippo_hotpotqa and cranfield" >&2
		exit 2
		;;
	esac
	if [ -e "$dir/$name" ]; then
		echo "$dir/$name is there"
		continue
	fi
	"$name"
	rm -rf "$tmp/new"
	mkdir "$tmp/new"
	"$python" "$here/sets.py" "$name" "$tmp" "$tmp/new"
	mv "$tmp/new" "$dir/$name"
	echo "$dir/$name"
done
