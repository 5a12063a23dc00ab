package importer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/load"
)

func (g *GraphRAG) readDocument(r *load.Record) error {
	id, err := r.Need("id")
	if err != nil {
		return err
	}
	d := record{ID: id}
	if d.Title, err = r.Text("title"); err != nil {
		return err
	}
	if d.Text, err = r.Need("text", "raw_content"); err != nil {
		return err
	}
	if g.documentIDs[id] {
		return r.Refuse("has the id %q, which another document has", id)
	}
	g.documentIDs[id] = true
	g.documents = append(g.documents, d)
	return nil
}

func (g *GraphRAG) readUnit(r *load.Record) error {
	u := unit{}
	var err error
	if u.id, err = r.Need("id"); err != nil {
		return err
	}
	if u.text, err = r.Need("text", "chunk"); err != nil {
		return err
	}
	if _, ok := g.unitAt[u.id]; ok {
		return r.Refuse("has the id %q, which another text unit has", u.id)
	}
	docs, err := r.Texts("document_ids")
	if err != nil {
		return err
	}
	if u.doc, err = r.Text("document_id"); err != nil {
		return err
	}
	if len(docs) > 0 {
		u.doc = docs[0]
	}
	if len(g.documents) == 0 {
		u.doc = ""
	} else if u.doc != "" && !g.documentIDs[u.doc] {
		return r.Refuse("is of the document %q, which there is not", u.doc)
	}
	g.unitAt[u.id] = len(g.units)
	g.units = append(g.units, u)
	return nil
}

// unitsOf returns the text units that a row names, each once.
func (g *GraphRAG) unitsOf(r *load.Record) ([]int, error) {
	names, err := r.Texts("text_unit_ids", "passages")
	if err != nil {
		return nil, err
	}
	var out []int
	seen := map[int]bool{}
	for _, n := range names {
		i, ok := g.unitAt[n]
		if !ok {
			return nil, r.Refuse("names the text unit %q, which there is not", n)
		}
		if !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	return out, nil
}

func (g *GraphRAG) readEntity(r *load.Record) error {
	row := statement{}
	var err error
	if row.title, err = r.Need("title", "name"); err != nil {
		return err
	}
	id, err := r.Text("id")
	if err != nil {
		return err
	}
	kind, err := r.Text("type")
	if err != nil {
		return err
	}
	if row.description, err = r.Text("description"); err != nil {
		return err
	}
	if row.units, err = g.unitsOf(r); err != nil {
		return err
	}
	for _, name := range []string{id, row.title} {
		if _, ok := g.entityAt[name]; ok && name != "" {
			return r.Refuse("is the entity %q, which another row is", name)
		}
	}
	key := cmp.Or(text.Key(row.title), strings.ToLower(row.title))
	at, ok := g.keyAt[key]
	if !ok {
		at = len(g.entities)
		g.keyAt[key] = at
		g.entities = append(g.entities, entity{key: key})
	}
	e := &g.entities[at]
	e.kind = cmp.Or(e.kind, kind)
	e.statements = append(e.statements, row)
	if id != "" {
		g.entityAt[id] = at
	}
	g.entityAt[row.title] = at
	return nil
}

func (g *GraphRAG) readRelation(r *load.Record) error {
	x := statement{weight: 1}
	var ends [2]int
	var err error
	for i, field := range []string{"source", "target"} {
		name, err := r.Need(field)
		if err != nil {
			return err
		}
		at, ok := g.entityAt[name]
		if !ok {
			return r.Refuse("names the entity %q, which there is not", name)
		}
		ends[i] = at
	}
	slices.Sort(ends[:])
	if x.description, err = r.Text("description"); err != nil {
		return err
	}
	if _, ok := r.Fields["weight"]; ok {
		if x.weight, err = r.Number("weight"); err != nil {
			return err
		}
	}
	if !(x.weight >= 0 && x.weight <= maxWeight) {
		return r.Refuse("has a weight that is not from 0 to %d: %v", int64(maxWeight), x.weight)
	}
	if x.units, err = g.unitsOf(r); err != nil {
		return err
	}
	if ends[0] == ends[1] || len(x.units) == 0 || !sourced(g.entities[ends[0]].statements) || !sourced(g.entities[ends[1]].statements) {
		g.skipped.Relations++
		return nil
	}
	at, ok := g.relationAt[ends]
	if !ok {
		at = len(g.relations)
		g.relationAt[ends] = at
		g.relations = append(g.relations, relation{from: ends[0], to: ends[1]})
	}
	g.relations[at].statements = append(g.relations[at].statements, x)
	return nil
}

// maxWeight bounds the weight of a relation, as that of contributions is.
const maxWeight = 1 << 30

func (g *GraphRAG) readCommunity(r *load.Record) error {
	x := community{}
	var err error
	if x.id, err = r.Need("community", "id"); err != nil {
		return err
	}
	level, err := r.Number("level")
	if err != nil {
		return err
	}
	x.level = int64(level)
	if x.title, err = r.Text("title"); err != nil {
		return err
	}
	if x.parent, err = r.Text("parent"); err != nil {
		return err
	}
	if x.parent == "-1" {
		x.parent = ""
	}
	members, err := r.Texts("entity_ids", "members")
	if err != nil {
		return err
	}
	for _, m := range members {
		at, ok := g.entityAt[m]
		if !ok {
			return r.Refuse("names the entity %q, which there is not", m)
		}
		if sourced(g.entities[at].statements) && !slices.Contains(x.members, at) {
			x.members = append(x.members, at)
		}
	}
	if _, ok := g.communityAt[x.id]; ok {
		return r.Refuse("is the community %q, which another row is", x.id)
	}
	if len(x.members) == 0 {
		g.skipped.Communities++
		return nil
	}
	g.communityAt[x.id] = len(g.communities)
	g.communities = append(g.communities, x)
	return nil
}

func (g *GraphRAG) readReport(r *load.Record) error {
	x := &report{}
	id, err := r.Need("community")
	if err != nil {
		return err
	}
	if x.title, err = r.Text("title"); err != nil {
		return err
	}
	if x.summary, err = r.Text("summary"); err != nil {
		return err
	}
	if x.text, err = r.Text("full_content", "full"); err != nil {
		return err
	}
	if x.rating, err = r.Number("rank", "rating"); err != nil {
		return err
	}
	level, err := r.Number("level")
	if err != nil {
		return err
	}
	x.level = int64(level)
	at, ok := g.communityAt[id]
	if !ok {
		g.skipped.Reports++
		return nil
	}
	if g.communities[at].report != nil {
		return r.Refuse("is a second report of the community %q", id)
	}
	g.communities[at].report = x
	return nil
}
