package encoder

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/safetensors"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// Model is an open model. Its methods are safe for concurrent use.
type Model struct {
	name      string
	dim       int
	maxTokens int
	threads   int
	sentence  *sentence
	tokens    *tokenizer.Tokenizer
	network   *network // nil for a static table
	static    *static  // nil for a network
	rooms     sync.Pool

	use  sync.RWMutex // held for reading while the file is in use
	file *safetensors.File
}

// Open opens the model in the folder dir. An error about what the folder holds
// is an [ErrModel]. The weights come last: if only they are missing, and all other files
// are those of a model that is run, the error is an [fs.ErrNotExist] too.
func Open(dir string, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	if o.Pooling != "" && o.Pooling != Mean && o.Pooling != CLS {
		return nil, fmt.Errorf("encoder: unknown pooling %q: mean and cls are known", o.Pooling)
	}
	m, err := open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", dir, err)
	}
	return m, nil
}

func open(dir string, o *Options) (_ *Model, err error) {
	fsys := os.DirFS(dir)
	s, err := readSentence(fsys)
	if err != nil {
		return nil, err
	}
	if o.Pooling != "" {
		s.pooling = o.Pooling
	}
	if o.Prompts {
		s.query, s.passage = o.QueryPrompt, o.PassagePrompt
	}
	m := &Model{sentence: s, threads: o.Threads}
	if m.threads <= 0 {
		m.threads = runtime.GOMAXPROCS(0)
	}
	c, err := readConfig(fsys, path.Join(s.dir, "config.json"))
	if err != nil && !s.static {
		return nil, err
	}
	table := s.static || c.ModelType == "model2vec"
	if !table {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%+v\n", *s)
	if err := m.openTokenizer(fsys, sum); err != nil {
		return nil, err
	}
	m.file, err = safetensors.Open(filepath.Join(dir, filepath.FromSlash(s.dir), "model.safetensors"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &noWeightsError{path.Join(s.dir, "model.safetensors")}
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	defer func() {
		if err != nil {
			_ = m.file.Close()
		}
	}()
	return m, m.file.Guard(func() error { return m.read(fsys, o, c, table, sum) })
}

// openTokenizer opens the tokenizer, and adds its files to the model's digest.
func (m *Model) openTokenizer(fsys fs.FS, sum hash.Hash) error {
	sub := fsys
	if _, err := fs.Stat(fsys, "tokenizer.json"); err != nil && m.sentence.dir != "." {
		if sub, err = fs.Sub(fsys, m.sentence.dir); err != nil {
			return fmt.Errorf("%w: %w", ErrModel, err)
		}
	}
	var err error
	if m.tokens, err = tokenizer.Load(sub); err != nil {
		return fmt.Errorf("%w: %w", ErrModel, err)
	}
	for _, name := range []string{"tokenizer.json", "vocab.txt", "tokenizer_config.json"} {
		f, err := sub.Open(name)
		if err != nil {
			continue
		}
		fmt.Fprintln(sum, name)
		_, err = io.Copy(sum, f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrModel, name, err)
		}
	}
	return nil
}

// read reads the weights of a static table, or of the network that c says.
func (m *Model) read(fsys fs.FS, o *Options, c *config, table bool, sum hash.Hash) error {
	tier := distance.Active()
	if o.tier != nil {
		tier = *o.tier
	}
	w := &weights{file: m.file, set: kernel.For(tier), int8: o.Int8}
	limit := m.sentence.maxTokens
	if table {
		if c != nil && c.Normalize != nil && !m.sentence.static {
			m.sentence.normalize = *c.Normalize
		}
		m.static = w.static()
		if w.err != nil {
			return w.err
		}
		m.dim = m.static.vectors.dim
		m.name = fmt.Sprintf("static-%d", m.dim)
		if limit == 0 {
			limit = maxStaticTokens
		}
		if rows := m.static.ids(); m.tokens.VocabSize() > rows {
			return fmt.Errorf("%w: its tokenizer has %d tokens and its table %d rows", ErrModel, m.tokens.VocabSize(), rows)
		}
	} else {
		m.network = w.network(c)
		if c.tags() {
			w.tagger(m.network, fsys, path.Join(m.sentence.dir, "config.json"))
		}
		if w.err != nil {
			return w.err
		}
		m.dim = c.Hidden
		m.name = fmt.Sprintf("%s-%dx%d", c.ModelType, c.Layers, c.Hidden)
		if places := c.Positions - c.firstPosition; limit == 0 || limit > places {
			limit = places
		}
		if m.tokens.VocabSize() > c.Vocabulary {
			return fmt.Errorf("%w: its tokenizer has %d tokens and its table %d rows", ErrModel, m.tokens.VocabSize(), c.Vocabulary)
		}
	}
	if o.MaxTokens > 0 {
		limit = min(limit, o.MaxTokens)
	}
	if limit < 3 {
		return fmt.Errorf("%w: it takes %d tokens at most, and a text has 3 or more", ErrModel, limit)
	}
	m.maxTokens = limit
	said, err := json.Marshal(c)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%s %d\n", said, limit)
	if m.network != nil && m.network.tagger != nil {
		fmt.Fprintf(sum, "%v %q\n", m.network.tagger.labels, m.network.tagger.types)
	}
	w.fingerprint(sum)
	m.name += fmt.Sprintf("-%x", sum.Sum(nil)[:6])
	if o.Int8 {
		m.name += "-int8"
	}
	m.file.Release()
	return nil
}

// Name tells models apart: two folders with the same content give the same
// name, and any other content, prompt or form of the weights another one. It
// begins with the architecture and its size.
func (m *Model) Name() string { return m.name }

// Dim is the length of a vector.
func (m *Model) Dim() int { return m.dim }

// MaxTokens is the number of tokens, special ones included, beyond which a text
// is cut.
func (m *Model) MaxTokens() int { return m.maxTokens }

// Scores reports whether the model is a cross-encoder, for [Model.Score].
func (m *Model) Scores() bool { return m.network != nil && m.network.head != nil }

// Bytes is the memory that the weights take, beside the file, whose pages the
// system shares between processes and takes back when it needs them.
func (m *Model) Bytes() int {
	if m.static != nil {
		return m.static.vectors.bytes()
	}
	return m.network.bytes()
}

// Close waits for calls that are under way and releases the file.
func (m *Model) Close() error {
	m.use.Lock()
	defer m.use.Unlock()
	if m.file == nil {
		return nil
	}
	err := m.file.Close()
	m.file = nil
	return err
}

// guard calls use, which reads the file. It fails with an [ErrModel] if the file
// was cut after it had been opened.
func (m *Model) guard(use func() error) error {
	err := m.file.Guard(use)
	if errors.Is(err, safetensors.ErrFormat) {
		return fmt.Errorf("encoder: %w: %w", ErrModel, err)
	}
	return err
}

// reading calls use while the file stays open.
func (m *Model) reading(use func() error) error {
	m.use.RLock()
	defer m.use.RUnlock()
	if m.file == nil {
		return fmt.Errorf("encoder: %w", ErrClosed)
	}
	return use()
}

func tokenCount(texts []sequence) (n int) {
	for _, t := range texts {
		n += len(t.ids)
	}
	return n
}

// takeRoom returns memory for the texts, which an earlier call may have left.
func (m *Model) takeRoom(texts []sequence) *room {
	tokens, longest := tokenCount(texts), len(slices.MaxFunc(texts, func(a, b sequence) int { return len(a.ids) - len(b.ids) }).ids)
	if r, _ := m.rooms.Get().(*room); r != nil && r.tokens >= tokens && r.longest >= longest {
		return r
	}
	return m.network.room(tokens, longest)
}
