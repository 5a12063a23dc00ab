package link

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// phase is the phase of the errors that this package makes.
const phase = fault.Rag

// The defaults of [Options].
const (
	defaultTop = 50
	defaultMin = 0.7
)

// Find returns the pairs of names that may be names of one thing, the best first. The
// names are those that the indexed methods have read; a corpus without such a method
// has none. m embeds them in the corpus's own space: vectors of a model that is paid
// are kept, so that the next search does not pay again.
func Find(ctx context.Context, c *corpus.Corpus, m *models.Models, o Options) (*Report, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	o.Top, o.Min = cmp.Or(o.Top, defaultTop), cmp.Or(o.Min, defaultMin)
	if o.Top < 0 || !(o.Min > 0 && o.Min <= 1) {
		return nil, phase.Errorf("%w: Top is a number of candidates and Min a cosine above 0, up to 1", corpus.ErrArgument)
	}
	f := &finder{c: c, o: o, sentences: map[string][]sentence{}}
	out := &Report{Model: m.DocumentSpace().Model, Candidates: []Candidate{}}
	err := c.DB().View(ctx, func(s *engine.Snapshot) (err error) {
		f.base = s.Graph(c.Base()).WithContext(ctx)
		if f.collection, err = collect(ctx, s, c); err != nil {
			return err
		}
		out.Names = len(f.names)
		out.Candidates, err = f.find(ctx, m)
		return err
	})
	if err != nil {
		return nil, phase.Errorf("candidates to merge: %w", err)
	}
	out.Found = len(out.Candidates)
	out.Candidates = out.Candidates[:min(o.Top, out.Found)]
	return out, nil
}

// finder finds candidates in a corpus.
type finder struct {
	*collection
	c    *corpus.Corpus
	o    Options
	base *engine.View
	// sentences are those of chunks that were read, by set and key.
	sentences map[string][]sentence
}

// sentence is a sentence as it stands, and its words.
type sentence struct{ text, spelled string }

func (f *finder) find(ctx context.Context, m *models.Models) ([]Candidate, error) {
	out := []Candidate{}
	var texts []string
	for _, n := range f.names {
		texts = append(texts, n.label)
	}
	if f.o.MayEmbed != nil {
		if err := f.o.MayEmbed(texts); err != nil {
			return nil, err
		}
	}
	pairs, err := near(ctx, f.names, m, f.o.Min)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		a, b := f.names[p.a], f.names[p.b]
		if isBefore(b, a) {
			a, b = b, a
		}
		// b is what a would be read as.
		x, ok, err := f.judge(ctx, a, b, p.cosine, m.DocumentSpace())
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(x, y Candidate) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Name.Key, y.Name.Key), cmp.Compare(x.Into.Key, y.Into.Key))
	})
	return out, nil
}

// common is taken off the score of what is not written as a name.
const common = 0.15

// isBefore reports whether a name is the one to be read as the other: it stands in
// fewer documents, in fewer places, is shorter, or is later in order.
func isBefore(a, b *name) bool {
	return cmp.Or(cmp.Compare(len(a.docs), len(b.docs)), cmp.Compare(a.mentions, b.mentions),
		cmp.Compare(len(a.key), len(b.key)), cmp.Compare(b.key, a.key)) < 0
}

// judge looks at a pair closely. ok is false if it is no candidate. Vectors that are
// learnt from the corpus say which words stand beside which, not what means the same:
// names without a common word are no candidates by them.
func (f *finder) judge(ctx context.Context, a, b *name, cos float64, space llm.SpaceInfo) (x Candidate, ok bool, err error) {
	how := compare(a, b)
	if how == unlike && !slices.Equal(a.marks, b.marks) {
		return x, false, nil
	}
	stated, apart, err := f.together(a, b, how)
	switch {
	case err != nil:
		return x, false, err
	case stated:
		how = firmlyEqual
	case how == unlike || apart:
		return x, false, nil
	case how == byMeaning && (space.Recomputable || 1-cos > (1-f.o.Min)/2):
		return x, false, nil
	case how == contained && f.ambiguous(a, b):
		return x, false, nil
	}
	x = Candidate{Cosine: cos, Reason: how.reason()}
	if x.Context, err = f.context(ctx, a, b, space.Model); err != nil {
		return x, false, err
	}
	if x.Shared, err = f.shared(a, b); err != nil {
		return x, false, err
	}
	if !a.isProper() || !b.isProper() {
		x.Score = -common
	}
	x.Score += cos + how.weight() + (x.Context-0.5)/4 + float64(min(x.Shared, 4))/40
	if x.Name, err = f.mention(a, b); err != nil {
		return x, false, err
	}
	x.Into, err = f.mention(b, a)
	return x, true, err
}

