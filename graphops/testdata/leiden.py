#!/usr/bin/python3
"""Writes leiden.json, the reference of TestLeidenReference and
TestQualityReference.

Needs networkx and igraph (Debian: python3-networkx python3-igraph). For each
graph and objective it has a partition and its quality as networkx computes it
(modularity) or as counted here (CPM), and the qualities that igraph's Leiden
reaches in two iterations with eight seeds.

usage: leiden.py > leiden.json
"""
import json
import random
import sys

import igraph
import networkx as nx

SEEDS = 8


def cpm(g, membership, resolution, weights):
    inside = sum(
        w for e, w in zip(g.get_edgelist(), weights) if membership[e[0]] == membership[e[1]]
    )
    sizes = [membership.count(c) for c in set(membership)]
    return inside - resolution * sum(s * (s - 1) / 2 for s in sizes)


def case(name, graph, weighted, objective, resolution, planted=None):
    nodes = sorted(graph.nodes)
    index = {v: i for i, v in enumerate(nodes)}
    edges = [
        [index[u], index[v], float(d["weight"]) if weighted else 1.0]
        for u, v, d in graph.edges(data=True) if u != v
    ]
    g = igraph.Graph(n=len(nodes), edges=[e[:2] for e in edges])
    weights = [e[2] for e in edges]

    def quality(membership):
        if objective == "CPM":
            return cpm(g, membership, resolution, weights)
        sets = {}
        for v, c in enumerate(membership):
            sets.setdefault(c, set()).add(v)
        h = nx.Graph()
        h.add_nodes_from(range(len(nodes)))
        h.add_weighted_edges_from(edges)
        q = nx.algorithms.community.modularity(h, sets.values(), resolution=resolution)
        # python-igraph takes no resolution here.
        if resolution == 1 and abs(q - g.modularity(membership, weights=weights)) > 1e-12:
            sys.exit(f"{name}: networkx and igraph differ")
        return q

    reached = []
    for seed in range(SEEDS):
        random.seed(seed)
        c = g.community_leiden(
            objective_function=objective, weights=weights,
            resolution_parameter=resolution, n_iterations=2,
        )
        reached.append(quality(c.membership))
    r = random.Random(1)
    part = [r.randrange(5) for _ in nodes]
    return {
        "name": name, "nodes": len(nodes), "weighted": weighted, "objective": objective,
        "resolution": resolution, "edges": edges, "partition": part, "quality": quality(part),
        "reached": reached, "planted": planted,
    }


def weigh(g, seed):
    r = random.Random(seed)
    for _, _, d in g.edges(data=True):
        d["weight"] = r.randrange(1, 65) / 16  # exact in float32
    return g


karate = nx.karate_club_graph()
lfr = nx.LFR_benchmark_graph(300, 3, 1.5, 0.15, average_degree=8, max_degree=30, min_community=20, max_community=60, seed=10)
blocks = {frozenset(lfr.nodes[v]["community"]) for v in lfr}
number = {v: i for i, c in enumerate(sorted(blocks, key=min)) for v in c}
planted = [number[v] for v in sorted(lfr)]
lfr = weigh(nx.Graph(lfr.edges), 4)
lfr.add_nodes_from(range(300))
out = {
    "source": f"testdata/leiden.py with networkx {nx.__version__}, igraph {igraph.__version__}, "
    f"Python {sys.version.split()[0]}",
    "cases": [
        case("karate", karate, False, "modularity", 1),
        case("karate weighted", karate, True, "modularity", 1),
        case("karate resolution 2", karate, False, "modularity", 2),
        case("karate resolution .5", karate, True, "modularity", 0.5),
        case("karate CPM", karate, False, "CPM", 0.1),
        case("karate CPM weighted", karate, True, "CPM", 0.5),
        case("LFR", lfr, False, "modularity", 1, planted),
        case("LFR weighted", lfr, True, "modularity", 1),
        case("LFR CPM", lfr, False, "CPM", 0.05),
    ],
}
print('{"source": %s, "cases": [' % json.dumps(out["source"]))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in out["cases"]))
print("]}")
