package knowledge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// When says when a model makes one description of several.
type When string

// Descriptions are united if they have over MaxDescription tokens, always, or
// never.
const (
	Over   When = "over"
	Always When = "always"
	Never  When = "never"
)

// MaxDescription bounds a united description in tokens, maxDescribed the
// descriptions that it is made of.
const (
	MaxDescription = 500
	maxDescribed   = 4000
)

// The properties of entities and relations.
const (
	PropDescription = "description" // its descriptions as one
	PropOf          = "of"          // digest of the descriptions that it was made of
	PropTexts       = "texts"       // with Lag: a sum of each, 8 bytes, in order
)

// Describer is a [method.Stage] in which a model makes one description of the several
// that an entity or relation has.
type Describer struct {
	Corpus *method.Corpus
	System *method.Identity
	// Nodes and Edges are the types whose descriptions are united.
	Nodes, Edges []string
	When         When
	// Lag keeps a united description while all that it was made of is said, and what came
	// since has no more than MaxDescription tokens: that follows it. So a model is asked
	// again once for so many tokens, and not for each document.
	Lag bool
}

// Name implements [method.Stage].
func (d *Describer) Name() string { return "describe" }

// Graph implements [method.Stage].
func (d *Describer) Graph() *engine.Graph { return d.System.Graph() }

// Items implements [method.Stage]: what has descriptions to unite, or had when it was
// last described.
func (d *Describer) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return d.local().All(s.Graph(d.Graph()).WithContext(ctx))
}

// local says that a description depends on what it describes alone.
func (d *Describer) local() *queue.Local {
	return &queue.Local{
		Nodes: d.Nodes, Edges: d.Edges, Digest: method.Digest("describe", string(d.When), fmt.Sprint(d.Lag)),
		Items: func(v *engine.View, targets []engine.Target) ([]method.WorkItem, error) {
			out := make([]method.WorkItem, len(targets))
			for i, t := range targets {
				w, due, err := d.item(v, t)
				if err != nil {
					return nil, err
				}
				if due {
					out[i] = w
				}
			}
			return out, nil
		},
	}
}

// Step returns the stage as a step that looks at what changed.
func (d *Describer) Step() method.Step {
	step := method.Steps(d)[0]
	step.Local = d.local()
	return step
}

func (d *Describer) item(v engine.Reader, t engine.Target) (w method.WorkItem, due bool, err error) {
	said, err := Read(v, t)
	if err != nil || len(said.Texts) == 0 {
		return w, false, err
	}
	due = d.Unites(said)
	if due && !d.Lag {
		return method.WorkItem{Key: graph.Item(t), Digest: said.Digest()}, true, nil
	}
	props, err := properties(v, t)
	if err != nil || !due && props[PropOf].IsNull() {
		return w, false, err
	}
	w = method.WorkItem{Key: graph.Item(t), Digest: said.Digest()}
	if since, ok := said.since(props); ok && due && d.Corpus.Tokens().Count(strings.Join(since, "\n")) <= MaxDescription {
		copy(w.Digest[:], props[PropOf].AsBytes()) // as it was when they were united
	}
	return w, true, nil
}

// Unites reports whether a model is to unite descriptions.
func (d *Describer) Unites(x Said) bool {
	if len(x.Texts) < 2 || d.When == Never {
		return false
	}
	if d.When == Always {
		return true
	}
	text := x.Text()
	return len(text) > MaxDescription && d.Corpus.Tokens().Count(text) > MaxDescription // a token is a byte at least
}

// Unite asks a model for one description of several.
func (d *Describer) Unite(ctx context.Context, v engine.Reader, m *method.Models, w method.WorkItem, t engine.Target, x Said) (string, error) {
	in := llm.MergeInput{Name: x.Name, MaxTokens: MaxDescription}
	if in.Name == "" {
		var err error
		if in.Name, err = d.Ends(v, t); err != nil {
			return "", err
		}
	}
	tokens := 0
	for _, text := range x.Texts {
		if !m.Free() { // a model is asked for several at a time, and then for one of theirs
			in.Descriptions = x.Texts
			break
		}
		if tokens += d.Corpus.Tokens().Count(text); tokens > maxDescribed && len(in.Descriptions) > 0 {
			break
		}
		in.Descriptions = append(in.Descriptions, text)
	}
	docs, err := d.documents(v, m, t, in)
	if err != nil {
		return "", err
	}
	reply, err := m.Do(ctx, d.System.Item(w), docs, llm.Task{Kind: llm.MergeDescriptions, Input: in})
	return reply.Text, err
}

// documents returns those that a request is made from, none if replies are not
// kept.
func (d *Describer) documents(v engine.Reader, m *method.Models, t engine.Target, in llm.MergeInput) (docs []string, err error) {
	if m.Free() {
		return nil, nil
	}
	for c, err := range v.Contributions(t) {
		if err != nil {
			return nil, err
		}
		used := func(text string) bool { return slices.Contains(in.Descriptions, text) }
		if c.Label != in.Name && !slices.ContainsFunc(c.Texts, used) {
			continue
		}
		from, err := graph.Documents(v, c.Source)
		if err != nil {
			return nil, err
		}
		docs = append(docs, from...)
	}
	slices.Sort(docs)
	return slices.Compact(docs), nil
}

