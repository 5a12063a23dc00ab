#!/usr/bin/python3
"""Writes contract.json, the reference of TestContractReference.

Needs igraph and networkx (Debian: python3-igraph python3-networkx). Clusters
are contracted by igraph's contract_vertices and simplify.

usage: contract.py > contract.json
"""
import json
import random
import sys

import igraph
import networkx as nx


def case(name, g, k, seed):
    r = random.Random(seed)
    nodes = sorted(g.nodes)
    of = [r.randrange(k) for _ in nodes]
    of[0], of[-1] = 0, k - 1  # igraph makes no cluster after the last that is used
    edges = [[u, v, r.randrange(1, 65) / 16] for u, v in g.edges]  # exact in float32
    out = {"name": name, "nodes": len(nodes), "directed": g.is_directed(), "of": of, "clusters": k, "edges": edges}
    for how in ("sum", "mean", "max", "min", "count"):
        h = igraph.Graph(n=len(nodes), edges=[e[:2] for e in edges], directed=g.is_directed())
        h.es["weight"] = [1.0 if how == "count" else e[2] for e in edges]
        h.contract_vertices(of)
        if how in ("sum", "count"):
            loops = [sum(e["weight"] for e in h.es if e.tuple == (c, c)) for c in range(k)]
            out["inside" if how == "sum" else "inside_edges"] = loops
        h.simplify(combine_edges="sum" if how == "count" else how)
        out[how] = sorted([*e.tuple, e["weight"]] for e in h.es)
    return out


cases = [
    case("karate", nx.convert_node_labels_to_integers(nx.karate_club_graph()), 5, 1),
    case("random", nx.gnp_random_graph(80, 0.08, seed=2), 12, 2),
    case("random directed", nx.gnp_random_graph(60, 0.08, seed=3, directed=True), 9, 3),
    case("one cluster", nx.path_graph(6), 1, 4),
]
source = f"testdata/contract.py with igraph {igraph.__version__}, networkx {nx.__version__}, Python {sys.version.split()[0]}"
print('{"source": %s, "cases": [' % json.dumps(source))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
print("]}")
