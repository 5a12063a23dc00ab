package local_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

var (
	_ llm.Embedder = (*local.Embedder)(nil)
	_ llm.Embedder = (*local.Live)(nil)
)

// synthetic returns n texts of a language of 400 words, some of them rare,
// about one of eight topics each.
func synthetic(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := make([]string, n)
	for i := range out {
		topic := rng.IntN(8)
		var b strings.Builder
		for range 10 + rng.IntN(30) {
			word := rng.IntN(50) // every topic's
			switch rng.IntN(8) {
			case 0:
				word = rng.IntN(400)
			case 1, 2, 3, 4:
				word = 50 + topic*40 + rng.IntN(40)
			}
			fmt.Fprintf(&b, "w%03dx ", word)
		}
		out[i] = b.String()
	}
	return out
}

// stored is a table or live rows as a store holds them.
type stored map[string][]byte

func (s stored) get(key []byte) ([]byte, error) {
	if v, ok := s[string(key)]; ok {
		return v, nil
	}
	return nil, errNotStored
}

// Get implements [local.Stored].
func (s stored) Get(key []byte) ([]byte, error) { return s.get(key) }

// MultiGet implements [local.Stored].
func (s stored) MultiGet(keys [][]byte, fn func(i int, value []byte) error) error {
	for i, k := range slices.Backward(keys) {
		if v, ok := s[string(k)]; ok {
			if err := fn(i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// Each implements [local.Stored].
func (s stored) Each(prefix []byte, fn func(key, value []byte) error) error {
	for _, k := range slices.Sorted(maps.Keys(s)) {
		if strings.HasPrefix(k, string(prefix)) {
			if err := fn([]byte(k), s[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

var errNotStored = errors.New("not stored")

func store(t *local.Table) stored {
	s := stored{}
	for k, v := range t.Entries() {
		s[string(k)] = v
	}
	return s
}

func digest(s stored) string {
	h := sha256.New()
	keys := make([]string, 0, len(s))
	for k := range s {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(h, "%q %x\n", k, s[k])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func TestTrainDeterministic(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		// The bytes are part of the format: vectors of a version depend on them.
		table, live string
	}{
		{"few words", synthetic(1, 700), "aeb7b4b385271c90", "a7b8c467284cbe0d"},
		{"words of single texts", manyWords(), "51a048d540dd4909", "9c9a45c6ee806150"},
	} {
		for _, o := range []local.TrainOptions{
			{Workers: 3}, {Workers: 8, MemoryBytes: 1 << 20}, {Workers: 2, MemoryBytes: 300 << 10},
		} {
			live, table := stored{}, stored{}
			o.Version, o.Dir = 7, t.TempDir()
			o.Live = func(r local.Row) error {
				live[r.Word] = r.Append(nil)
				return nil
			}
			h, err := local.TrainTo(t.Context(), seqOf(c.texts), o, func(key, value []byte) error {
				table[string(key)] = slices.Clone(value)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := digest(table); got != c.table {
				t.Errorf("%s, %d workers, %d bytes: table %s, want %s", c.name, o.Workers, o.MemoryBytes, got, c.table)
			}
			if got := digest(live); got != c.live {
				t.Errorf("%s, %d workers, %d bytes: live rows %s, want %s", c.name, o.Workers, o.MemoryBytes, got, c.live)
			}
			loaded, err := local.LoadTable(table)
			if err != nil || !loaded.Head().Same(h) {
				t.Errorf("%s: loaded %+v, %v", c.name, loaded, err)
			}
			if left, err := os.ReadDir(o.Dir); err != nil || len(left) > 0 {
				t.Errorf("%s: %d temporary files are left, %v", c.name, len(left), err)
			}
		}
	}
}

// manyWords returns texts of more than [local.KeepAll] words, most of them of one text.
func manyWords() []string {
	out := synthetic(2, 3500)
	for i := range out {
		var b strings.Builder
		b.WriteString(out[i])
		for k := range 20 {
			fmt.Fprintf(&b, "s%dx ", i*20+k)
		}
		fmt.Fprintf(&b, "p%dx", i/2)
		out[i] = b.String()
	}
	return out
}

func TestGoldenVector(t *testing.T) {
	table := train(t, synthetic(2, 300))
	for _, c := range []struct {
		text string
		want []float32 // weighted sums of components
	}{
		{"w001x w060x", []float32{-1.0094104, 0.60072625, -0.72767186, 1.4029281}},
		{"w001x unknown", []float32{1.4038967, -0.9421351, -0.31936282, 3.3448749}},
		{"unknown", []float32{0.9995394, -1.0007107, -0.000883899, 3.0003533}},
		{"to be or not to be", []float32{-0.039971348, -0.22585514, -1.2582747, 0.34801662}},
	} {
		v, ok := table.Embed(c.text)
		if !ok {
			t.Errorf("%q has no vector", c.text)
			continue
		}
		if len(v) != local.Dim || math.Abs(length(v)-1) > 1e-6 {
			t.Errorf("%q: %d components, length %v", c.text, len(v), length(v))
		}
		var sum [4]float32 // of every fourth component, weighted by place
		for i, x := range v {
			sum[i%4] += x * float32(1+i/4%3)
		}
		for i, x := range sum {
			if i >= len(c.want) || math.Abs(float64(x-c.want[i])) > 1e-5 {
				t.Errorf("%q: sums %v, want %v", c.text, sum, c.want)
				break
			}
		}
	}
}

func length(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func TestEmbedEdges(t *testing.T) {
	corpus := synthetic(3, 200)
	for _, c := range []struct {
		name  string
		texts []string
	}{
		{"no text", nil},
		{"empty texts", []string{"", " ", "..."}},
		{"one text", corpus[:1]},
		{"equal texts", slices.Repeat(corpus[:1], 40)},
		{"one word", slices.Repeat([]string{"graph"}, 40)},
		{"few", corpus[:15]},
		{"corpus", corpus},
	} {
		table := train(t, c.texts)
		for _, text := range append([]string{"graph", "the", "漢字", "w001x", "graph graph w002x", "é", strings.Repeat("x", 1<<16), "\xff a"}, c.texts...) {
			v, ok := table.Embed(text)
			if want := strings.Trim(text, " .") != ""; ok != want {
				t.Errorf("%s: %.20q: ok %v, want %v", c.name, text, ok, want)
			}
			if ok && math.Abs(length(v)-1) > 1e-5 {
				t.Errorf("%s: %.20q: length %v", c.name, text, length(v))
			}
		}
		for _, text := range []string{"", " \n", "?!", "\xff"} {
			if v, ok := table.Embed(text); ok || v != nil {
				t.Errorf("%s: %q has a vector", c.name, text)
			}
		}
		if _, err := local.LoadTable(store(table)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestTopics checks that texts of one topic are nearer than others, which
// signatures alone do not give for texts without a common word.
func TestTopics(t *testing.T) {
	table := train(t, synthetic(4, 800))
	a, _ := table.Embed("w060x w061x w062x")
	b, _ := table.Embed("w070x w071x w072x") // same topic, other words
	c, _ := table.Embed("w110x w111x w112x") // another topic
	ab, ac := cosines(a, [][]float32{b})[0], cosines(a, [][]float32{c})[0]
	if ab < .4 || ab < ac+.3 {
		t.Errorf("similarity in the topic %.2f, outside %.2f", ab, ac)
	}
	h := table.Head()
	if h.P50 < -.2 || h.P50 > .2 || h.P99 < .3 {
		t.Errorf("random pairs: p50 %.2f, p99 %.2f", h.P50, h.P99)
	}
}

func TestStored(t *testing.T) {
	for _, n := range []int{0, 3, 300} {
		table := train(t, synthetic(5, n))
		s := store(table)
		loaded, err := local.LoadTable(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := digest(store(loaded)), digest(s); got != want {
			t.Errorf("%d texts: stored again it is %s, want %s", n, got, want)
		}
		for _, text := range []string{"w001x w060x", "new words w399x"} {
			a, _ := table.Embed(text)
			b, _ := loaded.Embed(text)
			if !slices.Equal(a, b) {
				t.Errorf("%d texts: %q embeds differently when loaded", n, text)
			}
		}
		head, err := local.LoadHead(s.get)
		if err != nil {
			t.Fatal(err)
		}
		if head.Model() != "local/rri-512@v1" || head.Texts != int64(n) || head.Words != table.Head().Words {
			t.Errorf("head %+v", head)
		}
	}
}

// TestEntries checks that each word has its row, and that a store without the head,
// which comes last, has no table.
func TestEntries(t *testing.T) {
	texts := make([]string, 40)
	for i := range texts {
		var b strings.Builder
		for k := range 100 {
			fmt.Fprintf(&b, "x%dx%dx ", i, k)
		}
		texts[i] = b.String()
	}
	table := train(t, texts)
	if table.Head().Words != 4000 {
		t.Fatalf("%d words", table.Head().Words)
	}
	s := store(table)
	if len(s) != 4001 {
		t.Errorf("%d values, want 4000 rows and the head", len(s))
	}
	last := ""
	for k, v := range table.Entries() {
		if string(k) != "head" && len(v) > 600 {
			t.Errorf("%s has %d bytes", k, len(v))
		}
		last = string(k)
	}
	if last != "head" {
		t.Errorf("last key %q", last)
	}
	delete(s, "head")
	if _, err := local.LoadTable(s); !errors.Is(err, errNotStored) {
		t.Errorf("without the head: %v", err)
	}
	for range table.Entries() {
		break
	}
}

func TestStoredDamage(t *testing.T) {
	s := store(train(t, synthetic(6, 60)))
	for key, v := range s {
		for _, at := range []int{0, 1, 2, len(v) / 2, len(v) - 1} {
			bad := stored{}
			for k, v := range s {
				bad[k] = slices.Clone(v)
			}
			bad[key][at] ^= 0x10
			if _, err := local.LoadTable(bad); !errors.Is(err, local.ErrTable) {
				t.Errorf("%s with byte %d changed: %v", key, at, err)
			}
			bad[key] = v[:at]
			if _, err := local.LoadTable(bad); !errors.Is(err, local.ErrTable) {
				t.Errorf("%s cut to %d bytes: %v", key, at, err)
			}
		}
	}
}

func TestTrainErrors(t *testing.T) {
	boom := errors.New("boom")
	texts := synthetic(7, 100)
	failing := func(yield func(string, error) bool) { yield("", boom) }
	if _, err := local.Train(t.Context(), failing, local.TrainOptions{}); !errors.Is(err, boom) {
		t.Errorf("failing texts: %v", err)
	}
	live := local.TrainOptions{Live: func(local.Row) error { return boom }}
	if _, err := local.Train(t.Context(), seqOf(texts), live); !errors.Is(err, boom) {
		t.Errorf("failing Live: %v", err)
	}
	for _, at := range []string{"row/w001x", "head"} {
		store := func(key, _ []byte) error {
			if string(key) == at {
				return boom
			}
			return nil
		}
		if _, err := local.TrainTo(t.Context(), seqOf(texts), local.TrainOptions{}, store); !errors.Is(err, boom) {
			t.Errorf("storing %s fails: %v", at, err)
		}
	}
	none := local.TrainOptions{Dir: filepath.Join(t.TempDir(), "none")}
	if _, err := local.Train(t.Context(), seqOf(synthetic(7, 30_000)), none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder for temporary files: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := local.Train(ctx, seqOf(texts), local.TrainOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNeedsRetrain(t *testing.T) {
	for _, c := range []struct {
		n, trained int64
		want       bool
	}{{0, 0, false}, {1, 0, true}, {1, 1, false}, {2, 1, true}, {199, 100, false}, {200, 100, true}, {50, 100, false}} {
		if got := local.NeedsRetrain(c.n, c.trained); got != c.want {
			t.Errorf("NeedsRetrain(%d, %d) = %v", c.n, c.trained, got)
		}
	}
}

func TestEmbedder(t *testing.T) {
	table := train(t, synthetic(8, 50))
	e := local.NewEmbedder(table)
	if got, want := e.Space(), (llm.SpaceInfo{Model: "local/rri-512@v1", Dim: 512, Recomputable: true}); got != want {
		t.Errorf("space %+v, want %+v", got, want)
	}
	got, usage, err := e.Embed(t.Context(), []string{"w001x", "", "w002x"})
	if err != nil || len(got) != 3 || got[1] != nil || usage.Calls != 1 {
		t.Fatalf("%v, %v, %v", got, usage, err)
	}
	if want, _ := table.Embed("w002x"); !slices.Equal(got[2], want) {
		t.Error("vectors differ from the table's")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := e.Embed(ctx, []string{"w001x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestWords loads a table as far as some texts need it: it embeds them and counts them
// as the whole table does, by one read of the head and one of the rows.
func TestWords(t *testing.T) {
	table := train(t, synthetic(9, 400))
	s := store(table)
	for _, texts := range [][]string{nil, {""}, {"w001x w060x w060x"}, {"new words w399x", "w002x and w001x, 漢字"}, synthetic(9, 20)} {
		part, err := local.LoadWords(s, texts...)
		if err != nil {
			t.Fatal(err)
		}
		if !part.Head().Same(table.Head()) {
			t.Errorf("head %+v", part.Head())
		}
		for _, text := range texts {
			a, _ := table.Embed(text)
			b, _ := part.Embed(text)
			if !slices.Equal(a, b) {
				t.Errorf("%q embeds differently", text)
			}
			x, y := table.Contribution(text), part.Contribution(text)
			if !slices.EqualFunc(x, y, func(a, b local.Row) bool {
				return a.Word == b.Word && a.Texts == b.Texts && slices.Equal(a.Sum, b.Sum)
			}) {
				t.Errorf("%q contributes otherwise", text)
			}
		}
	}
	s["row/w001x"] = []byte("damage")
	if _, err := local.LoadWords(s, "w001x"); !errors.Is(err, local.ErrTable) {
		t.Errorf("a damaged row: %v", err)
	}
	if _, err := local.LoadWords(s, "w002x"); err != nil {
		t.Errorf("a damaged row of another word: %v", err)
	}
	delete(s, "head")
	if _, err := local.LoadWords(s, "w002x"); !errors.Is(err, errNotStored) {
		t.Errorf("without the head: %v", err)
	}
}

// FuzzLoadTable feeds a head and a row to the decoder, with the checksums
// made right, so that what lies behind them is reached: it must not fail but
// by error, and what it accepts is stored as the same bytes.
func FuzzLoadTable(f *testing.F) {
	s := store(train(f, []string{"graph"}))
	f.Add(s["head"], s["row/graph"])
	f.Add([]byte("x"), []byte{})
	f.Fuzz(func(t *testing.T, head, row []byte) {
		given := stored{"head": seal(head, row), "row/graph": row}
		table, err := local.LoadTable(given)
		if err != nil {
			if !errors.Is(err, local.ErrTable) && !errors.Is(err, errNotStored) {
				t.Errorf("error %v", err)
			}
			return
		}
		if digest(store(table)) != digest(given) {
			t.Error("another table is stored")
		}
		if v, ok := table.Embed("graph store"); !ok || math.Abs(length(v)-1) > 1e-5 {
			t.Errorf("length %v", length(v))
		}
	})
}

// seal sets the two checksums at the end of a head.
func seal(head, row []byte) []byte {
	if len(head) < 2*sha256.Size {
		return head
	}
	body := slices.Clone(head[:len(head)-sha256.Size])
	rows := sha256.Sum256(append([]byte("graph\x00"), row...))
	copy(body[len(body)-sha256.Size:], rows[:])
	own := sha256.Sum256(body)
	return append(body, own[:]...)
}

// benchTexts returns real paragraphs.
