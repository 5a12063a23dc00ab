package rag

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// Evidence is what a plan retrieved, in the order in which a model sees it.
type Evidence struct {
	Method   string
	Sections []EvidenceSection
	// Tokens counts the context with its headers.
	Tokens int
	Trace  *query.Trace
	// Time is what retrieval took, Embed the part of it for the question's
	// vector.
	Time, Embed time.Duration
	// Epoch is the commit that it shows.
	Epoch uint64
}

// EvidenceSection is one part of the context.
type EvidenceSection struct {
	Name  string
	Items []Cited
}

// Cited is one piece of evidence.
type Cited struct {
	query.Item
	// Kind says what the item is, such as chunk, entity or relation.
	Kind string
	// Chunks are the keys of the chunks that it rests on, Spans where the
	// first of them stand in their documents; [Corpus.Locate] tells page and
	// heading.
	Chunks []string
	Spans  []Span
}

// Items returns all items in order.
func (e *Evidence) Items() []Cited {
	var out []Cited
	for _, s := range e.Sections {
		out = append(out, s.Items...)
	}
	return out
}

// maxSpans bounds the sources that are looked up for one item; an entity may
// rest on thousands of chunks.
const maxSpans = 5

// Retrieve runs a method's plan for a question.
func (c *Corpus) Retrieve(ctx context.Context, sys System, m *Models, q Question) (*Evidence, error) {
	ev := &Evidence{Method: sys.Instance(), Trace: &query.Trace{}}
	err := c.DB.View(ctx, func(s *engine.Snapshot) error { return c.retrieve(ctx, s, sys, m, q, ev) })
	if err != nil {
		return nil, fmt.Errorf("rag: %s: %w", sys.Instance(), err)
	}
	return ev, nil
}

func (c *Corpus) retrieve(ctx context.Context, s *engine.Snapshot, sys System, m *Models, q Question, ev *Evidence) error {
	start := time.Now()
	plan, err := sys.Plan(ctx, m, q)
	if err != nil {
		return err
	}
	env := c.Env(s, m, q, ev.Trace)
	if _, err := query.Run(ctx, env, plan.Op()); err != nil {
		return err
	}
	ev.Epoch = s.Epoch()
	for _, sec := range plan.Sections {
		set, err := env.Eval(ctx, sec.Pack)
		if err != nil {
			return err
		}
		ev.Tokens += set.Used
		out := EvidenceSection{Name: sec.Name}
		for _, it := range set.Items {
			cited, err := c.cite(ctx, s, sys, it)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, cited)
		}
		ev.Sections = append(ev.Sections, out)
	}
	ev.Time, ev.Embed = time.Since(start), ev.Trace.EmbedTime
	return nil
}

// Env returns what a plan runs in.
func (c *Corpus) Env(s *engine.Snapshot, m *Models, q Question, t *query.Trace) *query.Env {
	env := &query.Env{
		Snap:    s,
		Tokens:  c.Tokens.Count,
		Analyze: c.Analyze,
		Names:   matchNames,
		Embed:   m.EmbedQuestion,
		Trace:   t,
	}
	if q.Where != nil {
		env.Allow = (&filter{c: c, where: q.Where, any: q.WhereAny}).allow
		env.AllowAny = q.WhereAny
	}
	return env
}

// cite finds where an item stands.
func (c *Corpus) cite(ctx context.Context, s *engine.Snapshot, sys System, it query.Item) (Cited, error) {
	out := Cited{Item: it, Kind: "chunk"}
	g := c.Base
	if sys.Graph() != nil && it.Graph == sys.Graph().ID() {
		g = sys.Graph()
	}
	v := s.Graph(g).WithContext(ctx)
	if it.ID == 0 {
		out.Kind = v.EdgeTypeName(it.Edge.Type)
	} else if g != c.Base {
		n, err := v.Node(it.ID)
		if err != nil {
			return out, err
		}
		out.Kind = v.NodeTypeName(n.Type)
	}
	var err error
	if out.Chunks, err = sys.Cite(v, it); err != nil {
		return out, err
	}
	base := s.Graph(c.Base).WithContext(ctx)
	for _, key := range out.Chunks[:min(len(out.Chunks), maxSpans)] {
		ch, err := c.ChunkByKey(base, sys.ChunkSet(), key)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return out, err
		}
		out.Spans = append(out.Spans, Span{Doc: ch.Doc, Bytes: [2]int64{int64(ch.Start), int64(ch.End)}})
	}
	return out, nil
}

