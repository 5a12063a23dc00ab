package service

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// Database is an open database that several users work with at once, each in a
// namespace. It is safe for concurrent use. [Database.Close] ends its jobs.
type Database struct {
	o       DatabaseOptions
	mu      sync.Mutex
	corpora map[string]*Corpus
	jobs    jobs
}

// DatabaseOptions say how the namespaces of a database are asked and filled.
type DatabaseOptions struct {
	DB      *engine.DB
	Methods method.Methods
	// Questions opens the models for the questions of a namespace, those that work by
	// rules if rules is true. Each call is for one question.
	Questions func(ctx context.Context, c *rag.Corpus, rules bool) (*rag.Models, error)
	// Indexing returns a corpus with the models that read its documents. Each call is for
	// one run.
	Indexing func(ctx context.Context, c *rag.Corpus) (*rag.Corpus, error)
}

// NewDatabase returns an open database for several users. The caller closes it, and
// then the engine's database.
func NewDatabase(o DatabaseOptions) *Database {
	d := &Database{o: o, corpora: map[string]*Corpus{}}
	d.jobs.begin()
	return d
}

// Memory returns the budget that work on the database draws from.
func (d *Database) Memory() *memory.Budget { return d.o.DB.Memory() }

// ReadOnly reports whether nothing can be written.
func (d *Database) ReadOnly(ctx context.Context) bool { return d.o.DB.ReadOnly(ctx) }

// Corpus opens a namespace. The error is an [*Error] if there is none of that name.
func (d *Database) Corpus(ctx context.Context, ns string) (*Corpus, error) {
	names, err := d.o.DB.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(names, ns) {
		delete(d.corpora, ns)
		return nil, NotFound("it has "+strings.Join(names, ", "), "there is no namespace %q", ns)
	}
	if c := d.corpora[ns]; c != nil {
		same, err := d.current(ctx, c)
		if err != nil {
			return nil, err
		}
		if same {
			return c, nil
		}
	}
	c, err := rag.OpenCorpus(ctx, d.o.DB, ns, nil)
	if err != nil {
		return nil, err
	}
	out := &Corpus{Corpus: c, Methods: d.o.Methods, Models: func(ctx context.Context, rules bool) (*rag.Models, error) {
		return d.o.Questions(ctx, c, rules)
	}}
	d.corpora[ns] = out
	return out, nil
}

// current reports whether a corpus is that of its namespace still: another command may
// have dropped the namespace, and made one of the same name.
func (d *Database) current(ctx context.Context, c *Corpus) (bool, error) {
	n, err := d.o.DB.Namespace(ctx, c.Namespace().Name())
	if err != nil {
		return false, err
	}
	g, err := n.Graph(ctx, engine.Base)
	if err != nil {
		return false, err
	}
	return g.ID() == c.Base().ID(), nil
}

// Namespace is a row of the list of namespaces.
type Namespace struct {
	NS        string `json:"ns"`
	Documents int    `json:"docs"`
	Graphs    int    `json:"graphs"`
}

// Namespaces lists the namespaces of a database, in order of name.
func Namespaces(ctx context.Context, db *engine.DB) ([]Namespace, error) {
	names, err := db.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	out := []Namespace{}
	for _, name := range names {
		c, err := rag.OpenCorpus(ctx, db, name, nil)
		if err != nil {
			return nil, err
		}
		graphs, err := c.Namespace().Graphs(ctx)
		if err != nil {
			return nil, err
		}
		n, err := countDocuments(ctx, c)
		if err != nil {
			return nil, err
		}
		out = append(out, Namespace{NS: name, Graphs: len(graphs), Documents: n})
	}
	return out, nil
}

// Namespaces lists the namespaces, in order of name.
func (d *Database) Namespaces(ctx context.Context) ([]Namespace, error) {
	return Namespaces(ctx, d.o.DB)
}

// NamespaceChange says what was done with a namespace.
type NamespaceChange struct {
	V       int    `json:"v"`
	NS      string `json:"ns"`
	Created bool   `json:"created,omitempty"`
	Dropped bool   `json:"dropped,omitempty"`
}

// CreateNamespace makes a namespace; Created is false if it is there already.
func CreateNamespace(ctx context.Context, db *engine.DB, name string) (*NamespaceChange, error) {
	names, err := db.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := rag.OpenCorpus(ctx, db, name, nil); err != nil {
		return nil, err
	}
	return &NamespaceChange{V: 1, NS: name, Created: !slices.Contains(names, name)}, nil
}

// CreateNamespace makes a namespace; Created is false if it is there already.
func (d *Database) CreateNamespace(ctx context.Context, name string) (*NamespaceChange, error) {
	return CreateNamespace(ctx, d.o.DB, name)
}

// DropNamespace removes a namespace with all that is in it, and ends its jobs first.
func (d *Database) DropNamespace(ctx context.Context, name string) (*NamespaceChange, error) {
	if _, err := d.Corpus(ctx, name); err != nil {
		return nil, err
	}
	if err := d.jobs.end(ctx, name); err != nil {
		return nil, err
	}
	d.mu.Lock()
	delete(d.corpora, name)
	d.mu.Unlock()
	if err := d.o.DB.DropNamespace(ctx, name); err != nil {
		return nil, err
	}
	return &NamespaceChange{V: 1, NS: name, Dropped: true}, nil
}

// Close cancels the jobs, stores the documents that wait, and returns when all have
// ended; what they have done is kept. It gives up storing when the context ends.
func (d *Database) Close(ctx context.Context) { d.jobs.close(ctx) }
