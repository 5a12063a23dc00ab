#!/usr/bin/python3
"""Writes pagerank.json, the reference scores of TestPageRankReference.

Needs networkx with scipy, and igraph (Debian: python3-networkx python3-scipy
python3-igraph). Scores are networkx's; where igraph defines the same ones
(it spreads the score of nodes without out-edges evenly, networkx like the
restart), the two must agree to 1e-9.

usage: pagerank.py > pagerank.json
"""
import json
import random
import sys

import igraph
import networkx as nx
import scipy


def case(name, g, weighted=False, damping=0.85, restart=None):
    nodes = sorted(g.nodes)
    index = {v: i for i, v in enumerate(nodes)}
    edges = [
        [index[u], index[v], float(d.get("weight", 1))] for u, v, d in g.edges(data=True)
    ]
    weight = "weight" if weighted else None
    p = None if restart is None else {v: restart[i] for i, v in enumerate(nodes)}
    r = nx.pagerank(g, alpha=damping, personalization=p, weight=weight, tol=1e-15, max_iter=10000)
    scores = [r[v] for v in nodes]
    dangling = g.is_directed() and any(d == 0 for _, d in g.out_degree())
    if restart is None or not dangling:
        h = igraph.Graph(n=len(nodes), edges=[e[:2] for e in edges], directed=g.is_directed())
        w = [e[2] for e in edges] if weighted else None
        if restart is None:
            other = h.pagerank(damping=damping, weights=w)
        else:
            other = h.personalized_pagerank(damping=damping, weights=w, reset=restart)
        worst = max(abs(a - b) for a, b in zip(scores, other))
        if worst > 1e-9:
            sys.exit(f"{name}: networkx and igraph differ by {worst}")
    return {
        "name": name, "nodes": len(nodes), "directed": g.is_directed(), "weighted": weighted,
        "damping": damping, "restart": restart, "edges": edges, "scores": scores,
    }


def weigh(g, seed):
    r = random.Random(seed)
    for _, _, d in g.edges(data=True):
        d["weight"] = r.randrange(1, 65) / 16  # exact in float32
    return g


karate = nx.karate_club_graph()
two = nx.disjoint_union(nx.path_graph(5), nx.complete_graph(4))
two.add_nodes_from([9, 10])  # isolated
dangling = nx.DiGraph([(0, 1), (0, 2), (1, 2), (2, 0), (2, 3), (4, 0), (4, 5)])
web = nx.gnp_random_graph(60, 0.04, seed=5, directed=True)
out = {
    "source": f"testdata/pagerank.py with networkx {nx.__version__}, scipy {scipy.__version__}, "
    f"igraph {igraph.__version__}, Python {sys.version.split()[0]}",
    "cases": [
        case("karate", karate),
        case("karate weighted", karate, weighted=True),
        case("karate damping .5", karate, damping=0.5),
        case("karate restart", karate, restart=[float(i in (0, 33, 5)) for i in range(34)]),
        case("two components and isolated nodes", two),
        case("star", nx.star_graph(9)),
        case("directed with dangling nodes", dangling),
        case("dangling nodes with restart", dangling, restart=[0.0, 3.0, 0.0, 0.0, 1.0, 0.0]),
        case("directed cycle", nx.cycle_graph(7, create_using=nx.DiGraph)),
        case("random directed", web),
        case("random directed weighted", weigh(web.copy(), 1), weighted=True),
        case("random directed weighted restart", weigh(web.copy(), 1), weighted=True, damping=0.95,
             restart=[float(i % 7 == 0) for i in range(60)]),
        case("random weighted", weigh(nx.gnp_random_graph(50, 0.1, seed=3), 2), weighted=True),
    ],
}
# One line a case, so that a change can be read.
print('{"source": %s, "cases": [' % json.dumps(out["source"]))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in out["cases"]))
print("]}")
