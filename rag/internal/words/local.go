package words

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// OpenLocal returns the local model of a corpus. If newest is set it keeps to the
// word table that is the newest now, for documents; else each call reads the table
// that all documents are embedded with by then.
func OpenLocal(ctx context.Context, c *corpus.Corpus, newest bool) (*Local, error) {
	l := &Local{C: c, newest: newest}
	var now *taught
	err := c.DB().View(ctx, func(s *engine.Snapshot) (err error) {
		now, err = l.read(s.Graph(c.Base()).WithContext(ctx), newest, false)
		return err
	})
	if err != nil {
		return nil, err
	}
	if newest && now.version > 0 {
		now.rows = liveRows{c, now.version} // the view ends here
		l.opened = now
	}
	return l, nil
}

// NewLocal returns the local model of a corpus, for questions.
func NewLocal(c *corpus.Corpus) *Local { return &Local{C: c} }

// Provider returns what answers by rules, and reads documents with a tagger beside
// them unless it is nil.
func (l *Local) Provider(t encoder.Tagger) llm.Provider { return localRules{l, t} }

// Documents returns what embeds documents.
func (l *Local) Documents() llm.Embedder { return &localDocuments{l: l, tables: l.tables()} }

// Questions returns what embeds questions.
func (l *Local) Questions() llm.Embedder { return localQuestions{l} }

// Local reads what a corpus has taught the local model.
type Local struct {
	C *corpus.Corpus
	// newest says that the newest word table is wanted, and not the one that
	// all documents are embedded with.
	newest bool
	// opened is what the corpus had taught when the model was opened; nil reads what
	// is there.
	opened *taught

	// mu guards the fields below it: the case statistics that were read last,
	// and what they were read from.
	mu      sync.Mutex
	cases   *text.CaseStats
	casesOf string
	// asked counts the calls of a model that was opened, known has the counts of the
	// words that they asked for.
	asked int
	known map[string][2]int64
}

// fewCalls is how many calls read the case statistics word by word; a run that reads
// more texts reads them all at once.
const fewCalls = 32

// taught is what a corpus has taught the local model at one commit.
type taught struct {
	version uint32 // of the word table; 0 before the first training
	head    local.Head
	Cases   *text.CaseStats // nil if they were not wanted
	rows    local.LiveRows
}

// Read reads what the corpus has taught as a view of its base graph shows it. If newest
// is set it reads the newest word table, else the one that all documents are embedded
// with.
func (l *Local) Read(v *engine.View, newest bool) (*taught, error) { return l.read(v, newest, true) }