// Do implements [method.Stage].
func (d *Describer) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(d.Graph()).WithContext(ctx)
	t, err := graph.ParseItem(v, w.Key, EdgeRelation)
	if err != nil {
		return nil, err
	}
	said, err := Read(v, t)
	if err != nil || !d.Unites(said) {
		return nil, err
	}
	text, err := d.Unite(ctx, v, m, w, t, said)
	return []byte(text), err
}

// Apply implements [method.Stage].
func (d *Describer) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	v := tx.Graph(d.Graph())
	t, err := graph.ParseItem(v, w.Key, EdgeRelation)
	if err != nil {
		return err
	}
	props := engine.Props{PropDescription: {}, PropOf: {}}
	if len(result) > 0 {
		props = engine.Props{PropDescription: engine.String(string(result)), PropOf: engine.Bytes(w.Digest[:])}
	}
	if d.Lag {
		said, err := Read(v, t)
		if err != nil {
			return err
		}
		props[PropTexts] = engine.Value{}
		if len(result) > 0 && said.Digest() == w.Digest {
			props[PropTexts] = engine.Bytes(said.sums())
		}
	}
	if t.Type == 0 {
		return v.SetProps(t.Node, props)
	}
	if len(result) == 0 {
		props = nil
	}
	return v.SetEdgeProps(engine.Edge{From: t.From, To: t.To, Type: t.Type}, props)
}

// Describe returns what an entity or relation is called and how it is described:
// by the united description if that is of what the sources say now, else by what
// they say. A relation that is an edge has no name.
func Describe(v engine.Reader, t engine.Target) (name, description string, err error) {
	said, err := Read(v, t)
	if err != nil {
		// A call that reads ahead notes the properties with what is missing.
		_, perr := properties(v, t)
		return "", "", errors.Join(err, perr)
	}
	if len(said.Texts) == 1 {
		return said.Name, said.Texts[0], nil
	}
	props, err := properties(v, t)
	if err != nil {
		return "", "", err
	}
	d := props[PropDescription]
	digest := said.Digest()
	since, lags := said.since(props)
	if !lags && !engine.Bytes(digest[:]).Equal(props[PropOf]) && (len(said.Texts) > 0 || d.IsNull()) {
		return said.Name, said.Text(), nil
	}
	if len(since) > 0 {
		defer func() { description = strings.Join(append([]string{description}, since...), "\n") }()
	}
	if d.Kind() == engine.KindText && t.Type == 0 {
		description, err = v.Text(t.Node, PropDescription)
		return said.Name, description, err
	}
	return said.Name, d.AsString(), nil
}

// Name returns what most sources call an entity, its key if none names it.
func Name(v engine.Reader, id engine.NodeID) (string, error) {
	said, err := Read(v, engine.NodeTarget(id))
	if err != nil || said.Name != "" {
		return said.Name, err
	}
	n, err := v.Node(id)
	return n.Key, err
}

// Ends returns the names of the two entities of a relation, which is an edge or a
// node, with a dash between them. Of another target it is the name.
func (d *Describer) Ends(v engine.Reader, t engine.Target) (string, error) {
	ends := [2]engine.NodeID{t.From, t.To}
	if t.Type == 0 {
		n, err := v.Node(t.Node)
		if err != nil {
			return "", err
		}
		if v.NodeTypeName(n.Type) != TypeRelation {
			return Name(v, t.Node)
		}
		if ends, err = EndsOf(v, n.Key); err != nil {
			return "", err
		}
	}
	// Both are read if the first fails: a call that reads ahead notes what each misses.
	var names [2]string
	var errs [2]error
	for i, id := range ends {
		names[i], errs[i] = Name(v, id)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return "", err
	}
	return names[0] + " – " + names[1], nil
}

// EndsOf returns the entities of the relation whose node has a key.
func EndsOf(v engine.Reader, key string) (ends [2]engine.NodeID, err error) {
	from, to, ok := strings.Cut(key, separator)
	t, known := v.NodeType(TypeEntity)
	if !ok || !known {
		return ends, fmt.Errorf("relation %q: %w", key, engine.ErrNotFound)
	}
	var errs [2]error // as in Ends
	for i, k := range [2]string{from, to} {
		ends[i], errs[i] = v.Lookup(t, k)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return ends, fmt.Errorf("relation %q: %w", key, err)
	}
	return ends, nil
}

// Undescribe removes the united descriptions of entities and relations, and the
// marks of the work on them, so that the next run describes them again.
func Undescribe(v *engine.TxView, targets []engine.Target) error {
	for _, t := range targets {
		var err error
		switch {
		case t.Type == 0:
			err = v.SetProps(t.Node, engine.Props{PropDescription: {}, PropOf: {}, PropTexts: {}})
		case v.EdgeTypeName(t.Type) == EdgeRelation:
			err = v.SetEdgeProps(engine.Edge{From: t.From, To: t.To, Type: t.Type}, nil)
		default:
			continue
		}
		if err == nil {
			err = method.ForgetJobs(v, graph.Item(t))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func properties(v engine.Reader, t engine.Target) (engine.Props, error) {
	if t.Type != 0 {
		return v.EdgeProps(engine.Edge{From: t.From, To: t.To, Type: t.Type})
	}
	n, err := v.Node(t.Node)
	if err != nil {
		return nil, err
	}
	return n.Props(), nil
}
