#!/usr/bin/env python3
"""Indexes on disk of other projects, on the files of the vector benchmark: building, recall
and processor time of a search. One thread; the page cache is warm.

    vectordisk.py FOLDER DIM WORK NAME...

FOLDER holds base.f32, query.f32 and gt.i32; WORK is for what the indexes write; names are
diskann (which wants numpy 1), lance, faiss and usearch, from the packages diskannpy,
lancedb with pyarrow, faiss-cpu and usearch. Prints a line of JSON for each point.
"""

import json, os, shutil, sys, time
from importlib import metadata

import numpy as np

os.environ.setdefault("RUST_LOG", "error")
folder, dim, work, names = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
base = np.fromfile(f"{folder}/base.f32", dtype=np.float32).reshape(-1, dim)
query = np.fromfile(f"{folder}/query.f32", dtype=np.float32).reshape(-1, dim)[:200]
truth = np.fromfile(f"{folder}/gt.i32", dtype=np.int32).reshape(-1, 100)[:, :10]


def cpu():
    return time.process_time()


def size(path):
    total = os.path.getsize(path) if os.path.isfile(path) else 0
    for d, _, fs in os.walk(path):
        total += sum(os.path.getsize(os.path.join(d, f)) for f in fs)
    return total


def point(name, package, build, disk, what, search):
    costs, found = [], 0
    for i in range(20):
        search(query[i])
    for i, q in enumerate(query):
        t = cpu()
        ids = search(q)
        costs.append((cpu() - t) * 1e3)
        found += len(set(int(x) for x in ids) & set(int(x) for x in truth[i]))
    costs.sort()
    print(json.dumps({
        "index": name, "version": metadata.version(package), "settings": what, "build_cpu_s": round(build, 1),
        "disk_mb": round(disk / 1e6), "recall@10": round(found / truth[: len(query)].size, 4),
        "p50_cpu_ms": round(costs[len(costs) // 2], 3), "p99_cpu_ms": round(costs[int(len(costs) * 0.99)], 3),
    }), flush=True)


def fresh(name):
    path = os.path.join(work, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def diskann():
    import diskannpy as d
    path = fresh("diskann")
    t = cpu()
    d.build_disk_index(data=base, distance_metric="l2", index_directory=path, complexity=100, graph_degree=48,
                       search_memory_maximum=0.06, build_memory_maximum=8, num_threads=1, pq_disk_bytes=0)
    build = cpu() - t
    ix = d.StaticDiskIndex(index_directory=path, num_threads=1, num_nodes_to_cache=0)
    for width in (16, 32, 64, 128):
        point("DiskANN", "diskannpy", build, size(path), f"R 48, L 100, width {width}, beam 4",
              lambda q: ix.search(q, k_neighbors=10, complexity=width, beam_width=4).identifiers)


def lance():
    import lancedb, pyarrow as pa
    path = fresh("lance")
    db = lancedb.connect(path)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(base.reshape(-1)), dim)
    table = db.create_table("t", pa.table({"id": pa.array(np.arange(len(base))), "vector": vectors}))
    t = cpu()
    table.create_index(metric="l2", num_partitions=max(16, len(base) // 1000), num_sub_vectors=dim // 8, index_type="IVF_PQ")
    build = cpu() - t
    for probes, refine in ((8, 4), (16, 8), (32, 10), (64, 10)):
        point("LanceDB IVF_PQ", "lancedb", build, size(path), f"{probes} partitions, refine {refine}",
              lambda q: table.search(q).nprobes(probes).refine_factor(refine).limit(10).select(["id"]).to_arrow()["id"].to_pylist())


def faiss():
    import faiss as f
    f.omp_set_num_threads(1)
    path = fresh("faiss")
    t = cpu()
    lists = max(16, len(base) // 100)
    ix = f.index_factory(dim, f"IVF{lists},PQ{dim // 8}x8")
    ix.train(base)
    on_disk = f.OnDiskInvertedLists(lists, ix.code_size, os.path.join(path, "lists"))
    ix.replace_invlists(on_disk)
    ix.add(base)
    build = cpu() - t
    rows = np.memmap(f"{folder}/base.f32", dtype=np.float32, mode="r", shape=base.shape)
    for probes, again in ((8, 40), (16, 60), (32, 60), (64, 100)):
        ix.nprobe = probes

        def search(q):
            _, ids = ix.search(q[None], again)
            ids = np.sort(ids[0][ids[0] >= 0])
            d = ((rows[ids] - q) ** 2).sum(1)
            return ids[np.argsort(d)[:10]]

        point("FAISS IVF-PQ, reranked", "faiss-cpu", build, size(path), f"{lists} lists, {probes} probed, {again} compared", search)


def usearch():
    from usearch.index import Index
    path = os.path.join(fresh("usearch"), "index")
    t = cpu()
    ix = Index(ndim=dim, metric="l2sq", dtype="f32", connectivity=16, expansion_add=200)
    ix.add(np.arange(len(base)), base, threads=1)
    build = cpu() - t
    ix.save(path)
    ix = Index.restore(path, view=True)
    for width in (16, 32, 64, 128):
        ix.expansion_search = width
        point("USearch, mapped", "usearch", build, size(path), f"M 16, width {width}", lambda q: ix.search(q, 10, threads=1).keys)


for name in names:
    globals()[name]()
