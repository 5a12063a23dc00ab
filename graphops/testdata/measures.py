#!/usr/bin/python3
"""Writes measures.json: reference values of measures of clusterings, principal
components, and eigenvalues of normalised adjacency matrices.

Needs scikit-learn and networkx (Debian: python3-sklearn python3-networkx).
Elements are multiples of 1/64, exact in float32.

usage: measures.py > measures.json
"""
import json
import sys

import networkx as nx
import numpy as np
import sklearn
from sklearn.decomposition import PCA
from sklearn.metrics import calinski_harabasz_score, normalized_mutual_info_score
from sklearn.metrics.pairwise import cosine_similarity


def grid(x):
    return np.round(x * 64) / 64


r = np.random.default_rng(9)


def clustering(name, x, of):
    of = np.asarray(of)
    centroids = np.stack([x[of == c].mean(axis=0) for c in range(of.max() + 1)])
    cosine = np.mean([cosine_similarity(x[i:i + 1], centroids[c:c + 1])[0, 0] for i, c in enumerate(of)])
    return {"name": name, "dim": x.shape[1], "vectors": x.ravel().tolist(), "of": of.tolist(),
            "calinskiharabasz": calinski_harabasz_score(x, of), "meancosine": cosine}


def pair(name, a, b):
    return {"name": name, "a": np.asarray(a).tolist(), "b": np.asarray(b).tolist(), "nmi": normalized_mutual_info_score(a, b)}


def components(name, x, k):
    x = grid(x)
    p = PCA(k, svd_solver="full").fit(x)
    y = p.transform(x)
    c = p.components_
    sign = np.sign(c[np.arange(k), np.abs(c).argmax(axis=1)])
    return {"name": name, "dim": x.shape[1], "vectors": x.ravel().tolist(), "k": k,
            "variances": p.explained_variance_.tolist(), "components": (c * sign[:, None]).ravel().round(9).tolist(),
            "reduced": (y * sign).ravel().round(9).tolist()}


def spectrum(name, g, k, weighted=False):
    a = nx.to_numpy_array(g, nodelist=sorted(g), weight="weight" if weighted else None)
    a = a[a.sum(axis=1) > 0][:, a.sum(axis=0) > 0]
    d = 1 / np.sqrt(a.sum(axis=1))
    values = np.linalg.eigvalsh(a * d * d[:, None])[::-1][:k]
    edges = [[int(u), int(v), float(x.get("weight", 1))] for u, v, x in g.edges(data=True)]
    return {"name": name, "nodes": len(g), "weighted": weighted, "edges": edges, "values": values.tolist()}


def weigh(g):
    for _, _, x in g.edges(data=True):
        x["weight"] = int(r.integers(1, 65)) / 16
    return g


x = grid(r.normal(size=(60, 4)) + 1)
of = r.integers(0, 5, 60)
two = nx.convert_node_labels_to_integers(nx.disjoint_union_all([nx.path_graph(6), nx.complete_graph(5), nx.cycle_graph(8)]))
two.add_nodes_from([19, 20])
out = {
    "source": f"testdata/measures.py with scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
    f"networkx {nx.__version__}, Python {sys.version.split()[0]}",
    "clusterings": [
        clustering("at random", x, of),
        clustering("by sign", x, (x[:, 0] > 1).astype(int)),
        clustering("with single ones", x, np.r_[np.arange(10), np.full(50, 10)]),
    ],
    "pairs": [
        pair("at random", of, r.integers(0, 7, 60)),
        pair("the same", of, (of + 2) % 5),
        pair("finer", of, of * 2 + r.integers(0, 2, 60)),
        pair("one cluster", of, np.zeros(60, int)),
        pair("one cluster in both", np.zeros(5, int), np.zeros(5, int)),
        pair("single ones", np.arange(60), of),
    ],
    "components": [
        components("plane", r.normal(size=(40, 2)) @ [[3, 1], [0, 1]] + 5, 2),
        components("more dimensions than vectors", r.normal(size=(7, 20)), 3),
        components("decades", r.normal(size=(90, 12)) * 4.0 ** -np.arange(12) * 64, 4),
        components("wide", r.normal(size=(60, 6)) @ r.normal(size=(6, 33)) * 2 + 100, 5),
    ],
    "spectra": [
        spectrum("karate", nx.karate_club_graph(), 10),
        spectrum("karate, all", nx.karate_club_graph(), 34, weighted=True),
        spectrum("components and isolated nodes", two, 7),
        spectrum("cycle", nx.cycle_graph(60), 9),
        spectrum("random", weigh(nx.gnp_random_graph(120, 0.05, seed=4)), 20, weighted=True),
    ],
}
print('{"source": %s' % json.dumps(out.pop("source")))
for key, cases in out.items():
    print(',"%s": [' % key)
    print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
    print("]")
print("}")
