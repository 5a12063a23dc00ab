package encoder_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

func tiers() (all []distance.Tier) {
	for t := distance.Portable; t <= distance.AVX512; t++ {
		if distance.Supported(t) {
			all = append(all, t)
		}
	}
	return all
}

func openModel(t testing.TB, dir string, o *encoder.Options) *encoder.Model {
	t.Helper()
	m, err := encoder.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func embed(t testing.TB, m *encoder.Model, texts []string, kind encoder.Kind) [][]float32 {
	t.Helper()
	v, err := m.Embed(context.Background(), texts, kind)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// architectures are models of all sorts, among them sizes that no panel and no
// vector register divides.
var architectures = map[string]func(*made){
	"bert":             nil,
	"bert cls":         func(m *made) { m.pooling = "cls" },
	"bert mean":        func(m *made) { m.pooling = "mean"; m.prefix = "bert." },
	"bert f16":         func(m *made) { m.dtype = "F16" },
	"bert bf16":        func(m *made) { m.dtype = "BF16" },
	"bert odd sizes":   func(m *made) { m.hidden, m.heads, m.inner = 30, 3, 41 },
	"bert narrow head": func(m *made) { m.hidden, m.heads = 96, 12 },
	"bert wide head":   func(m *made) { m.hidden, m.heads = 80, 2 },
	"bert one layer":   func(m *made) { m.layers = 1; m.pooling = "cls" },
	"gelu_new":         func(m *made) { m.act = "gelu_new" },
	"relu":             func(m *made) { m.act = "relu" },
	"roberta":          func(m *made) { m.arch, m.types, m.prefix = "xlm-roberta", 1, "roberta." },
	"mpnet":            func(m *made) { m.arch, m.positions = "mpnet", 260 },
}

// TestVectors holds the vectors of every architecture and tier to the oracle's.
func TestVectors(t *testing.T) {
	for name, change := range architectures {
		t.Run(name, func(t *testing.T) {
			made := newMade(change)
			dir := made.write(t)
			rng := rand.New(rand.NewPCG(1, 1))
			start, end, unknown := made.special()
			var texts []string
			var want [][]float64
			lengths := []int{1, 2, 5, 11, 30, 31, 32, 60}
			if made.arch == "mpnet" {
				lengths = append(lengths, 200) // distances beyond the last bucket's edge
			}
			for _, n := range lengths {
				text, ids := randomText(rng, made, n)
				if n == 5 {
					text, ids = text+" nowhere", append(ids, unknown)
				}
				texts = append(texts, text)
				want = append(want, made.embedding(append(append([]int{start}, ids...), end), made.pooling))
			}
			for _, tier := range tiers() {
				for _, i8 := range []bool{false, true} {
					m := openModel(t, dir, encoder.Options{Int8: i8}.On(tier))
					if m.Dim() != made.hidden {
						t.Fatalf("dimension %d", m.Dim())
					}
					for i, v := range embed(t, m, texts, encoder.Passage) {
						cosine, far := 0., 0.
						for j, x := range v {
							cosine += float64(x) * want[i][j]
							far = max(far, math.Abs(float64(x)-want[i][j]))
						}
						if !i8 && far > 4e-6 || cosine < .995 {
							t.Errorf("%s, int8 %v: vector %d of %d words has cosine %v, is off by %v", tier, i8, i, lengths[i], cosine, far)
						}
					}
				}
			}
		})
	}
}

// TestSameBits says that a text's vector does not depend on the number of threads
// nor on the texts beside it, on any tier.
func TestSameBits(t *testing.T) {
	for _, change := range []func(*made){nil, func(m *made) { m.pooling = "cls" }, func(m *made) { m.arch = "mpnet"; m.hidden = 30; m.heads = 3 }} {
		made := newMade(change)
		dir := made.write(t)
		rng := rand.New(rand.NewPCG(2, 2))
		texts := make([]string, 60)
		for i := range texts {
			texts[i], _ = randomText(rng, made, 1+rng.IntN(50))
		}
		for _, tier := range tiers() {
			for _, i8 := range []bool{false, true} {
				var first [][]float32
				var name string
				for _, threads := range []int{1, 2, 8} {
					m := openModel(t, dir, encoder.Options{Int8: i8, Threads: threads}.On(tier))
					v := embed(t, m, texts, encoder.Passage)
					if first == nil {
						first, name = v, m.Name()
					}
					if !reflect.DeepEqual(v, first) || m.Name() != name {
						t.Fatalf("%s, int8 %v: other vectors on %d threads", tier, i8, threads)
					}
				}
				m := openModel(t, dir, encoder.Options{Int8: i8}.On(tier))
				for i := len(texts) - 1; i >= 0; i -= 7 {
					if v := embed(t, m, texts[i:i+1], encoder.Passage); !reflect.DeepEqual(v[0], first[i]) {
						t.Fatalf("%s, int8 %v: text %d has another vector alone", tier, i8, i)
					}
				}
			}
		}
	}
}

// TestScores holds a cross-encoder's scores to the oracle's.
func TestScores(t *testing.T) {
	for name, change := range map[string]func(*made){
		"bert":       func(m *made) { m.labels, m.prefix = 1, "bert." },
		"bert two":   func(m *made) { m.labels, m.prefix = 2, "bert." },
		"roberta":    func(m *made) { m.arch, m.types, m.labels, m.prefix = "xlm-roberta", 1, 1, "roberta." },
		"mpnet":      func(m *made) { m.arch, m.labels, m.prefix = "mpnet", 1, "mpnet." },
		"odd hidden": func(m *made) { m.labels, m.prefix, m.hidden, m.heads = 1, "bert.", 30, 3 },
	} {
		t.Run(name, func(t *testing.T) {
			made := newMade(change)
			dir := made.write(t)
			rng := rand.New(rand.NewPCG(3, 3))
			start, end, _ := made.special()
			query, asked := randomText(rng, made, 4)
			var passages []string
			var want []float64
			for _, n := range []int{1, 7, 30, 50} {
				p, ids := randomText(rng, made, n)
				passages = append(passages, p)
				all := append(append([]int{start}, asked...), end)
				types := make([]int, len(all))
				second := 1
				if made.arch != "bert" {
					all, types, second = append(all, end), append(types, 0), 0
				}
				for _, id := range append(ids, end) {
					all, types = append(all, id), append(types, second)
				}
				l := made.logits(all, types)
				want = append(want, l[len(l)-1])
				if len(l) == 2 {
					want[len(want)-1] -= l[0]
				}
			}
			for _, tier := range tiers() {
				for _, i8 := range []bool{false, true} {
					m := openModel(t, dir, encoder.Options{Int8: i8}.On(tier))
					if !m.Scores() {
						t.Fatal("not known as a cross-encoder")
					}
					got, err := m.Score(context.Background(), query, passages)
					if err != nil {
						t.Fatal(err)
					}
					slack := 2e-5
					if i8 {
						slack = .2
					}
					for i := range got {
						if math.Abs(float64(got[i])-want[i]) > slack {
							t.Errorf("%s, int8 %v: score %d is %v, want %v", tier, i8, i, got[i], want[i])
						}
					}
				}
			}
			m := openModel(t, dir, nil)
			if _, err := m.Embed(context.Background(), passages, encoder.Passage); !errors.Is(err, encoder.ErrTask) {
				t.Errorf("Embed of a cross-encoder: %v", err)
			}
		})
	}
}

func TestPrompts(t *testing.T) {
	made := newMade(func(m *made) { m.prompts = map[string]string{"query": word(1) + " ", "passage": word(2) + " "} })
	dir := made.write(t)
	text := word(7) + " " + word(8)
	plain := openModel(t, dir, &encoder.Options{Prompts: true})
	own := openModel(t, dir, nil)
	other := openModel(t, dir, &encoder.Options{Prompts: true, QueryPrompt: word(3) + " "})
	for _, c := range []struct {
		m      *encoder.Model
		kind   encoder.Kind
		prompt string
	}{
		{plain, encoder.Query, ""}, {plain, encoder.Passage, ""},
		{own, encoder.Query, word(1) + " "}, {own, encoder.Passage, word(2) + " "},
		{other, encoder.Query, word(3) + " "}, {other, encoder.Passage, ""},
	} {
		got, want := embed(t, c.m, []string{text}, c.kind), embed(t, plain, []string{c.prompt + text}, encoder.Passage)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("kind %d does not stand behind %q", c.kind, c.prompt)
		}
	}
	if plain.Name() == own.Name() || own.Name() == other.Name() {
		t.Error("models with other prompts have one name")
	}
}

func TestLongAndEmpty(t *testing.T) {
	made := newMade(nil)
	dir := made.write(t)
	m := openModel(t, dir, &encoder.Options{MaxTokens: 10})
	if m.MaxTokens() != 10 {
		t.Fatalf("MaxTokens is %d", m.MaxTokens())
	}
	words := strings.Fields(strings.Repeat(word(4)+" ", 5000))
	v := embed(t, m, []string{"", " \n\t", strings.Join(words[:8], " "), strings.Join(words, " ")}, encoder.Query)
	if v[0] != nil || v[1] != nil {
		t.Error("an empty text has a vector")
	}
	if v[2] == nil || !reflect.DeepEqual(v[2], v[3]) {
		t.Error("a long text is not cut at the limit")
	}
	if openModel(t, dir, &encoder.Options{MaxTokens: 1000}).MaxTokens() != made.positions {
		t.Error("the limit is above the number of positions")
	}
	if v := embed(t, m, nil, encoder.Query); len(v) != 0 {
		t.Errorf("no texts have the vectors %v", v)
	}
}

func TestEndsWithContext(t *testing.T) {
	m := openModel(t, newMade(nil).write(t), nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Embed(ctx, []string{"wa"}, encoder.Query); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if _, err := m.Score(ctx, "wa", []string{"wa"}); !errors.Is(err, encoder.ErrTask) {
		t.Errorf("Score of an encoder: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := m.Embed(context.Background(), []string{"wa"}, encoder.Query); !errors.Is(err, encoder.ErrClosed) {
		t.Errorf("Embed of a closed model: %v", err)
	}
}

// TestName says that the name follows the content: not the folder, but each
// weight, and the form of the weights.
func TestName(t *testing.T) {
	made := newMade(nil)
	a := openModel(t, made.write(t), nil)
	if b := openModel(t, made.write(t), nil); a.Name() != b.Name() {
		t.Errorf("the same content has the names %s and %s", a.Name(), b.Name())
	}
	if b := openModel(t, made.write(t), &encoder.Options{Int8: true}); a.Name() == b.Name() {
		t.Error("8 bits have the name of 32")
	}
	if b := openModel(t, made.write(t), &encoder.Options{Pooling: encoder.CLS}); a.Name() == b.Name() {
		t.Error("another pooling has the same name")
	}
	made.tensors["encoder.layer.1.output.dense.weight"].v[17] += .25
	if b := openModel(t, made.write(t), nil); a.Name() == b.Name() {
		t.Error("another weight has the same name")
	}
}
