#!/usr/bin/python3
"""Writes structure.json: core numbers, components, triangles, clustering
coefficients and betweenness of small graphs, as igraph and networkx have them.

Needs networkx and igraph (Debian: python3-networkx python3-igraph). Where both
define the same number, they must agree to 1e-9. A projection has neither loops
nor parallel edges, so references are of the graph without them, but the edges
written have them.

usage: structure.py > structure.json
"""
import json
import random
import sys

import igraph
import networkx as nx


def same(name, what, a, b):
    worst = max((abs(x - y) / max(1, abs(x)) for x, y in zip(a, b)), default=0)
    if len(a) != len(b) or worst > 1e-9:
        sys.exit(f"{name}: networkx and igraph differ by {worst} in {what}")
    return list(a)


def case(name, n, edges, directed=False):
    g = (nx.DiGraph if directed else nx.Graph)()
    g.add_nodes_from(range(n))
    g.add_edges_from((u, v) for u, v in edges if u != v)
    h = igraph.Graph(n=n, edges=edges, directed=directed).simplify()
    cores = nx.core_number(g)
    member = h.connected_components(mode="weak").membership
    first = {}
    member = [first.setdefault(c, len(first)) for c in member]
    parts = sorted(map(min, nx.weakly_connected_components(g) if directed else nx.connected_components(g)))
    if sorted(member.index(c) for c in set(member)) != parts:
        sys.exit(f"{name}: components differ")
    b = nx.betweenness_centrality(g, normalized=False)
    out = {
        "name": name, "nodes": n, "directed": directed, "edges": edges,
        "core": same(name, "core", [cores[u] for u in range(n)], h.coreness(mode="all")),
        "component": member,
        "betweenness": same(name, "betweenness", [b[u] for u in range(n)], h.betweenness()),
    }
    if n > 2:
        b = nx.betweenness_centrality(g, normalized=True)
        out["normalised"] = [b[u] for u in range(n)]
    if not directed:
        t = nx.triangles(g)
        c = nx.clustering(g)
        out["triangles"] = [t[u] for u in range(n)]
        out["local"] = same(name, "clustering", [c[u] for u in range(n)],
                            h.transitivity_local_undirected(mode="zero"))
        out["average"] = nx.average_clustering(g)
        out["global"] = same(name, "transitivity", [nx.transitivity(g)],
                             [h.transitivity_undirected(mode="zero")])[0]
    return out


def of(name, g):
    return case(name, g.number_of_nodes(), [list(e) for e in g.edges], g.is_directed())


r = random.Random(8)
two = nx.disjoint_union(nx.path_graph(5), nx.complete_graph(4))
two.add_nodes_from([9, 10])  # isolated
some = [[r.randrange(25), r.randrange(25)] for _ in range(60)]
out = {
    "source": f"testdata/structure.py with networkx {nx.__version__}, igraph {igraph.__version__}, "
    f"Python {sys.version.split()[0]}",
    "cases": [
        of("karate", nx.karate_club_graph()),
        of("star", nx.star_graph(9)),
        of("path", nx.path_graph(12)),
        of("ring of cliques", nx.ring_of_cliques(6, 5)),
        of("complete", nx.complete_graph(7)),
        of("two components and isolated nodes", two),
        of("isolated nodes", nx.empty_graph(6)),
        of("grid", nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 7))),
        of("preferential attachment", nx.barabasi_albert_graph(150, 3, seed=4)),
        of("sparse random", nx.gnp_random_graph(120, 0.015, seed=6)),
        case("loops and parallel edges", 25, some + some[:20] + [[v, u] for u, v in some[30:]] + [[3, 3], [24, 24]]),
        case("loops and parallel edges, directed", 25, some + some[:20] + [[v, u] for u, v in some[30:]] + [[3, 3]], True),
        of("directed path", nx.path_graph(7, create_using=nx.DiGraph)),
        of("directed cycle", nx.cycle_graph(8, create_using=nx.DiGraph)),
        of("directed random", nx.gnp_random_graph(60, 0.05, seed=5, directed=True)),
        of("directed sparse random", nx.gnp_random_graph(80, 0.015, seed=2, directed=True)),
    ],
}
# One line a case, so that a change can be read.
print('{"source": %s, "cases": [' % json.dumps(out["source"]))
print(",\n".join(json.dumps(c, separators=(",", ":")) for c in out["cases"]))
print("]}")
