#!/usr/bin/python3
"""Measures Python's graph and cluster libraries on the files that
"go run ./bench graph" reads in their binary form, with the same flags, and
prints the same JSON. bench/peers/graph.sh runs both.

    graph.py --engine python-igraph|leidenalg|networkx|scipy|scikit-learn
      (--graph FILE | --vectors FILE --dim D) --task TASK
      [--seed N] [--reps N] [--queries N] [--labels FILE]

The time of a task is the processor time of the process from the call of the
library until it returns; making its graph of the edges is reported as load.
Seeds, sources and pairs are drawn as ragdb's command draws them.
"""

import argparse
import json
import os
import resource
import sys
import time
import warnings

import numpy as np

PPR_SEEDS = 20
PPR_QUERIES = 20  # of exact solvers, which take long


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--engine", required=True)
    p.add_argument("--graph")
    p.add_argument("--vectors")
    p.add_argument("--dim", type=int, default=0)
    p.add_argument("--task", required=True)
    p.add_argument("--labels")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--reps", type=int, default=1)
    p.add_argument("--queries", type=int, default=1000)
    p.add_argument("--iterations", type=int, default=0)
    return p.parse_args()


class Draw:
    """A sequence of random numbers that every engine draws alike."""

    def __init__(self, state):
        self.state = state

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


class Edges:
    def __init__(self, path):
        b = open(path, "rb").read()
        if b[:4] != b"RGB1":
            sys.exit(f"graph.py: {path} is no graph")
        self.n, self.m = (int(x) for x in np.frombuffer(b, "<u4", 2, 4))
        e = np.frombuffer(b, [("u", "<u4"), ("v", "<u4"), ("w", "<f4")], self.m, 12 + self.n)
        self.u, self.v = e["u"].astype(np.int64), e["v"].astype(np.int64)
        self.w = e["w"].astype(np.float64)

    def modularity(self, of, weights):
        w = self.w if weights else np.ones(self.m)
        total = w.sum()
        if total == 0:
            return 0.0
        strength = np.bincount(self.u, w, self.n) + np.bincount(self.v, w, self.n)
        inside = w[of[self.u] == of[self.v]].sum()
        return float(inside / total - ((np.bincount(of, strength) / (2 * total)) ** 2).sum())

    def disconnected(self, of):
        import scipy.sparse as sp
        from scipy.sparse.csgraph import connected_components

        own = of[self.u] == of[self.v]
        a = sp.csr_matrix((np.ones(own.sum()), (self.u[own], self.v[own])), (self.n, self.n))
        pieces = connected_components(a, False)[1]
        first = {}
        broken = set()
        for u, c in enumerate(of.tolist()):
            if first.setdefault(c, pieces[u]) != pieces[u]:
                broken.add(c)
        return len(broken)


def judge(out, edges, of, weights, labels):
    """Puts the figures of a partition into out."""
    of = np.asarray(of)
    out["modularity"] = out["value"] = edges.modularity(of, weights)
    out["communities"] = int(len(np.unique(of)))
    out["disconnected"] = edges.disconnected(of)
    if labels:
        from sklearn.metrics import normalized_mutual_info_score

        truth = np.loadtxt(labels, dtype=int)
        known = truth >= 0
        out["nmi"] = float(normalized_mutual_info_score(truth[known], of[known]))


def ask(out, queries, run, length):
    """Asks queries; length is that of an answer, None where there is none."""
    cpu, wall, found = [], [], []
    for q in queries:
        w, c = time.perf_counter(), time.thread_time()
        answer = run(q)
        cpu.append(time.thread_time() - c)
        wall.append(time.perf_counter() - w)
        value = length(answer)
        if value is not None:
            found.append(value)
    out["queries"] = len(cpu)
    out["more"] = {"reached": len(found)}
    out["value"] = float(np.mean(found)) if found else 0.0
    for name, list_ in (("", cpu), ("_wall", wall)):
        list_.sort()
        for q in (50, 99):
            at = min(int(q / 100 * len(list_)), len(list_) - 1)
            out[f"p{q}{name}_us"] = list_[at] * 1e6