// read is Read, without the case statistics unless they are wanted.
func (l *Local) read(v *engine.View, newest, cased bool) (*taught, error) {
	b := v.Bucket(BucketWords)
	state, err := ReadWordState(b)
	if err != nil {
		return nil, err
	}
	now := &taught{version: state.Current}
	if newest || now.version == 0 {
		now.version = state.Newest()
	}
	if now.version == 0 {
		now.Cases = &text.CaseStats{}
		return now, nil
	}
	now.rows = viewRows{v, now.version}
	err = v.Ahead(3, func(v *engine.View, i int) (err error) {
		switch i {
		case 0:
			_, err = local.LoadHead(func(key []byte) ([]byte, error) {
				return v.Bucket(BucketWords).Get(wordKey(now.version, "table/"+string(key)), nil)
			})
		case 1:
			_, err = readTexts(v.Bucket(BucketWords), now.version)
		default:
			_, err = v.Version()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var raw []byte
	now.head, err = local.LoadHead(func(key []byte) ([]byte, error) {
		raw, err = b.Get(wordKey(now.version, "table/"+string(key)), nil)
		return raw, err
	})
	if errors.Is(err, local.ErrTable) || corpus.IsMissing(err) {
		// There is none that can be read: the next index learns the words again.
		now.version, now.head, now.rows, err = 0, local.Head{}, nil, nil
	}
	if err != nil {
		return nil, err
	}
	texts, err := readTexts(b, now.version)
	if err != nil {
		return nil, err
	}
	if !cased {
		return now, nil
	}
	documents, err := v.Version() // moves when some took the place of as many others
	if err != nil {
		return nil, err
	}
	now.Cases, err = l.casesAt(b, state.Newest(), fmt.Sprintf("%d %d %d %d %s", documents, now.version, state.Newest(), texts, raw))
	return now, err
}

// casesAt reads case statistics, unless those that were read last are of the same
// documents and table.
func (l *Local) casesAt(b engine.Bucket, version uint32, of string) (*text.CaseStats, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cases != nil && l.casesOf == of {
		return l.cases, nil
	}
	cases, err := ReadCases(b, version)
	if err == nil {
		l.cases, l.casesOf = cases, of
	}
	return cases, err
}

// now calls fn with what the corpus has taught: what was kept when the models
// were opened, or what is there; cased says that fn wants the case statistics.
func (l *Local) now(ctx context.Context, cased bool, fn func(*taught) error) error {
	if l.opened != nil && !cased {
		return fn(l.opened)
	}
	return l.C.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(l.C.Base()).WithContext(ctx)
		if l.opened != nil {
			return l.openedWithCases(v, fn)
		}
		now, err := l.read(v, l.newest, cased)
		if err != nil {
			return err
		}
		return fn(now)
	})
}

// openedWithCases calls fn with what was kept when the models were opened, with the case
// statistics of the time that they are wanted: no document comes or goes while others
// are read.
func (l *Local) openedWithCases(v *engine.View, fn func(*taught) error) error {
	b := v.Bucket(BucketWords)
	state, err := ReadWordState(b)
	if err != nil {
		return err
	}
	with := *l.opened
	l.mu.Lock()
	l.asked++
	few := l.asked <= fewCalls
	l.mu.Unlock()
	if !few {
		if with.Cases, err = l.casesAt(b, state.Newest(), "opened"); err != nil {
			return err
		}
		return fn(&with)
	}
	var failed error
	with.Cases = text.CaseStatsFrom(func(word string) (int64, int64) {
		n, err := l.caseAt(b, state.Newest(), word)
		if err != nil {
			failed = err
		}
		return n[0], n[1]
	})
	return cmp.Or(fn(&with), failed)
}

// caseAt returns the counts of a word in the case statistics, reading it once.
func (l *Local) caseAt(b engine.Bucket, version uint32, word string) (n [2]int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.known[word]
	if ok {
		return n, nil
	}
	raw, err := b.Get(wordKey(version, "case/"+word), nil)
	if err != nil && !corpus.IsMissing(err) {
		return n, err
	}
	if lower, upper, bad := decodeCase(raw); err == nil && bad == nil { // else it is told by less
		n = [2]int64{lower, upper}
	}
	if l.known == nil {
		l.known = map[string][2]int64{}
	}
	l.known[word] = n
	return n, nil
}

// Questions returns the embedder of questions.
func (t *taught) Questions() *local.Live { return local.NewLive(t.head, t.rows) }

// Rules returns the provider of answers; tagger may be nil.
func (t *taught) Rules(c *corpus.Corpus, tagger encoder.Tagger) *local.Provider {
	o := local.Options{Names: t.Cases, Tokens: c.Tokens().Count, Tagger: tagger}
	if t.version > 0 {
		o.Embedder = t.Questions()
	}
	return local.New(o)
}

// localQuestions embeds questions by the live rows.
type localQuestions struct{ l *Local }

// Space implements [llm.Embedder].
func (e localQuestions) Space() llm.SpaceInfo {
	var head local.Head
	// A space without vectors is the answer if nothing can be read.
	_ = e.l.now(context.Background(), false, func(t *taught) error { head = t.head; return nil })
	return local.NewLive(head, nil).Space()
}

// Embed implements [llm.Embedder].
func (e localQuestions) Embed(ctx context.Context, texts []string) (v [][]float32, u llm.Usage, err error) {
	err = e.l.now(ctx, false, func(t *taught) error {
		v, u, err = t.Questions().Embed(ctx, texts)
		return err
	})
	return v, u, err
}

// localRules answers by rules.
type localRules struct {
	l      *Local
	tagger encoder.Tagger // may be nil
}

// Name implements [llm.Provider].
func (r localRules) Name() string { return local.New(local.Options{Tagger: r.tagger}).Name() }

// Can implements [llm.Provider].
func (r localRules) Can(k llm.Kind) bool { return (&local.Provider{}).Can(k) }

// Do implements [llm.Provider].
func (r localRules) Do(ctx context.Context, t llm.Task) (reply llm.Reply, u llm.Usage, err error) {
	err = r.l.now(ctx, true, func(now *taught) error {
		reply, u, err = now.Rules(r.l.C, r.tagger).Do(ctx, t)
		return err
	})
	return reply, u, err
}

// localDocuments embeds documents, reading the words of the table that they need.
type localDocuments struct {
	l      *Local
	tables *Tables
}

// tables returns what reads the word table that documents are embedded with.
func (l *Local) tables() *Tables {
	t := (&Store{C: l.C}).Tables()
	if l.opened != nil {
		t.version = l.opened.version
	}
	return t
}

// Space implements [llm.Embedder].
func (e *localDocuments) Space() llm.SpaceInfo { return localQuestions{e.l}.Space() }

// Embed implements [llm.Embedder]. The error is [local.ErrUntrained] if there is no
// table to embed with.
func (e *localDocuments) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	// Cancelling one call must not fail those that wait for the same table.
	table, err := e.tables.read(context.WithoutCancel(ctx), texts)
	switch {
	case corpus.IsMissing(err):
		return nil, llm.Usage{}, fmt.Errorf("%w: %w: version %d was replaced: open the models again", llm.ErrProvider, local.ErrUntrained, e.tables.version)
	case errors.Is(err, local.ErrTable):
		// It is not the text's fault: the run ends, and the next one learns the words again.
		err = errors.Join(err, e.tables.l.Relearn(ctx))
		return nil, llm.Usage{}, fmt.Errorf("%w: index again: %w", llm.ErrProvider, err)
	case err != nil:
		return nil, llm.Usage{}, err
	case table == nil:
		return nil, llm.Usage{}, fmt.Errorf("%w: %w: index documents first", llm.ErrProvider, local.ErrUntrained)
	}
	return local.NewEmbedder(table).Embed(ctx, texts)
}
