#!/usr/bin/env python3
"""Graph indexes in memory of other projects, on the files of the vector benchmark, one thread.

    vectormemory.py FOLDER DIM NAME...

Names are svs and faiss, from the packages scalable-vs and faiss-cpu. Prints a line of JSON
for each point.
"""

import json, sys, time
from importlib import metadata
import numpy as np

folder, dim, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
base = np.fromfile(f"{folder}/base.f32", dtype=np.float32).reshape(-1, dim)
query = np.fromfile(f"{folder}/query.f32", dtype=np.float32).reshape(-1, dim)[:200]
truth = np.fromfile(f"{folder}/gt.i32", dtype=np.int32).reshape(-1, 100)[:, :10]

def point(name, package, build, what, search):
    costs, found = [], 0
    for i in range(20):
        search(query[i])
    for r in range(3):
        for i, q in enumerate(query):
            t = time.process_time_ns()
            ids = search(q)
            costs.append((time.process_time_ns() - t) / 1e3)
            if r == 0:
                found += len(set(int(x) for x in ids) & set(int(x) for x in truth[i]))
    costs.sort()
    print(json.dumps({"index": name, "version": metadata.version(package), "settings": what, "build_cpu_s": round(build, 1),
        "recall@10": round(found / truth[: len(query)].size, 4), "qps_cpu": round(1e6 * len(costs) / sum(costs)),
        "p50_cpu_us": round(costs[len(costs) // 2], 1)}), flush=True)

def svs():
    import svs as s
    t = time.process_time()
    p = s.VamanaBuildParameters(graph_max_degree=32, window_size=200)
    ix = s.Vamana.build(p, base, s.DistanceType.L2, num_threads=1)
    build = time.process_time() - t
    for w in (10, 12, 16, 24, 32, 48, 64, 96, 128):
        ix.search_window_size = w
        point("SVS Vamana f32", "scalable-vs", build, f"R 32, window {w}", lambda q: ix.search(q[None], 10)[0][0])

def faiss():
    import faiss as f
    f.omp_set_num_threads(1)
    t = time.process_time()
    ix = f.IndexHNSWFlat(dim, 16)
    ix.hnsw.efConstruction = 200
    ix.add(base)
    build = time.process_time() - t
    for w in (10, 16, 32, 64, 128):
        ix.hnsw.efSearch = w
        point("FAISS HNSW", "faiss-cpu", build, f"M 16, ef {w}", lambda q: ix.search(q[None], 10)[1][0])

for n in names:
    globals()[n]()
