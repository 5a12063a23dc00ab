#!/usr/bin/python3
"""Writes scan.json, the reference of TestSCANReference.

Needs networkx (Debian: python3-networkx). Clusters are found by the definition
of SCAN, with exact comparisons of squares in fractions.

usage: scan.py > scan.json
"""
import json
import sys
from fractions import Fraction

import networkx as nx


def scan(g, epsilon, mu):
    within = {v: set(g[v]) | {v} for v in g}

    def alike(u, v):
        return Fraction(len(within[u] & within[v]) ** 2, len(within[u]) * len(within[v])) >= epsilon**2

    near = {v: {w for w in within[v] if alike(v, w)} for v in g}
    cores = {v for v in g if len(near[v]) >= mu}
    joined = nx.Graph()
    joined.add_nodes_from(cores)
    joined.add_edges_from((u, v) for u in cores for v in near[u] & cores)
    clusters = sorted(nx.connected_components(joined), key=min)
    of = {v: k for k, c in enumerate(clusters) for v in c}
    roles = {v: "core" for v in cores}
    for v in sorted(set(g) - cores):
        like = [of[u] for u in sorted(near[v] & cores)]
        if like:
            of[v], roles[v] = like[0], "border"
    for v in g:
        if v not in of:
            roles[v] = "hub" if len({of[u] for u in g[v] if u in of and roles[u] in ("core", "border")}) > 1 else "outlier"
    return {
        "of": [of.get(v, -1) for v in sorted(g)],
        "roles": [roles[v] for v in sorted(g)],
        "count": len(clusters),
    }


def case(name, g, epsilon="7/10", mu=2):
    e = Fraction(epsilon)
    return {
        "name": name, "nodes": g.number_of_nodes(), "edges": [[u, v, 1] for u, v in sorted(g.edges)],
        "epsilon": float(e), "mu": mu, **scan(g, e, mu),
    }


karate = nx.karate_club_graph()
lfr = nx.convert_node_labels_to_integers(
    nx.Graph(nx.LFR_benchmark_graph(250, 3, 1.5, 0.15, average_degree=7, min_community=20, seed=10))
)
lfr.remove_edges_from(list(nx.selfloop_edges(lfr)))
ring = nx.ring_of_cliques(6, 5)
hub = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
hub.add_edges_from([(10, 0), (10, 5), (11, 10), (12, 1)])
two = nx.disjoint_union(nx.path_graph(5), nx.complete_graph(4))
two.add_nodes_from([9, 10])
cases = [
    case("karate", karate),
    case("karate, eps .5", karate, "1/2"),
    case("karate, eps .6, mu 3", karate, "3/5", 3),
    case("karate, eps .4, mu 4", karate, "2/5", 4),
    case("karate, eps 1", karate, "1"),
    case("lfr", lfr, "1/2", 3),
    case("lfr, eps .4", lfr, "2/5", 4),
    case("ring of cliques", ring),
    case("a hub between cliques", hub, "7/10", 3),
    case("two components and isolated nodes", two),
    case("isolated nodes as cores", two, "7/10", 1),
    case("star", nx.star_graph(8), "1/2"),
]
source = f"testdata/scan.py with networkx {nx.__version__}, Python {sys.version.split()[0]}"
print('{"source": %s, "cases": [' % json.dumps(source))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
print("]}")
