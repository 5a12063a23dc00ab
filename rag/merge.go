package rag

import (
	"context"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/method"
)

// MergeCandidates returns pairs of names of entities that may be names of one thing,
// the best first. It changes nothing, but keeps the vectors of the names if they are
// paid. nil models are the corpus's own; models that embed in another space than the
// corpus has are a [*ModelError].
func (c *Corpus) MergeCandidates(ctx context.Context, m *Models, o link.Options) (*link.Report, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	if m == nil {
		var err error
		if m, err = c.OpenModels(ctx); err != nil {
			return nil, err
		}
	}
	m = m.Ensure(c.ledger, c.Tokens())
	if err := c.CheckModel(ctx, m); err != nil {
		return nil, err
	}
	return link.Find(ctx, c.documents, m.In("merge"), o)
}

// Merged returns the names that are read as others, in order.
func (c *Corpus) Merged(ctx context.Context) (out []link.Alias, err error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		all, err := c.Aliases(s.Graph(c.Base()))
		out = all.List()
		return err
	})
	if err != nil {
		return nil, phase.Errorf("merged names: %w", err)
	}
	return out, nil
}

// Merge has names of entities read as others from now on, in all that is indexed: the
// keys of pairs are not looked at. The documents that name either leave the graphs of
// the methods that have read them, and the next [Indexer.Run] reads them again: from
// the replies that are kept, so that no model is paid to read a text again. Descriptions
// and reports that rest on a changed part of the graph are made again, which a model
// may be paid for. Until then questions miss what these
// documents say in these graphs.
//
// A name that no entity has is [engine.ErrNotFound]; a name that is read as another one
// already, and a name as itself, are [ErrArgument]. Then nothing is changed. Merge waits
// for runs and removals as [Corpus.Remove] does. If it is interrupted once the names are
// stored, the next run ends what it began, and the same Merge succeeds. [Corpus.Owed] tells
// of it until a run of all methods has ended.
func (c *Corpus) Merge(ctx context.Context, methods method.Methods, pairs []link.Alias) (*link.Change, error) {
	command := []string{"merge"}
	for _, p := range pairs {
		command = append(command, p.Name, p.Into)
	}
	return c.relink(ctx, methods, "merge", corpus.AskedBy(command...), func(x *relinking) error {
		for _, p := range pairs {
			if err := x.merge(p.Name, p.Into); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unmerge has names read as themselves again: with the next [Indexer.Run] the graphs are
// those that would be if the names had not been merged. A name that is not read as
// another one is [engine.ErrNotFound]. What holds for [Corpus.Merge] holds for it.
func (c *Corpus) Unmerge(ctx context.Context, methods method.Methods, names []string) (*link.Change, error) {
	return c.unmerge(ctx, methods, corpus.AskedBy(append([]string{"unmerge"}, names...)...), names)
}

func (c *Corpus) unmerge(ctx context.Context, methods method.Methods, asked string, names []string) (*link.Change, error) {
	return c.relink(ctx, methods, "undo a merge", asked, func(x *relinking) error {
		for _, name := range names {
			if err := x.unmerge(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// relink changes what names are read as. What it was asked for by is noted, unless it is
// "".
func (c *Corpus) relink(ctx context.Context, methods method.Methods, what, asked string, change func(*relinking) error) (*link.Change, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, phase.Errorf("%s: %w", what, err)
	}
	defer end()
	if _, err := c.settle(ctx, methods); err != nil {
		return nil, phase.Errorf("%s: %w", what, err)
	}
	var out *link.Change
	err = again(func() error {
		x := &relinking{c: c, asked: asked, keys: map[string]bool{}, dropped: map[string]bool{}, out: &link.Change{Aliases: []link.Alias{}}}
		if err := x.open(ctx, methods); err != nil {
			return err
		}
		defer x.close()
		if err := change(x); err != nil {
			return err
		}
		out = x.out
		return x.store(ctx)
	})
	if err != nil {
		return nil, phase.Errorf("%s: %w", what, err)
	}
	if err := c.reread(ctx, methods); err != nil {
		return nil, phase.Errorf("%s: %w", what, err)
	}
	return out, nil
}

// relinking is a change of what names are read as.
type relinking struct {
	c       *Corpus
	asked   string
	same    bool // the last work was asked for alike: what is done is no error
	snap    *engine.Snapshot
	systems []*method.System // that have a graph
	before  corpus.Aliases   // as the graphs are now
	after   corpus.Aliases
	keys    map[string]bool // of entities in the graphs that change
	dropped map[string]bool
	out     *link.Change
}

func (x *relinking) open(ctx context.Context, methods method.Methods) (err error) {
	systems, err := x.c.systems(ctx, methods)
	if err != nil {
		return err
	}
	for _, sys := range systems {
		if sys.Graph() != nil && sys.Graph().ID() != x.c.Base().ID() {
			x.systems = append(x.systems, sys)
		}
	}
	if x.snap, err = x.c.DB().Snapshot(ctx); err != nil {
		return err
	}
	v := x.snap.Graph(x.c.Base())
	work, _, err := corpus.ReadOwed(v)
	if err == nil {
		x.before, err = x.c.Aliases(v)
	}
	x.after, x.same = maps.Clone(x.before), x.asked != "" && x.asked == work.Asked
	if err != nil {
		x.close()
	}
	return err
}

func (x *relinking) close() { _ = x.snap.Close() }

// entity returns how the entity of a key is called; ok is false if there is none.
func (x *relinking) entity(key string) (name string, ok bool, err error) {
	for _, sys := range x.systems {
		v := x.snap.Graph(sys.Graph())
		t, has := v.NodeType(knowledge.TypeEntity)
		if !has || key == "" {
			continue
		}
		id, err := v.Lookup(t, key)
		if graph.IsMissing(err) {
			continue
		}
		if err == nil {
			name, err = knowledge.Name(v, id)
		}
		return name, err == nil, err
	}
	return "", false, nil
}

// known is entity, or the error that tells which name may have been meant.
func (x *relinking) known(name string) (key, label string, err error) {
	key = text.Key(name)
	label, ok, err := x.entity(key)
	if ok || err != nil {
		return key, label, err
	}
	for _, a := range x.after { // its documents may be on their way
		if a.IntoKey == key {
			return key, a.Into, nil
		}
	}
	var all []string
	for _, sys := range x.systems {
		for n, err := range graph.ReadAll(x.snap.Graph(sys.Graph()), knowledge.TypeEntity) {
			if err != nil {
				return "", "", err
			}
			if text.Key(n.Key) == n.Key {
				all = append(all, n.Key)
			}
		}
	}
	if len(all) == 0 {
		return "", "", phase.Mark(engine.ErrNotFound, "no method that is indexed has entities")
	}
	meant, ok := link.Closest(key, all)
	if !ok {
		return "", "", phase.Mark(engine.ErrNotFound, "no entity is named %q", name)
	}
	if label, _, err = x.entity(meant); err != nil {
		return "", "", err
	}
	return "", "", phase.Mark(engine.ErrNotFound, "no entity is named %q; did you mean %q?", name, label)
}

func (x *relinking) merge(name, into string) error {
	if a, ok := x.after[text.Key(name)]; ok {
		if x.same {
			x.out.Aliases = append(x.out.Aliases, a)
			return nil
		}
		return phase.Mark(ErrArgument, "%q is read as %q already", a.Name, a.Into)
	}
	key, label, err := x.known(name)
	if err != nil {
		return err
	}
	to, last, aliased := x.after.Of(text.Key(into))
	toLabel := last.Into
	if !aliased {
		if to, toLabel, err = x.known(into); err != nil {
			return err
		}
	}
	if to == key {
		return phase.Mark(ErrArgument, "%q and %q are one name", name, into)
	}
	x.keys[x.before.Key(key)], x.keys[x.before.Key(to)] = true, true
	a := link.Alias{Name: label, Key: key, Into: toLabel, IntoKey: to}
	x.after[key] = a
	x.out.Aliases = append(x.out.Aliases, a)
	return nil
}

func (x *relinking) unmerge(name string) error {
	key := text.Key(name)
	a, ok := x.after[key]
	if !ok && x.same {
		x.dropped[key] = true
		x.out.Aliases = append(x.out.Aliases, link.Alias{Name: name, Key: key})
		return nil
	}
	if !ok {
		return phase.Mark(engine.ErrNotFound, "%q is read as no other name", name)
	}
	x.keys[x.before.Key(key)] = true
	delete(x.after, key)
	x.dropped[key] = true
	x.out.Aliases = append(x.out.Aliases, a)
	return nil
}

// store stores the change, with what is to be read again.
func (x *relinking) store(ctx context.Context) error {
	var again []corpus.Reread
	docs, instances := map[string]bool{}, map[string]bool{}
	for _, sys := range x.systems {
		v := x.snap.Graph(sys.Graph()).WithContext(ctx)
		t, ok := v.NodeType(knowledge.TypeEntity)
		if !ok {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(x.keys)) {
			id, err := v.Lookup(t, key)
			if graph.IsMissing(err) {
				continue
			}
			if err != nil {
				return err
			}
			of, err := graph.SourceDocs(v, engine.NodeTarget(id))
			if err != nil {
				return err
			}
			for _, doc := range of {
				docs[doc], instances[sys.Instance()] = true, true
				again = append(again, corpus.Reread{Instance: sys.Instance(), Doc: doc})
			}
		}
	}
	x.out.Documents, x.out.Methods = slices.Sorted(maps.Keys(docs)), slices.Sorted(maps.Keys(instances))
	return x.c.DB().Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(x.c.Base())
		now, err := x.c.Aliases(v)
		if err != nil {
			return err
		}
		if !maps.Equal(now, x.before) {
			return engine.ErrConflict
		}
		if x.asked != "" {
			work, _, err := corpus.ReadOwed(v)
			if err != nil {
				return err
			}
			work.Asked, work.Index = x.asked, true
			if err := corpus.PutWork(v, work); err != nil {
				return err
			}
		}
		for _, a := range x.out.Aliases {
			if x.dropped[a.Key] {
				err = corpus.DropAlias(v, a.Key)
			} else {
				err = corpus.PutAlias(v, a)
			}
			if err != nil {
				return err
			}
		}
		for _, r := range again {
			if err := corpus.PutReread(v, r, true); err != nil {
				return err
			}
		}
		return nil
	})
}
