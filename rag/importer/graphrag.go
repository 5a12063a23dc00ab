package importer

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

// GraphName is the name of the graph that a GraphRAG import makes.
const GraphName = "graphrag"

// GraphRAG is what Microsoft GraphRAG made of some documents.
type GraphRAG struct {
	documents   []record
	units       []unit
	entities    []entity
	relations   []relation
	communities []community
	skipped     Skipped

	documentIDs map[string]bool
	unitAt      map[string]int // id -> place
	entityAt    map[string]int // id, and title -> place
	keyAt       map[string]int // key -> place
	relationAt  map[[2]int]int
	communityAt map[string]int
}

// unit is a text unit.
type unit struct {
	id, text string
	doc      string // id of its document, "" if it is one itself
}

// entity is what rows of one key say, mostly one.
type entity struct {
	key, kind  string
	statements []statement
}

// relation is what rows of the same two entities say: GraphRAG has one for
// each direction.
type relation struct {
	from, to   int
	statements []statement
}

// statement is a row with the text units that it is of.
type statement struct {
	title, description string
	weight             float64
	units              []int
}

// sourced reports whether a text unit has text.
func sourced(statements []statement) bool {
	return slices.ContainsFunc(statements, func(s statement) bool { return len(s.units) > 0 })
}

type community struct {
	id, title string
	level     int64
	parent    string // "" for none
	members   []int
	report    *report
}

type report struct {
	title, summary, text string
	rating               float64
	level                int64
}

// Skipped counts what an import left out.
type Skipped struct {
	// Entities and Relations have no text unit. Relations of an entity with
	// itself count too.
	Entities  int `json:"entities"`
	Relations int `json:"relationships"`
	// Communities have no member that is there.
	Communities int `json:"communities"`
	// Reports are of no community that is there.
	Reports int `json:"reports"`
}

// table is a table of a folder.
type table struct {
	fsys fs.FS
	name string // "" if there is none
}

// findTable returns the first of some tables that is in a folder, in any of the
// formats.
func findTable(fsys fs.FS, dir string, names ...string) table {
	for _, n := range names {
		for _, stem := range []string{n, "create_final_" + n} {
			for _, ext := range []string{".parquet", ".jsonl", ".jsonl.gz"} {
				p := path.Join(dir, stem+ext)
				if info, err := fs.Stat(fsys, p); err == nil && info.Mode().IsRegular() {
					return table{fsys, p}
				}
			}
		}
	}
	return table{}
}

// each calls fn with the rows of a table; one that is not there has none.
func (t table) each(ctx context.Context, fn func(r *load.Record) error) error {
	if t.name == "" {
		return nil
	}
	for r, err := range load.Records(ctx, t.fsys, t.name) {
		if err == nil {
			err = fn(&r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadGraphRAG reads the tables in a folder of a file system. There must be
// text units and entities; other tables may be missing.
func ReadGraphRAG(ctx context.Context, fsys fs.FS, dir string) (*GraphRAG, error) {
	g := &GraphRAG{documentIDs: map[string]bool{}, unitAt: map[string]int{}, entityAt: map[string]int{}, keyAt: map[string]int{}, relationAt: map[[2]int]int{}, communityAt: map[string]int{}}
	units := findTable(fsys, dir, "text_units", "corpus")
	entities := findTable(fsys, dir, "entities")
	for _, t := range []struct {
		table
		what string
	}{{units, "text_units"}, {entities, "entities"}} {
		if t.name == "" {
			return nil, phase.Errorf("%s has no table %s.parquet or %s.jsonl: %w", folder(dir), t.what, t.what, fs.ErrNotExist)
		}
	}
	for _, step := range []struct {
		table
		read func(*load.Record) error
	}{
		{findTable(fsys, dir, "documents"), g.readDocument},
		{units, g.readUnit},
		{entities, g.readEntity},
		{findTable(fsys, dir, "relationships"), g.readRelation},
		{findTable(fsys, dir, "communities"), g.readCommunity},
		{findTable(fsys, dir, "community_reports"), g.readReport},
	} {
		if err := step.each(ctx, step.read); err != nil {
			return nil, phase.At("", err)
		}
	}
	if len(g.units) == 0 {
		return nil, phase.Errorf("%s: %w", units.name, rag.ErrNoDocuments)
	}
	for _, e := range g.entities {
		if !sourced(e.statements) {
			g.skipped.Entities++
		}
	}
	g.settleDocuments()
	return g, nil
}

// settleDocuments gives the documents their keys, and makes one of each text
// unit that has none.
func (g *GraphRAG) settleDocuments() {
	titles := map[string]bool{}
	for _, d := range g.documents {
		if strings.TrimSpace(d.Title) != "" {
			titles[d.Title] = true
		}
	}
	keys := map[string]string{}
	for i := range g.documents {
		d := &g.documents[i]
		id := d.ID
		if len(titles) == len(g.documents) {
			d.ID, d.Title = d.Title, ""
		}
		keys[id] = d.ID
	}
	for i := range g.units {
		u := &g.units[i]
		if u.doc = keys[u.doc]; u.doc == "" {
			g.documents = append(g.documents, record{ID: u.id, Text: u.text})
		}
	}
}