class PythonIgraph:
    def __init__(self, e):
        import igraph

        self.version = igraph.__version__
        self.igraph = igraph
        self.e = e

    def load(self):
        self.g = self.igraph.Graph(n=self.e.n, edges=np.stack([self.e.u, self.e.v], 1))
        self.g.es["w"] = self.e.w

    def run(self, a, name, arg, out):
        import random

        random.seed(a.seed)
        self.igraph.set_random_number_generator(random)
        g = self.g
        if name == "kcore":
            out["value"] = max(g.coreness())
        elif name == "bc" and arg == "exact":
            out["value"] = sum(g.betweenness(directed=False))
        elif name in ("leiden", "leiden_w"):
            w = "w" if name == "leiden_w" else None
            out["of"] = g.community_leiden("modularity", weights=w, n_iterations=int(arg or 2)).membership
        elif name == "pagerank":
            out["value"] = max(g.pagerank(directed=False))
        elif name == "components":
            out["value"] = len(g.connected_components())
        elif name == "clustering":
            out["value"] = float(np.mean(g.transitivity_local_undirected(mode="zero")))
        elif name == "ppr":
            ask(out, seeds(a, self.e.n, PPR_QUERIES), lambda s: g.personalized_pagerank(damping=0.5, reset_vertices=s), max)
        elif name in ("path", "wpath"):
            w = "w" if name == "wpath" else None
            run = lambda q: g.get_shortest_paths(q[0], q[1], weights=w, output="epath")[0]
            weigh = lambda p: sum(self.e.w[p]) if w else len(p)
            # A node's path to itself has no edges, and is found.
            ask(out, pairs(a, self.e.n, 100), lambda q: (q, run(q)),
                lambda x: weigh(x[1]) if x[1] or x[0][0] == x[0][1] else None)
        else:
            return False
        return True


class Leidenalg(PythonIgraph):
    def __init__(self, e):
        super().__init__(e)
        import leidenalg

        self.leidenalg, self.version = leidenalg, leidenalg.version

    def run(self, a, name, arg, out):
        if name not in ("leiden", "leiden_w"):
            return False
        out["of"] = self.leidenalg.find_partition(
            self.g, self.leidenalg.ModularityVertexPartition, weights="w" if name == "leiden_w" else None,
            n_iterations=int(arg or 2), seed=a.seed).membership
        return True


class Networkx:
    def __init__(self, e):
        import networkx

        self.nx, self.e, self.version = networkx, e, networkx.__version__

    def load(self):
        self.g = self.nx.Graph()
        self.g.add_nodes_from(range(self.e.n))
        self.g.add_weighted_edges_from(zip(self.e.u.tolist(), self.e.v.tolist(), self.e.w.tolist()))

    def run(self, a, name, arg, out):
        nx, g = self.nx, self.g
        if name == "kcore":
            out["value"] = max(nx.core_number(g).values())
        elif name == "bc" and arg != "exact":
            d = Draw(12345)
            sources = [d.below(self.e.n) for _ in range(int(arg))]
            out["value"] = sum(nx.betweenness_centrality_subset(g, sources, list(g), normalized=False).values())
        elif name == "pagerank":
            tol = float(arg or 1e-6)
            out["value"] = max(nx.pagerank(g, tol=tol / self.e.n, max_iter=1000, weight=None).values())
        elif name == "components":
            out["value"] = nx.number_connected_components(g)
        elif name == "clustering":
            out["value"] = sum(nx.clustering(g).values()) / self.e.n
        elif name == "ppr":
            ask(out, seeds(a, self.e.n, 5),
                lambda s: nx.pagerank(g, alpha=0.5, personalization={u: s.count(u) for u in s}, weight=None),
                lambda scores: max(scores.values()))
        elif name == "path":
            ask(out, pairs(a, self.e.n, 200), self.reached(nx.bidirectional_shortest_path),
                lambda p: None if p is None else len(p) - 1)
        elif name == "wpath":
            ask(out, pairs(a, self.e.n, 30), self.reached(nx.bidirectional_dijkstra),
                lambda p: None if p is None else p[0])
        else:
            return False
        return True

    def reached(self, search):
        def run(q):
            try:
                return search(self.g, *q)
            except self.nx.NetworkXNoPath:
                return None

        return run


