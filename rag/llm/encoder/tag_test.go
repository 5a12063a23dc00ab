package encoder_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

var bio = []string{"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}

// oracleType is the type of a token by its logits in float64, "" for none, its
// likeliest label, and by how much it is ahead.
func oracleType(tags []string, logits []float64) (kind, tag string, ahead float64) {
	sums := map[string]float64{}
	likeliest := map[string]int{}
	bare := func(tag string) string {
		if len(tag) > 2 && tag[1] == '-' {
			return tag[2:]
		}
		return strings.TrimPrefix(tag, "O")
	}
	total := 0.
	for i, l := range logits {
		k := bare(tags[i])
		sums[k] += math.Exp(l)
		total += math.Exp(l)
		if best, ok := likeliest[k]; !ok || l > logits[best] {
			likeliest[k] = i
		}
	}
	second := 0.
	for k, s := range sums {
		if s > sums[kind] || s == sums[kind] && k < kind {
			kind = k
		}
	}
	for k, s := range sums {
		if k != kind {
			second = max(second, s)
		}
	}
	return kind, tags[likeliest[kind]], (sums[kind] - second) / total
}

// TestTags holds the spans of every architecture, tier and sort of labels to the
// oracle's, in texts whose words have several tokens and signs between them.
func TestTags(t *testing.T) {
	for name, change := range map[string]func(*made){
		"bert":       func(m *made) { m.prefix = "bert." },
		"bert plain": func(m *made) { m.prefix, m.tags = "bert.", []string{"PER", "E-MAIL", "O"} },
		"bert bioes": func(m *made) {
			m.prefix, m.tags = "bert.", []string{"O", "B-PER", "I-PER", "E-PER", "S-PER", "B-LOC", "I-LOC", "L-LOC", "U-LOC"}
		},
		"odd hidden": func(m *made) { m.hidden, m.heads, m.prefix = 30, 3, "bert." },
		"cls":        func(m *made) { m.pooling = "cls" },
		"roberta":    func(m *made) { m.arch, m.types, m.prefix = "xlm-roberta", 1, "roberta." },
		"mpnet":      func(m *made) { m.arch, m.prefix = "mpnet", "mpnet." },
	} {
		t.Run(name, func(t *testing.T) {
			made := newMade(func(m *made) {
				m.tags, m.suffixes, m.positions = bio, 10, 100
				change(m)
			})
			dir := made.write(t)
			rng := rand.New(rand.NewPCG(5, 5))
			start, end, unknown := made.special()
			type place struct{ from, to, token int }
			var texts []string
			var want [][]encoder.Span
			for range 12 {
				text, ids := "", []int{start}
				var words []place
				for range 1 + rng.IntN(25) {
					w := rng.IntN(made.words - made.suffixes)
					text += " "
					from := len(text)
					token := len(ids)
					text, ids = text+word(w), append(ids, w+5)
					if rng.IntN(2) == 0 { // a second token
						w := made.words - made.suffixes + rng.IntN(made.suffixes)
						text, ids = text+word(w), append(ids, w+5)
					}
					words = append(words, place{from, len(text), token})
					if rng.IntN(4) == 0 {
						words = append(words, place{len(text), len(text) + 1, len(ids)})
						text, ids = text+",", append(ids, unknown)
					}
				}
				// A line that is blank divides spans.
				if middle := len(words) / 2; text[words[middle].from-1] == ' ' {
					cut := words[middle].from
					text = text[:cut-1] + "\n\n" + text[cut:]
					for i := range words[middle:] {
						words[middle+i].from++
						words[middle+i].to++
					}
				}
				x := made.vectors(append(ids, end), nil)
				logits := made.dense(x, "classifier")
				plain := !strings.Contains(strings.Join(made.tags[1:], ""), "B-")
				var spans []encoder.Span
				open, sure := "", true
				before := 0
				for _, w := range words {
					kind, tag, ahead := oracleType(made.tags, logits[w.token])
					if plain {
						kind, tag, ahead = oraclePlain(made.tags, logits[w.token])
					}
					sure = sure && ahead > 1e-3
					first := plain || strings.HasPrefix(tag, "I-") || strings.HasPrefix(tag, "E-") || strings.HasPrefix(tag, "L-")
					switch {
					case kind == "":
						open = ""
						before = w.to
						continue
					case open == kind && first && !strings.Contains(text[before:w.from], "\n\n"):
						spans[len(spans)-1].End = w.to
					default:
						spans = append(spans, encoder.Span{Start: w.from, End: w.to, Type: kind})
					}
					before, open = w.to, kind
					if !plain && strings.ContainsAny(tag[:1], "ESLU") {
						open = ""
					}
				}
				if sure {
					texts, want = append(texts, text), append(want, spans)
				}
			}
			if len(texts) < 6 {
				t.Fatalf("%d texts are sure", len(texts))
			}
			for _, tier := range tiers() {
				for _, threads := range []int{1, 4} {
					m := openModel(t, dir, encoder.Options{Threads: threads}.On(tier))
					for i, text := range texts {
						got, err := m.Tag(context.Background(), text)
						if err != nil {
							t.Fatal(err)
						}
						for j, s := range got {
							if s.Score <= 0 || s.Score > 1 {
								t.Errorf("score %v", s.Score)
							}
							got[j].Score = 0
						}
						if !reflect.DeepEqual(got, want[i]) {
							t.Errorf("%s: %q has the spans %v, want %v", tier, text, got, want[i])
						}
					}
				}
			}
			m := openModel(t, dir, &encoder.Options{Int8: true})
			if _, err := m.Tag(context.Background(), texts[0]); err != nil {
				t.Error(err)
			}
			if _, err := m.Embed(context.Background(), texts, encoder.Passage); !errors.Is(err, encoder.ErrTask) {
				t.Errorf("Embed of a model that tags: %v", err)
			}
			if _, err := m.Score(context.Background(), "a", texts); !errors.Is(err, encoder.ErrTask) {
				t.Errorf("Score of a model that tags: %v", err)
			}
		})
	}
	m := openModel(t, newMade(nil).write(t), nil)
	if _, err := m.Tag(context.Background(), "wa"); !errors.Is(err, encoder.ErrTask) || m.Types() != nil {
		t.Errorf("Tag of an encoder: %v, types %v", err, m.Types())
	}
}

// oraclePlain is oracleType for labels without parts.
func oraclePlain(tags []string, logits []float64) (kind, tag string, ahead float64) {
	best, second, total := 0, math.Inf(-1), 0.
	for i, l := range logits {
		total += math.Exp(l)
		if l > logits[best] {
			best = i
		}
	}
	for i, l := range logits {
		if i != best {
			second = max(second, l)
		}
	}
	return strings.TrimPrefix(tags[best], "O"), tags[best], (math.Exp(logits[best]) - math.Exp(second)) / total
}

// TestTagLong tags texts of many windows, and texts that are hardly any: the spans
// stand in order, do not overlap, and consist of whole words.
func TestTagLong(t *testing.T) {
	made := newMade(func(m *made) { m.tags, m.suffixes = bio, 10 })
	dir := made.write(t)
	for _, limit := range []int{4, 5, 17, 70} {
		m := openModel(t, dir, &encoder.Options{MaxTokens: limit})
		rng := rand.New(rand.NewPCG(6, uint64(limit)))
		text, _ := randomText(rng, made, 300)
		for _, text := range []string{
			"", " \n", "\xff\xfe", "漢字かな" + strings.Repeat("漢", 500), strings.Repeat("w", 3000), strings.Repeat("!", 999), "e\u0301\u0301 \u0301", text,
			strings.ReplaceAll(text, " ", ", "), strings.Repeat(text+"\n\n", 3),
		} {
			got, err := m.Tag(context.Background(), text)
			if err != nil {
				t.Fatalf("%.20q: %v", text, err)
			}
			at := 0
			for _, s := range got {
				if s.Start < at || s.End <= s.Start || s.End > len(text) || strings.TrimSpace(text[s.Start:s.End]) != text[s.Start:s.End] ||
					strings.Contains(text[s.Start:s.End], "\n\n") {
					t.Fatalf("%.20q: span %+v behind %d", text, s, at)
				}
				at = s.End
			}
			again, err := openModel(t, dir, &encoder.Options{MaxTokens: limit, Threads: 3}).Tag(context.Background(), text)
			if err != nil || !reflect.DeepEqual(got, again) {
				t.Fatalf("%.20q: other spans on three threads, %v", text, err)
			}
		}
		if len(text) < 1000 {
			t.Fatal("the text is short")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := openModel(t, dir, nil).Tag(ctx, "waa"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestTagTypes says which labels have parts.
func TestTagTypes(t *testing.T) {
	for _, c := range []struct{ tags, types string }{
		{"O B-PER I-PER", "PER"},
		{"I-LOC O I-PER", "LOC PER"},
		{"O E-MAIL B-PER", "MAIL PER"},
		{"O E-MAIL PHONE", "E-MAIL PHONE"},
		{"o NAME X", "NAME X"},
		{"O B- I-X", "B- I-X"},
	} {
		made := newMade(func(m *made) { m.tags = strings.Fields(c.tags) })
		if got := openModel(t, made.write(t), nil).Types(); strings.Join(got, " ") != c.types {
			t.Errorf("labels %s have the types %v, want %s", c.tags, got, c.types)
		}
	}
	same := func(m *made) { m.tags = bio }
	other := func(m *made) { m.tags = []string{"O", "B-PER", "I-PER", "B-ORG", "I-ORG"} }
	a, b := openModel(t, newMade(same).write(t), nil), openModel(t, newMade(other).write(t), nil)
	if a.Name() == b.Name() {
		t.Error("models with other labels have the same name")
	}
}

// TestWrongTaggers opens folders of models that tag words, with one thing wrong.
func TestWrongTaggers(t *testing.T) {
	labels := func(v any) func(map[string]any) { return func(c map[string]any) { c["id2label"] = v } }
	for name, c := range map[string]struct {
		config func(map[string]any)
		made   func(*made)
		want   string
	}{
		"no labels":     {func(c map[string]any) { delete(c, "id2label") }, nil, "names 0 labels in id2label, and tensor classifier.weight has 5"},
		"few labels":    {labels(map[string]string{"0": "O", "1": "B-PER"}), nil, "names 2 labels in id2label, and tensor classifier.weight has 5"},
		"list":          {labels(bio), nil, "config.json: "},
		"other numbers": {labels(map[string]string{"0": "O", "1": "A", "2": "B", "3": "C", "5": "D"}), nil, "no usable name of label 4"},
		"long label":    {labels(map[string]string{"0": "O", "1": strings.Repeat("A", 300), "2": "B", "3": "C", "4": "D"}), nil, "no usable name of label 1"},
		"only O":        {labels(map[string]string{"0": "O", "1": "o", "2": "O", "3": "", "4": "O"}), nil, "no label but O"},
		"no names":      {labels(map[string]string{"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2", "3": "LABEL_3", "4": "LABEL_4"}), nil, "calls its labels LABEL_0 and so on"},
		"no head":       {nil, func(m *made) { delete(m.tensors, "classifier.weight") }, "no tensor classifier.weight"},
		"no bias":       {nil, func(m *made) { delete(m.tensors, "classifier.bias") }, "no tensor classifier.bias"},
		"flat head":     {nil, func(m *made) { m.tensors["classifier.weight"] = tensor{[]int{5 * 64}, make([]float64, 5*64)} }, "has the shape [320]"},
		"other head":    {nil, func(m *made) { m.tensors["classifier.weight"] = tensor{[]int{5, 63}, make([]float64, 5*63)} }, "has the shape [5 63]"},
		"many labels": {nil, func(m *made) { m.tensors["classifier.weight"] = tensor{[]int{5000, 1}, make([]float64, 5000)} },
			"between 1 and 4096 labels"},
		"not a number": {nil, func(m *made) { m.tensors["classifier.weight"].v[7] = math.NaN() }, "infinite or none at all"},
		"huge":         {nil, func(m *made) { m.tensors["classifier.bias"].v[1], m.tensors["classifier.weight"].v[70] = 3e38, 3e38 }, "infinite numbers"},
		"no room":      {func(c map[string]any) { c["max_position_embeddings"] = 3 }, func(m *made) { m.positions = 3; m.draw() }, "no room for a text"},
	} {
		t.Run(name, func(t *testing.T) {
			made := newMade(func(m *made) { m.tags = bio })
			if c.made != nil {
				c.made(made)
			}
			config := made.config()
			if c.config != nil {
				c.config(config)
			}
			dir := made.write(t)
			writeJSON(t, dir, "config.json", config)
			x, err := encoder.Open(dir, nil)
			if err == nil {
				defer x.Close()
				for i := 0; i < 40 && err == nil; i++ {
					_, err = x.Tag(context.Background(), word(i))
				}
			}
			if !errors.Is(err, encoder.ErrModel) || !strings.Contains(fmt.Sprint(err), c.want) || strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
