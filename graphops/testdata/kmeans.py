#!/usr/bin/python3
"""Writes kmeans.json, the reference clusterings of TestKMeansReference.

Needs scikit-learn (Debian: python3-sklearn). Elements are multiples of 1/64,
exact in float32; both sides begin with the same centroids.

usage: kmeans.py > kmeans.json
"""
import json
import sys

import numpy as np
import sklearn
from sklearn.cluster import KMeans


def grid(x):
    return np.round(x * 64) / 64


def case(name, x, init, **options):
    x = grid(x)
    km = KMeans(len(init), init=init, n_init=1, algorithm="lloyd", **options).fit(x)
    return {
        "name": name, "dim": x.shape[1], "vectors": x.ravel().tolist(), "initial": init.ravel().tolist(),
        "tolerance": options["tol"], "iterations": options["max_iter"],
        "of": km.labels_.tolist(), "centroids": km.cluster_centers_.ravel().tolist(), "inertia": km.inertia_,
    }


r = np.random.default_rng(7)
c = r.normal(size=(6, 5)) * 4
blobs = grid(c[r.integers(0, 6, 150)] + r.normal(size=(150, 5)))
uniform = grid(r.uniform(size=(200, 2)) * 8)
wide = grid(r.normal(size=(60, 33)))
far = grid(r.normal(size=(80, 3)) + 1000)
full = dict(tol=0, max_iter=300)
cases = [
    case("blobs", blobs, blobs[:6], **full),
    case("uniform", uniform, uniform[:9], **full),
    case("one cluster", uniform, uniform[:1], **full),
    case("as many as vectors", blobs[:12], blobs[:12], **full),
    case("wide", wide, wide[:4], **full),
    case("far from the origin", far, far[:5], **full),
    case("two iterations", uniform, uniform[10:25], tol=0, max_iter=2),
    case("tolerance", uniform, uniform[10:25], tol=0.01, max_iter=300),
    case("an empty cluster is refilled", blobs, np.vstack([blobs[:3], np.full((1, 5), 500.0)]), **full),
]
source = f"testdata/kmeans.py with scikit-learn {sklearn.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}"
print('{"source": %s, "cases": [' % json.dumps(source))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
print("]}")
