package local_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/local"
)

// liveStore keeps live rows as bytes.
type liveStore struct {
	texts int64
	rows  map[string][]byte
	asked [][]string
}

// trainLive trains a table and its live rows.
func trainLive(tb testing.TB, texts []string) (*local.Table, *liveStore) {
	tb.Helper()
	s := &liveStore{texts: int64(len(texts)), rows: map[string][]byte{}}
	table, err := local.Train(tb.Context(), seqOf(texts), local.TrainOptions{Version: 1, Live: func(r local.Row) error {
		if s.rows[r.Word] != nil {
			tb.Errorf("%q came twice", r.Word)
		}
		s.rows[r.Word] = r.Append(nil)
		return nil
	}})
	if err != nil {
		tb.Fatal(err)
	}
	return table, s
}

func (s *liveStore) Texts(context.Context) (int64, error) { return s.texts, nil }

func (s *liveStore) Rows(_ context.Context, words []string) ([]local.Row, error) {
	s.asked = append(s.asked, words)
	var out []local.Row
	for _, w := range words {
		if b, ok := s.rows[w]; ok {
			r, err := local.DecodeRow(w, b)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// apply changes the stored rows.
func (s *liveStore) apply(tb testing.TB, c *local.Change) {
	tb.Helper()
	s.texts += c.Texts()
	for d := range c.Rows() {
		if b, ok := s.rows[d.Word]; ok {
			r, err := local.DecodeRow(d.Word, b)
			if err != nil {
				tb.Fatal(err)
			}
			d.Add(r)
		}
		if d.IsZero() {
			delete(s.rows, d.Word)
		} else {
			s.rows[d.Word] = d.Append(nil)
		}
	}
}

// TestTrainLive holds the rows that training gives to the sums of the
// contributions of the texts.
func TestTrainLive(t *testing.T) {
	texts := synthetic(11, 300)
	table, s := trainLive(t, texts)
	want := &liveStore{rows: map[string][]byte{}}
	for _, text := range texts {
		c := local.NewChange(table)
		c.Add(text)
		want.apply(t, c)
	}
	if want.texts != s.texts || digest(want.rows) != digest(s.rows) {
		t.Errorf("rows of training %s, by contributions %s", digest(s.rows), digest(want.rows))
	}
}

// TestTrainLargeVocabulary checks that words of single texts get their live
// row, but none in the table, if there are more than KeepAll words.
func TestTrainLargeVocabulary(t *testing.T) {
	texts := largeVocabulary()
	table, s := trainLive(t, texts)
	if table.Head().Words != 2 {
		t.Errorf("%d words have rows, want 2", table.Head().Words)
	}
	if len(s.rows) <= local.KeepAll {
		t.Errorf("%d live rows", len(s.rows))
	}
	for _, text := range texts {
		c := local.NewChange(table)
		c.Remove(text)
		s.apply(t, c)
	}
	if len(s.rows) != 0 || s.texts != 0 {
		t.Errorf("%d rows, %d texts are left", len(s.rows), s.texts)
	}
}

// TestLiveExact adds and removes random texts: whatever the order, the rows
// are those of the texts that are left.
func TestLiveExact(t *testing.T) {
	const seed = 12
	rng := rand.New(rand.NewPCG(seed, 0))
	texts := synthetic(seed, 120)
	for i := range texts { // words that the table does not know, stop words, nothing
		switch rng.IntN(6) {
		case 0:
			texts[i] += " new" + string(rune('a'+rng.IntN(26))) + "x zürich 漢字"
		case 1:
			texts[i] = "to be or not to be"
		case 2:
			texts[i] = ""
		}
	}
	table, s := trainLive(t, texts[:60])
	present := map[int]bool{}
	for i := range 60 {
		present[i] = true
	}
	for range 40 {
		c := local.NewChange(table)
		for range 1 + rng.IntN(8) {
			i := rng.IntN(len(texts))
			if present[i] {
				c.Remove(texts[i])
			} else {
				c.Add(texts[i])
			}
			present[i] = !present[i]
		}
		s.apply(t, c)
	}
	want := &liveStore{rows: map[string][]byte{}}
	for i, text := range texts {
		if !present[i] {
			continue
		}
		want.texts++
		c := local.NewChange(table)
		for _, r := range table.Contribution(text) { // the other way to the same sums
			if b, ok := want.rows[r.Word]; ok {
				old, err := local.DecodeRow(r.Word, b)
				if err != nil {
					t.Fatal(err)
				}
				r.Add(old)
			}
			want.rows[r.Word] = r.Append(nil)
		}
		want.apply(t, c)
	}
	if s.texts != want.texts || digest(s.rows) != digest(want.rows) {
		t.Errorf("seed %d: %d texts, rows %s; want %d, %s", seed, s.texts, digest(s.rows), want.texts, digest(want.rows))
	}
}

// TestLiveNear checks that just after training a question has the vector of
// the table, but for the rounding of its rows.
func TestLiveNear(t *testing.T) {
	texts := synthetic(13, 400)
	table, s := trainLive(t, texts)
	live := local.NewLive(table.Head(), s)
	if live.Space() != local.NewEmbedder(table).Space() {
		t.Error("another space than the table's")
	}
	queries := []string{"w001x w060x", "w399x unknown w020x w020x", "unknown", "to be", "", texts[0]}
	got, _, err := live.Embed(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range queries {
		want, ok := table.Embed(q)
		if !ok {
			if got[i] != nil {
				t.Errorf("%q has a vector", q)
			}
			continue
		}
		if cos := cosines(got[i], [][]float32{want})[0]; cos < .999 || math.Abs(length(got[i])-1) > 1e-5 {
			t.Errorf("%q: cosine %.5f to the table's vector, length %v", q, cos, length(got[i]))
		}
	}
	for _, words := range s.asked {
		if !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) {
			t.Errorf("asked for %q", words)
		}
	}
}

// TestLiveLearns adds texts that use a new word like a known one: the live
// table brings the two together, the old table does not.
func TestLiveLearns(t *testing.T) {
	texts := synthetic(14, 300)
	table, s := trainLive(t, texts)
	c := local.NewChange(table)
	for range 5 {
		c.Add("newcomer w060x w061x w062x w063x w064x")
	}
	s.apply(t, c)
	got, _, err := local.NewLive(table.Head(), s).Embed(t.Context(), []string{"newcomer"})
	if err != nil {
		t.Fatal(err)
	}
	near, _ := table.Embed("w060x w061x")
	frozen, _ := table.Embed("newcomer")
	if live, old := cosines(got[0], [][]float32{near})[0], cosines(frozen, [][]float32{near})[0]; live < .25 || old > .1 {
		t.Errorf("similarity by the live table %.2f, by the old one %.2f", live, old)
	}
}

func TestLiveErrors(t *testing.T) {
	boom := errors.New("boom")
	table, s := trainLive(t, synthetic(15, 20))
	for name, rows := range map[string]local.LiveRows{
		"texts": failingRows{s, boom, nil},
		"rows":  failingRows{s, nil, boom},
	} {
		if _, _, err := local.NewLive(table.Head(), rows).Embed(t.Context(), []string{"w001x"}); !errors.Is(err, boom) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type failingRows struct {
	*liveStore
	texts, rows error
}

func (f failingRows) Texts(context.Context) (int64, error) { return 1, f.texts }

func (f failingRows) Rows(context.Context, []string) ([]local.Row, error) { return nil, f.rows }

// TestRowSize checks the promise of small rows.
func TestRowSize(t *testing.T) {
	_, s := trainLive(t, synthetic(16, 1000))
	total, longest := 0, 0
	for _, b := range s.rows {
		total += len(b)
		longest = max(longest, len(b))
	}
	mean := total / len(s.rows)
	t.Logf("%d rows, mean %d bytes, longest %d", len(s.rows), mean, longest)
	if mean > 1200 || longest > 2000 {
		t.Errorf("rows of %d bytes on the average, %d the longest", mean, longest)
	}
}

func FuzzDecodeRow(f *testing.F) {
	_, s := trainLive(f, synthetic(17, 3))
	for _, w := range []string{"w001x", "w002x"} {
		f.Add(s.rows[w])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := local.DecodeRow("word", b)
		if err != nil {
			if !errors.Is(err, local.ErrRow) {
				t.Errorf("error %v", err)
			}
			return
		}
		if !slices.Equal(r.Append(nil), b) {
			t.Error("another row is stored")
		}
	})
}

func BenchmarkLive(b *testing.B) {
	texts := benchTexts(b)
	table, s := trainLive(b, texts)
	live := local.NewLive(table.Head(), s)
	total := 0
	for _, row := range s.rows {
		total += len(row)
	}
	query := []string{"In 1900, what was the population of the city in the same county as Allen?"}
	for b.Loop() {
		s.asked = nil
		if _, _, err := live.Embed(b.Context(), query); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(total)/float64(len(s.rows)), "B/row")
}

// largeVocabulary returns texts of more than KeepAll words, of which two are
// in more than one text.
func largeVocabulary() []string {
	texts := make([]string, 70)
	for i := range texts {
		b := []byte("common shared ")
		for k := range 1000 {
			b = append(b, 'q', byte('a'+i/26), byte('a'+i%26), byte('a'+k/26/26), byte('a'+k/26%26), byte('a'+k%26), '9', ' ')
		}
		texts[i] = string(b)
	}
	return texts
}
