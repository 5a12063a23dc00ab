#!/usr/bin/python3
"""Writes oddgraphs.json.gz: 2,000 small graphs that have loops, parallel edges,
edges of two types, weights of 0 and isolated nodes, with and without direction,
and what networkx and igraph say of them.

Needs networkx and igraph. Where both define the same number, they must agree to
1e-9. They differ in two things: networkx counts a loop without direction once in
PageRank, igraph by both its ends, as both do in modularity; here it is igraph's.
And igraph counts parallel edges as several shortest paths; here they are one.

An edge is [from, to, type, weight in quarters]. There is at most one of a type
between two nodes, or in each direction. Results are in units of 1e-8.

usage: oddgraphs.py oddgraphs.json.gz
"""
import gzip
import json
import random
import sys

import igraph
import networkx as nx

EXACT = dict(tol=1e-14, max_iter=10_000)


def agree(what, case, a, b):
    a, b = list(a), list(b)
    if len(a) != len(b) or any(abs(x - y) > 1e-9 * max(1, abs(x)) for x, y in zip(a, b)):
        sys.exit(f"{what}: networkx {a}, igraph {b} of {case}")
    return [round(x * 1e8) for x in a]


def combined(edges, directed, how):
    """One edge for all parallel ones, as {(u, v): weight}."""
    out = {}
    for u, v, w in edges:
        k = (u, v) if directed else (min(u, v), max(u, v))
        out[k] = how(out[k], w) if k in out else w
    return out


def pagerank(case, n, edges, directed, damping, restart):
    # networkx counts a loop without direction once.
    g = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    g.add_nodes_from(range(n))
    g.add_weighted_edges_from((u, v, 2 * w if u == v and not directed else w) for u, v, w in edges)
    start = dict(enumerate(restart)) if restart else None
    a = nx.pagerank(g, alpha=damping, personalization=start, dangling=start, **EXACT)
    # igraph takes a node whose edges all weigh 0 for one that it can leave.
    some = [e for e in edges if e[2] > 0]
    h = igraph.Graph(n=n, edges=[e[:2] for e in some], directed=directed)
    w = [e[2] for e in some]
    if restart:
        # igraph leaves a node without edges for any other: lead it back to the start.
        stuck = set(range(n)) - {u for u, v, _ in some} - (set() if directed else {v for _, v, _ in some})
        if stuck:
            b = list(a.values())
        else:
            b = h.personalized_pagerank(damping=damping, reset=restart, weights=w or None)
    else:
        b = h.pagerank(damping=damping, weights=w or None)
    return agree("pagerank", case, (a[u] for u in range(n)), b)


def case(r):
    n = r.randint(1, 8)
    directed = r.random() < 0.5
    weighted = r.random() < 0.7
    room = n if r.random() < 0.8 else max(1, n - 2)  # else some nodes are surely isolated
    zero = r.choice([0, 0, 0.2])
    edges, seen = [], set()
    for _ in range(r.randint(0, 3 * n)):
        u = r.randrange(room)
        v = u if r.random() < 0.2 else r.randrange(room)
        k = r.randrange(2)
        if (key := (u, v, k) if directed else (min(u, v), max(u, v), k)) in seen:
            continue
        seen.add(key)
        q = 4 if r.random() < 0.2 else 0 if r.random() < zero else r.randint(1, 12)
        edges.append([u, v, k, q])
    c = {"n": n, "directed": directed, "weighted": weighted, "edges": edges}
    if weighted:
        real = [(u, v, q / 4) for u, v, _, q in edges]
    else:  # joined or not
        real = [(u, v, 1.0) for u, v in combined([(u, v, 1) for u, v, _, _ in edges], directed, min)]

    damping = r.choice([0.5, 0.85, 0.95])
    restart = [r.randrange(3) for _ in range(n)]
    restart[r.randrange(n)] = 1
    c["damping"], c["restart"] = damping, restart
    c["pagerank"] = pagerank(c, n, real, directed, damping, None)
    c["personal"] = pagerank(c, n, real, directed, damping, restart)

    # Lengths: the least of parallel edges.
    g = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    g.add_nodes_from(range(n))
    g.add_weighted_edges_from(real)
    h = igraph.Graph(n=n, edges=[e[:2] for e in real], directed=directed)
    d = dict(nx.all_pairs_dijkstra_path_length(g))
    d = [d[u].get(v, -1) for u in range(n) for v in range(n)]
    e = [-1 if x == float("inf") else x for row in h.distances(weights=[w for _, _, w in real] or None) for x in row]
    agree("distances", c, d, e)
    c["quarters"] = [round(4 * x) if x >= 0 else -1 for x in d]

    least = {k: w for k, w in combined(real, directed, min).items() if k[0] != k[1]}
    s = (nx.DiGraph if directed else nx.Graph)()
    s.add_nodes_from(range(n))
    s.add_weighted_edges_from((u, v, w) for (u, v), w in least.items())
    t = igraph.Graph(n=n, edges=list(least), directed=directed)
    c["betweenness"] = agree("betweenness", c, nx.betweenness_centrality(s, normalized=False).values(), t.betweenness())
    if weighted and all(w > 0 for _, _, w in real):
        c["lengths"] = agree("lengths", c, nx.betweenness_centrality(s, normalized=False, weight="weight").values(),
                             t.betweenness(weights=list(least.values()) or None))

    # Structure, without direction.
    pairs = combined([(u, v, 1) for u, v, _ in real if u != v], False, min)
    s = nx.Graph()
    s.add_nodes_from(range(n))
    s.add_edges_from(pairs)
    t = igraph.Graph(n=n, edges=list(pairs))
    c["core"] = [round(x / 1e8) for x in agree("core", c, nx.core_number(s).values(), t.coreness())]
    member = t.connected_components().membership
    c["components"] = [member.index(x) for x in member]
    if {frozenset(x) for x in nx.connected_components(s)} != {frozenset(x) for x in t.connected_components()}:
        sys.exit(f"components of {c}")
    c["triangles"] = list(nx.triangles(s).values())
    c["clustering"] = agree("clustering", c, nx.clustering(s).values(), t.transitivity_local_undirected(mode="zero"))

    # Strengths, without direction: parallel edges are added, and both ends of a loop.
    both = real if weighted else [(u, v, 1.0) for u, v in combined(real, False, min)]
    g = nx.MultiGraph()
    g.add_nodes_from(range(n))
    g.add_weighted_edges_from(both)
    part = [r.randrange(3) for _ in range(n)]
    c["part"] = part
    if sum(w for _, _, w in both) > 0:
        sets = [{u for u in range(n) if part[u] == k} for k in range(3)]
        a = nx.community.modularity(g, [x for x in sets if x], weight="weight")
        b = igraph.Graph(n=n, edges=[e[:2] for e in both]).modularity(part, weights=[w for _, _, w in both])
        c["modularity"] = agree("modularity", c, [a], [b])[0]
    return c


def main():
    r = random.Random(37)
    cases = [case(r) for _ in range(2000)]
    text = json.dumps({"source": f"networkx {nx.__version__}, igraph {igraph.__version__}", "cases": cases}, separators=(",", ":"))
    with open(sys.argv[1], "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z:
        z.write(text.encode())


main()