class Scipy:
    """The shallow walk by products of a sparse matrix."""

    def __init__(self, e):
        import scipy
        import scipy.sparse

        self.sp, self.e, self.version = scipy.sparse, e, scipy.__version__

    def load(self):
        e = self.e
        ones = np.ones(2 * e.m)
        b = self.sp.csr_matrix((ones, (np.r_[e.u, e.v], np.r_[e.v, e.u])), (e.n, e.n))
        self.p = self.sp.csr_matrix(b.multiply(1 / np.maximum(b.sum(1), 1)).T)

    def run(self, a, name, arg, out):
        if name != "ppr":
            return False

        def walk(s):
            start = np.zeros(self.e.n)
            for u in s:
                start[u] += 1 / len(s)
            p = start
            for _ in range(2):
                p = 0.5 * self.p.dot(p) + 0.5 * start
            top = np.argpartition(-p, min(100, self.e.n - 1))[:100]
            return p[top]

        ask(out, seeds(a, self.e.n, a.queries), walk, max)
        return True


class ScikitLearn:
    def __init__(self, x):
        import sklearn
        import sklearn.cluster
        import sklearn.mixture

        self.x, self.version = x, sklearn.__version__

    def load(self):
        pass

    def run(self, a, name, arg, out):
        from sklearn.cluster import KMeans
        from sklearn.mixture import GaussianMixture  # both are loaded

        if name == "kmeans":
            m = KMeans(int(arg), n_init=1, max_iter=a.iterations or 50, tol=0, random_state=a.seed, algorithm="lloyd").fit(self.x)
            out["value"], out["more"] = float(m.inertia_), {"iterations": int(m.n_iter_)}
        elif name == "gmm":
            x = self.x.astype(np.float64)
            best = None
            for k in range(1, 51) if arg == "sweep" else [int(arg)]:
                m = GaussianMixture(k, covariance_type="full", max_iter=a.iterations or 100, random_state=a.seed).fit(x)
                bic = float(m.bic(x))
                if best is None or bic < best[0]:
                    best = bic, k
            out["value"], out["more"] = best[0], {"components": best[1]}
        else:
            return False
        return True


def seeds(a, n, most):
    d = Draw(a.seed)
    return [[d.below(n) for _ in range(PPR_SEEDS)] for _ in range(min(a.queries, most))]


def pairs(a, n, most):
    d = Draw(a.seed)
    return [(d.below(n), d.below(n)) for _ in range(min(a.queries, most))]


ENGINES = {
    "python-igraph": PythonIgraph, "leidenalg": Leidenalg, "networkx": Networkx,
    "scipy": Scipy, "scikit-learn": ScikitLearn,
}


def main():
    warnings.simplefilter("ignore")  # of pairs without a path
    a = arguments()
    name, _, arg = a.task.partition(":")
    if a.engine not in ENGINES:
        sys.exit(f"graph.py: engine {a.engine!r} is none of {', '.join(ENGINES)}")
    edges = None
    if a.vectors:
        data = np.fromfile(a.vectors, "<f4").reshape(-1, a.dim)
        nodes = len(data)
    else:
        data = edges = Edges(a.graph)
        nodes = edges.n
    engine = ENGINES[a.engine](data)
    at = time.process_time()
    engine.load()
    load = time.process_time() - at
    cpu, wall = [], []
    for _ in range(a.reps):
        out = {}
        w, c = time.perf_counter(), time.process_time()
        known = engine.run(a, name, arg, out)
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - w)
        if not known:
            sys.exit(f"graph.py: {a.engine} has no task {a.task}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if "of" in out:
        judge(out, edges, out.pop("of"), name == "leiden_w", a.labels)
    out["value"] = float(out["value"])
    print(json.dumps({
        "v": 1, "engine": f"{a.engine} {engine.version}",
        "graph": os.path.basename(a.vectors or a.graph).split(".")[0], "task": a.task, "nodes": nodes,
        "edges": edges.m if edges else 0, "load_cpu_s": load, "project_cpu_s": 0,
        "cpu_s": min(cpu), "cpu_median_s": float(np.median(cpu)), "wall_s": min(wall),
        "wall_median_s": float(np.median(wall)), "total_cpu_s": load + min(cpu), "peak_mb": peak,
        **out, "seed": a.seed, "workers": 1, "reps": a.reps,
    }))


if __name__ == "__main__":
    main()