// storedTrace is what is kept of an answer.
type storedTrace struct {
	ID       string       `json:"id"`
	Question string       `json:"question"`
	Method   string       `json:"method"`
	Epoch    uint64       `json:"epoch"`
	Docs     []string     `json:"docs"`
	Trace    *query.Trace `json:"trace"`
	Items    []traceItem  `json:"items"`
}

type traceItem struct {
	Section string       `json:"section"`
	Kind    string       `json:"kind"`
	Chunks  []string     `json:"chunks,omitempty"`
	Score   float64      `json:"score"`
	Tokens  int          `json:"tokens"`
	Why     []query.Step `json:"why"`
}

// maxTraces bounds the traces that are kept; the oldest go first.
const maxTraces = 256

// KeepTrace stores how an answer came about and returns the trace's id, such
// as t:5a0c1f20. A read-only database keeps none, and the id is "".
func (c *Corpus) KeepTrace(ctx context.Context, question string, ev *Evidence) (string, error) {
	t := storedTrace{Question: question, Method: ev.Method, Epoch: ev.Epoch, Trace: ev.Trace}
	docs := map[string]bool{}
	for _, s := range ev.Sections {
		for _, it := range s.Items {
			t.Items = append(t.Items, traceItem{s.Name, it.Kind, it.Chunks, it.Score, it.Tokens, it.Why})
			for _, ch := range it.Chunks {
				docs[DocOf(ch)] = true
			}
		}
	}
	t.Docs = sortedKeys(docs)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", question, ev.Method, ev.Epoch))
	t.ID = "t:" + hex.EncodeToString(sum[:4])
	b, err := json.Marshal(t)
	if err != nil {
		return "", fmt.Errorf("rag: keep a trace: %w", err)
	}
	err = c.DB.UpdateWith(ctx, engine.TxOptions{Durability: noSync}, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(c.Base).MakeBucket(bucketTraces)
		if err != nil {
			return err
		}
		// Keys ascend with the epoch, so that the first is the oldest.
		var keys [][]byte
		for e, err := range bucket.Scan(nil, nil) {
			if err != nil {
				return err
			}
			keys = append(keys, append([]byte(nil), e.Key...))
		}
		for len(keys) >= maxTraces {
			if err := bucket.Delete(keys[0]); err != nil {
				return err
			}
			keys = keys[1:]
		}
		return bucket.Set(append(binary.BigEndian.AppendUint64(nil, tx.Epoch()), t.ID...), b)
	})
	if errors.Is(err, engine.ErrReadOnly) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("rag: keep a trace: %w", err)
	}
	return t.ID, nil
}

// forgetTraces removes the traces that quote a document.
func (c *Corpus) forgetTraces(v *engine.TxView, doc string) error {
	bucket, err := v.MakeBucket(bucketTraces)
	if err != nil {
		return err
	}
	var gone [][]byte
	for e, err := range bucket.Scan(nil, nil) {
		if err != nil {
			return err
		}
		var t struct {
			Docs []string `json:"docs"`
		}
		if err := json.Unmarshal(e.Value, &t); err != nil {
			return fmt.Errorf("trace: %w", errors.Join(engine.ErrCorrupt, err))
		}
		for _, d := range t.Docs {
			if d == doc {
				gone = append(gone, append([]byte(nil), e.Key...))
				break
			}
		}
	}
	for _, k := range gone {
		if err := bucket.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
