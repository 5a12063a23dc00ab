#!/usr/bin/python3
"""Writes augment.json, the reference of TestAugmentKNNReference.

Needs networkx, numpy and scikit-learn (Debian: python3-networkx python3-numpy
python3-sklearn). Candidates are scikit-learn's nearest neighbours by cosine,
the threshold is numpy's percentile, the rest follows the documentation.

usage: augment.py > augment.json
"""
import json
import sys

import networkx as nx
import numpy as np
import sklearn
from sklearn.neighbors import NearestNeighbors


def case(name, g, seed, percentile=0.8, scale=1.0, search=1.5):
    n = g.number_of_nodes()
    r = np.random.default_rng(seed)
    groups = r.integers(0, 4, size=n)
    x = np.round(r.normal(size=(4, 6))[groups] * 16 + r.normal(size=(n, 6)) * 8) / 16  # exact in float32
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    cos = unit @ unit.T
    edges = sorted(tuple(sorted(e)) for e in g.edges)
    threshold = float(np.percentile([cos[e] for e in edges], 100 * percentile)) if edges else None
    degrees = [d for _, d in g.degree if d > 0]
    cap = int((int(np.mean(degrees)) if degrees else int(np.sqrt(n) / 2)) * scale)
    k = min(n, int(search * cap) + 1)
    near = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(x).kneighbors(x)[1]
    added = set()
    for u in range(n):
        mine = [int(v) for v in near[u] if v != u and not g.has_edge(u, int(v))]
        mine = [v for v in mine if threshold is None or cos[u, v] > threshold]
        for v in sorted(mine, key=lambda v: -cos[u, v])[:cap]:
            added.add((min(u, v), max(u, v)))
    return {
        "name": name, "nodes": n, "dim": 6, "vectors": x.ravel().tolist(), "edges": [[*e, 1] for e in edges],
        "candidates": [[u, int(v), 0] for u in range(n) for v in near[u]],
        "percentile": percentile, "scale": scale, "threshold": threshold, "degree": cap, "added": len(added),
        "result": [[u, v, max(0.0, float(cos[u, v]))] for u, v in sorted(added | set(edges))],
    }


two = nx.disjoint_union(nx.path_graph(8), nx.complete_graph(6))
two.add_nodes_from(range(14, 20))  # isolated
empty = nx.empty_graph(40)
cases = [
    case("karate", nx.karate_club_graph(), 1),
    case("karate, percentile .5, twice the degree", nx.karate_club_graph(), 2, percentile=0.5, scale=2.0),
    case("random", nx.gnp_random_graph(90, 0.05, seed=4), 3),
    case("two components and isolated nodes", two, 4, percentile=0.25, scale=1.5),
    case("no edges", empty, 5),
    case("a single edge", nx.Graph([(0, 1), (1, 0)]), 6),
]
source = (
    f"testdata/augment.py with networkx {nx.__version__}, numpy {np.__version__}, "
    f"scikit-learn {sklearn.__version__}, Python {sys.version.split()[0]}"
)
print('{"source": %s, "cases": [' % json.dumps(source))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
print("]}")
