package methods_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// missing finds in a text that is read again what the first reading does not give.
type missing struct {
	llm.Provider
	mu    sync.Mutex
	asked []llm.Task
}

func (p *missing) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	p.mu.Lock()
	p.asked = append(p.asked, t)
	p.mu.Unlock()
	if in, ok := t.Input.(llm.GleanInput); ok {
		x := llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}
		if !strings.Contains(string(asJSON(in.Found)), "Gleaned") {
			x.Entities = append(x.Entities, llm.Entity{Name: "Gleaned", Type: "person", Description: "d"})
		}
		return llm.Reply{Text: string(asJSON(x))}, llm.Usage{}, nil
	}
	return p.Provider.Do(ctx, t)
}

func asJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// TestProfile: each method that reads entities reads texts as its parameters say: so
// often again for what was missed, and for entities of the types that are wanted. The
// index is another one than without them.
func TestProfile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hirag", "archrag", "noderag", "hipporag", "lightrag-hybrid", "fastgraphrag", "ketrag", "skeleton", "graphrag-local"} {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		c.Learn(false)
		p := &missing{Provider: local.New(local.Options{Tokens: c.Tokens().Count})}
		c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}, Free: true}), nil
		})
		spec := name + ":glean=5,types=place+natural event+place"
		sys := c.System(t, spec)
		if got := sys.Params()["types"]; got != "natural event+place" || sys.Instance() == c.System(t, name+":glean=5").Instance() {
			t.Errorf("%s: types %q, instance %s", name, got, sys.Instance())
		}
		if types, listed := c.System(t, name).Params()["types"]; listed {
			t.Errorf("%s: types %q by themselves", name, types)
		}
		c.Index(t, spec, ragtest.Docs(71, 1)...)
		read := map[llm.Kind]int{}
		for _, task := range p.asked {
			var types []string
			switch in := task.Input.(type) {
			case llm.ExtractInput:
				types = in.Types
			case llm.GleanInput:
				types = in.Types
			default:
				continue
			}
			if read[task.Kind]++; !reflect.DeepEqual(types, []string{"natural event", "place"}) {
				t.Errorf("%s: %s asks for the types %q", name, task.Kind, types)
			}
		}
		// The second reading finds something, the third nothing.
		if read[llm.Extract] == 0 || read[llm.Glean] != 2*read[llm.Extract] {
			t.Errorf("%s: %d texts, gleaned %d times", name, read[llm.Extract], read[llm.Glean])
		}
	}
	c := ragtest.Open(t, methods.All())
	if _, err := c.Methods.Open(t.Context(), c.Docs(), method.Spec{Name: "ketrag", Params: map[string]string{"types": " + "}}); err == nil || !strings.Contains(err.Error(), "words with + between them") {
		t.Errorf("types without a word: %v", err)
	}
}

// wordy says of each entity that a text names something that is longer than all that
// one request is to read, and notes what it is asked to make one of.
type wordy struct {
	llm.Provider
	words  int
	mu     sync.Mutex
	merged [][]string
}

func (p *wordy) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	switch in := t.Input.(type) {
	case llm.ExtractInput:
		x := llm.Extraction{Entities: []llm.Entity{{Name: "Karrow", Type: "town", Description: strings.Repeat("word ", p.words) + in.Title}}, Relations: []llm.Relation{}}
		return llm.Reply{Text: string(asJSON(x))}, llm.Usage{}, nil
	case llm.MergeInput:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.merged = append(p.merged, in.Descriptions)
		return llm.Reply{Text: "Karrow is a town."}, llm.Usage{}, nil
	}
	return p.Provider.Do(ctx, t)
}

// TestLongDescriptions: descriptions of which the first alone is longer than what one
// request is to read are made one all the same: by rules of what there is room for,
// which is the first at least, and by a model of all, a few at a time.
func TestLongDescriptions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ketrag:beta=1", "hirag", "archrag"} { // KET-RAG reads a share of the chunks
		for _, free := range []bool{true, false} {
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			c.Learn(false)
			p := &wordy{Provider: local.New(local.Options{Tokens: c.Tokens().Count}), words: 4500}
			c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
				return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}, Free: free}), nil
			})
			var docs []ragtest.Doc
			for _, key := range []string{"a", "b", "c", "d", "e"} {
				docs = append(docs, ragtest.Doc{Key: key + ".md", Text: "# " + strings.ToUpper(key) + "\n\nThe ferry leaves Karrow at noon, says " + key + "."})
			}
			c.Index(t, name, docs...)
			read := map[string]bool{}
			for _, list := range p.merged {
				if len(list) == 0 || !free && len(list) != 2 {
					t.Errorf("%s, free %v: %d descriptions at once", name, free, len(list))
				}
				for _, text := range list {
					read[text] = true
				}
			}
			delete(read, "Karrow is a town.")
			if want := map[bool]int{true: 1, false: 5}[free]; len(read) != want {
				t.Errorf("%s, free %v: %d descriptions were read, want %d", name, free, len(read), want)
			}
		}
	}
}
