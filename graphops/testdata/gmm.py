#!/usr/bin/python3
"""Writes gmm.json, the reference mixtures of TestGMMReference.

Needs scikit-learn (Debian: python3-sklearn). Elements are multiples of 1/64,
exact in float32; both sides begin with the same mixture.

usage: gmm.py > gmm.json
"""
import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture

warnings.simplefilter("ignore")


def grid(x):
    return np.round(x * 64) / 64


def case(name, x, means, iterations, tol=1e-3, reg=1e-6):
    k, d = means.shape
    cov = np.stack([np.cov(x.T).reshape(d, d) * (1 + 0.25 * i) for i in range(k)])
    weights = np.arange(1, k + 1) / (k * (k + 1) / 2)
    g = GaussianMixture(
        k, weights_init=weights, means_init=means, precisions_init=np.linalg.inv(cov),
        max_iter=iterations, tol=tol, reg_covar=reg, random_state=0,
    ).fit(x)
    r = g.predict_proba(x)
    entries = np.argwhere(r > 0.1)
    return {
        "name": name, "dim": d, "vectors": x.ravel().tolist(),
        "initial": {"weights": weights.tolist(), "means": means.ravel().tolist(), "covariances": cov.ravel().tolist()},
        "maxiterations": iterations, "tolerance": tol, "regularisation": reg,
        "weights": g.weights_.tolist(), "means": g.means_.ravel().tolist(), "covariances": g.covariances_.ravel().tolist(),
        "loglikelihood": g.score(x) * len(x), "bic": g.bic(x), "iterations": g.n_iter_, "converged": g.converged_,
        "of": g.predict(x).tolist(),
        "members": [[int(i), int(c), r[i, c]] for i, c in entries],
    }


r = np.random.default_rng(8)
c = r.normal(size=(5, 3)) * 3
blobs = grid(c[r.integers(0, 5, 150)] + r.normal(size=(150, 3)))
flat = grid(r.uniform(size=(120, 2)) * 4)
line = grid(np.r_[r.normal(size=60), r.normal(size=60) + 5])[:, None]
six = grid(r.normal(size=(100, 6)) @ r.normal(size=(6, 6)))
cases = [
    case("one iteration", blobs, blobs[:5], 1),
    case("seven iterations", blobs, blobs[:5], 7, tol=1e-12),
    case("converged", blobs, blobs[:5], 500),
    case("converged closely", blobs, blobs[3:6], 2000, tol=1e-9),
    case("overlapping", flat, flat[:4], 300, tol=1e-6),
    case("line", line, line[[0, 100]], 100),
    case("one component", six, six[:1], 100),
    case("six dimensions", six, six[:3], 100, reg=0.01),
]
source = f"testdata/gmm.py with scikit-learn {sklearn.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}"
print('{"source": %s, "cases": [' % json.dumps(source))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
print("]}")
