// Where the explorer has nodes and edges from: statements of the query language.

const NODE = "id(n) AS id, labels(n)[0] AS type, n.key AS key, n.name AS name";

export class GraphSource {
  graph = "";
  #communities = new Map(); // by graph: community by the id of a node

  constructor(corpus) {
    this.corpus = corpus;
  }

  async rows(statement, params) {
    return (await this.corpus.post("query", { statement, params, ...this.graph ? { graph: this.graph } : {} })).rows;
  }

  async graphs() {
    return (await this.rows("CALL db.graphs()")).map(r => r.name);
  }

  // top adds the most connected nodes with the edges between them, and returns how many
  // nodes the graph has.
  async top(model, most) {
    const [labels, nodes] = await Promise.all([this.rows("CALL db.labels()"),
      this.rows(`CALL graph.degree({direction: 'both'}) YIELD node AS n, degree RETURN ${NODE}, degree ORDER BY degree DESC LIMIT $most`, { most })]);
    for (const n of nodes) model.add(n);
    await this.edges(model, nodes.map(n => n.id));
    return labels.reduce((sum, l) => sum + l.nodes, 0);
  }

  // edges adds the edges between nodes.
  async edges(model, ids) {
    if (!ids.length) return;
    const rows = await this.rows("UNWIND $ids AS i MATCH (n) WHERE id(n) = i WITH collect(n) AS ns CALL graph.subgraph(ns) YIELD edge, source, target " +
      "RETURN id(source) AS a, id(target) AS b, type(edge) AS type, edge.weight AS weight", { ids });
    for (const e of rows) model.link(e.a, e.b, e.type, e.weight ?? 1);
  }

  // neighbours adds what a node is linked with, the heaviest edges first, and the edges
  // among all that is there.
  async neighbours(model, node, most = 60) {
    const rows = await this.rows(`MATCH (c)-[r]-(n) WHERE id(c) = $id RETURN DISTINCT ${NODE}, r.weight AS weight ORDER BY weight DESC LIMIT $most`, { id: node.id, most });
    for (const n of rows) model.add(n, node);
    await this.edges(model, model.nodes.map(n => n.id));
  }

  async find(text) {
    return this.rows(`MATCH (n) WHERE toLower(n.name) CONTAINS $text OR toLower(n.key) CONTAINS $text RETURN ${NODE} ORDER BY size(n.key) LIMIT 30`, { text: text.toLowerCase() });
  }

  // node finds one by its key.
  async node(key) {
    return (await this.rows(`MATCH (n) WHERE n.key = $key RETURN ${NODE} LIMIT 1`, { key }))[0];
  }

  // communities marks the nodes with the communities of the whole graph, the largest first.
  async communities(model) {
    if (!this.#communities.has(this.graph)) {
      const rows = await this.rows("CALL graph.leiden() YIELD node, community RETURN id(node) AS id, community");
      const sizes = new Map();
      for (const r of rows) sizes.set(r.community, (sizes.get(r.community) ?? 0) + 1);
      const rank = new Map([...sizes].sort((a, b) => b[1] - a[1]).map(([c], i) => [c, i]));
      this.#communities.set(this.graph, new Map(rows.map(r => [r.id, rank.get(r.community)])));
    }
    const of = this.#communities.get(this.graph);
    for (const n of model.nodes) n.community = of.get(n.id) ?? -1;
  }
}