// ambiguous reports whether a name that is part of a longer one may stand for another
// one too: the two do not stand in one document, or a further name that has its words
// stands in its documents.
func (f *finder) ambiguous(a, b *name) bool {
	short, long := a, b
	if len(short.words) > len(long.words) {
		short, long = long, short
	}
	if !overlap(short.docs, long.docs) {
		return true
	}
	for _, other := range f.byWord[short.words[0]] {
		if other != short && other != long && knowledge.Holds(" "+other.key+" ", short.key) && overlap(short.docs, other.docs) {
			return true
		}
	}
	return false
}

// overlap reports whether two ascending lists have something in common.
func overlap(x, y []string) bool {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch c := cmp.Compare(x[i], y[j]); {
		case c == 0:
			return true
		case c < 0:
			i++
		default:
			j++
		}
	}
	return false
}

// maxTogether is how many chunks that mention both names are read, and maxKept of how
// many chunks the sentences are kept.
const (
	maxTogether = 32
	maxKept     = 4096
)

// together looks at the chunks that mention both names: stated says that a sentence
// tells that they are one, apart that one has both, each for itself.
func (f *finder) together(a, b *name, how likeness) (stated, apart bool, err error) {
	if a.graph != b.graph {
		return false, false, nil
	}
	read := 0
	for _, key := range a.chunks {
		if _, ok := slices.BinarySearch(b.chunks, key); !ok {
			continue
		}
		if read++; read > maxTogether {
			break
		}
		all, err := f.read(a.graph, key)
		if err != nil {
			return false, false, err
		}
		for _, s := range all {
			switch {
			case states(s, a.key, b.key, how != byMeaning):
				return true, false, nil
			case bothIn(s.spelled, a.key, b.key):
				apart = true
			}
		}
	}
	return false, apart, nil
}

// bothIn reports whether spelled words have two names, neither inside the other.
func bothIn(spelled, a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if !knowledge.Holds(spelled, a) {
		return false
	}
	return knowledge.Holds(strings.ReplaceAll(spelled, " "+a+" ", " | "), b)
}

// states reports whether a sentence tells that two names are one: words such as "also
// known as" stand between them or, with brackets, one stands in brackets behind the
// other. Names without a common word stand so for many reasons ("Tarn (Norvale)").
func states(s sentence, a, b string, brackets bool) bool {
	for _, n := range [][2]string{{a, b}, {b, a}} {
		for _, words := range []string{"also known as", "also called", "better known as", "commonly known as", "known simply as", "abbreviated", "abbreviated as", "aka", "a k a", "officially", "formally"} {
			if strings.Contains(s.spelled, " "+n[0]+" "+words+" "+n[1]+" ") || strings.Contains(s.spelled, " "+n[0]+" "+words+" the "+n[1]+" ") {
				return true
			}
		}
		rest := s.text
		for brackets {
			before, after, ok := strings.Cut(rest, "(")
			if !ok {
				break
			}
			in, _, _ := strings.Cut(after, ")")
			if text.Key(in) == n[1] && strings.HasSuffix(knowledge.Spell(before), " "+n[0]+" ") {
				return true
			}
			rest = after
		}
	}
	return false
}

// read returns the sentences of a chunk.
func (f *finder) read(graphAt int, key string) ([]sentence, error) {
	set := f.graphs[graphAt].set
	id := set.String() + " " + key
	if have, ok := f.sentences[id]; ok {
		return have, nil
	}
	ch, err := f.c.ChunkByKey(f.base, set, key)
	if graph.IsMissing(err) {
		f.sentences[id] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(f.sentences) >= maxKept {
		clear(f.sentences)
	}
	var out []sentence
	for _, sp := range text.Sentences(ch.Text) {
		s := ch.Text[sp.Start:sp.End]
		out = append(out, sentence{s, knowledge.Spell(s)})
	}
	f.sentences[id] = out
	return out, nil
}

// maxSentence bounds a sentence that is shown, in bytes, and maxRead the chunks that
// are looked through for it.
const (
	maxSentence = 240
	maxRead     = 8
)

// mention tells of a name, with a sentence that has it, one without the other name if
// there is one.
func (f *finder) mention(n, other *name) (Mention, error) {
	out := Mention{Name: n.label, Key: n.key, Docs: len(n.docs), Mentions: n.mentions}
	for _, key := range n.chunks[:min(maxRead, len(n.chunks))] {
		all, err := f.read(n.graph, key)
		if err != nil {
			return out, err
		}
		for _, s := range all {
			if !knowledge.Holds(s.spelled, n.key) {
				continue
			}
			alone := !knowledge.Holds(s.spelled, other.key)
			if out.Chunk == "" || alone {
				out.Chunk, out.Sentence = key, shorten(text.OneLine(s.text), maxSentence)
			}
			if alone {
				return out, nil
			}
		}
	}
	return out, nil
}

// shorten cuts a text at the last blank before a number of bytes.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := strings.ToValidUTF8(s[:most], "")
	if at := strings.LastIndexByte(cut, ' '); at > most/2 {
		cut = cut[:at]
	}
	return cut + "…"
}
