#!/usr/bin/python3
"""Writes codicil.json, the reference of TestCODICILReference.

Needs networkx, numpy and scikit-learn (Debian: python3-networkx python3-numpy
python3-sklearn). Similarities are scikit-learn's jaccard_score of the rows of
the adjacency matrix with ones on the diagonal, and its cosine_similarity.

usage: codicil.py > codicil.json
"""
import json
import math
import sys

import networkx as nx
import numpy as np
import sklearn
from sklearn.metrics import jaccard_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import minmax_scale


def case(name, g, seed, k, alpha=0.5, vectors=True):
    n = g.number_of_nodes()
    r = np.random.default_rng(seed)
    x = np.round(r.normal(size=(3, 5))[r.integers(0, 3, size=n)] * 16 + r.normal(size=(n, 5)) * 8) / 16
    cos = cosine_similarity(x)
    near = NearestNeighbors(n_neighbors=min(n, k + 1), metric="cosine", algorithm="brute").fit(x).kneighbors(x)[1]
    pairs = sorted({(u, int(v)) for u in range(n) for v in near[u] if u != v})
    content = cos if vectors else np.zeros((n, n))
    if not vectors:
        for u, v in pairs:
            content[u, v] = content[v, u] = cos[u, v]
    content = np.maximum(0, content)
    united = nx.Graph(g)
    united.add_edges_from(pairs)
    within = nx.to_numpy_array(united, nodelist=range(n), weight=None) + np.eye(n)
    shared = {}
    for u, v in united.edges:
        shared[u, v] = shared[v, u] = jaccard_score(within[u], within[v])
    keep = set()
    for u in sorted(united):
        to = sorted(united[u])
        if not to:
            continue
        a = minmax_scale([shared[u, v] for v in to])
        b = minmax_scale([content[u, v] for v in to])
        score = {v: alpha * a[i] + (1 - alpha) * b[i] for i, v in enumerate(to)}
        for v in sorted(to, key=lambda v: (-round(score[v], 6), v))[: math.ceil(math.sqrt(len(to)))]:
            keep.add((min(u, v), max(u, v)))
    return {
        "name": name, "nodes": n, "dim": 5, "use_vectors": vectors, "vectors": x.ravel().tolist(),
        "alpha": alpha, "edges": [[u, v, 1] for u, v in sorted(g.edges)],
        "content": [[u, v, float(np.float32(cos[u, v]))] for u, v in pairs], "united": united.number_of_edges(),
        "result": [[u, v, float(alpha * shared[u, v] + (1 - alpha) * content[u, v])] for u, v in sorted(keep)],
    }


two = nx.disjoint_union(nx.path_graph(8), nx.complete_graph(6))
two.add_nodes_from(range(14, 18))  # isolated
cases = [
    case("karate", nx.karate_club_graph(), 1, 4),
    case("karate without vectors", nx.karate_club_graph(), 2, 4, vectors=False),
    case("karate, content counts more", nx.karate_club_graph(), 3, 6, alpha=0.25),
    case("topology alone", nx.karate_club_graph(), 4, 3, alpha=1.0),
    case("content alone", nx.gnp_random_graph(60, 0.08, seed=1), 5, 3, alpha=0.0),
    case("two components and isolated nodes", two, 6, 2),
]
source = (
    f"testdata/codicil.py with networkx {nx.__version__}, numpy {np.__version__}, "
    f"scikit-learn {sklearn.__version__}, Python {sys.version.split()[0]}"
)
print('{"source": %s, "cases": [' % json.dumps(source))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
print("]}")
