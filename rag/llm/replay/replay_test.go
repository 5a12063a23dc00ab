package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// mill and ferry are two recorded passages of made-up towns.
func mill() replay.Passage {
	return replay.Passage{
		ID: "mill", Title: "Tarn Mill",
		Text: "The mill of Tarn was built in 1871 by Edda Brandt. She sold it to Per Lund after the flood. " +
			"Per Lund kept goats there. Edda Brandt moved to Selby. Tarn has a mill road named after Edda Brandt.",
		Entities: []string{"Edda Brandt", "Per Lund", "Tarn", "Kingdom of Norr", "1871"},
		Triples: []replay.Triple{
			{"Edda Brandt", "built", "mill of Tarn"},
			{"Edda Brandt", "sold the mill to", "Per Lund"},
			{"Per Lund", "kept", "goats"},
			{"Tarn", "lies in", "Kingdom of Norr"},
			{"goats", "graze in", "Selby"},
		},
	}
}

func ferry() replay.Passage {
	return replay.Passage{
		ID: "ferry", Title: "Selby Ferry",
		Text:     "A ferry crosses the river at Selby. It was painted by Per Lund, who lived on the far bank.",
		Entities: []string{"Selby", "Per Lund"},
		Triples:  []replay.Triple{{"Per Lund", "painted", "ferry"}},
	}
}

func recordings(t testing.TB, p ...replay.Passage) *replay.Recordings {
	t.Helper()
	r, err := replay.NewRecordings(p)
	check(t, err)
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	built = "The mill of Tarn was built in 1871 by Edda Brandt."
	sold  = "She sold it to Per Lund after the flood."
	goats = "Per Lund kept goats there."
	moved = "Edda Brandt moved to Selby."
	road  = "Tarn has a mill road named after Edda Brandt."
	cross = "A ferry crosses the river at Selby."
	paint = "It was painted by Per Lund, who lived on the far bank."
)

// TestMapping compares extractions with what the manual says, worked out by
// hand.
func TestMapping(t *testing.T) {
	t.Parallel()
	r := recordings(t, mill(), ferry())
	millEntities := []llm.Entity{
		{Name: "Edda Brandt", Description: built + " " + moved + " " + road},
		{Name: "Per Lund", Description: sold + " " + goats},
		{Name: "Tarn", Description: built + " " + road},
		{Name: "Kingdom of Norr"}, // stands nowhere in the text
		{Name: "1871", Description: built},
		{Name: "mill of Tarn", Description: built},
		{Name: "goats", Description: goats},
		{Name: "Selby", Description: moved},
	}
	millRelations := []llm.Relation{
		{Source: "Edda Brandt", Target: "mill of Tarn", Description: "Edda Brandt built mill of Tarn", Strength: 1, Sentence: built},
		{Source: "Edda Brandt", Target: "Per Lund", Description: "Edda Brandt sold the mill to Per Lund", Strength: 1},
		{Source: "Per Lund", Target: "goats", Description: "Per Lund kept goats", Strength: 1, Sentence: goats},
		{Source: "Tarn", Target: "Kingdom of Norr", Description: "Tarn lies in Kingdom of Norr", Strength: 1},
		{Source: "goats", Target: "Selby", Description: "goats graze in Selby", Strength: 1},
	}
	ferryEntities := []llm.Entity{
		{Name: "Selby", Description: cross}, {Name: "Per Lund", Description: paint}, {Name: "ferry", Description: cross},
	}
	ferryRelations := []llm.Relation{
		{Source: "Per Lund", Target: "ferry", Description: "Per Lund painted ferry", Strength: 1},
	}
	both := func() llm.Extraction {
		e := slices.Clone(millEntities)
		e[1].Description += " " + paint
		e[7].Description += " " + cross
		return llm.Extraction{
			Entities:  append(e, llm.Entity{Name: "ferry", Description: cross}),
			Relations: append(slices.Clone(millRelations), ferryRelations...),
		}
	}
	tests := []struct {
		name, text string
		want       llm.Extraction
	}{
		{"whole", mill().Text, llm.Extraction{Entities: millEntities, Relations: millRelations}},
		{"title before it", "Tarn Mill\n" + mill().Text, llm.Extraction{Entities: millEntities, Relations: millRelations}},
		{"white space", "  " + strings.ReplaceAll(strings.ReplaceAll(mill().Text, ". ", ".\n"), " by ", "\t by  "),
			llm.Extraction{Entities: millEntities, Relations: millRelations}},
		{"two passages", mill().Text + "\n" + ferry().Text, both()},
		{"two with titles and a gap", "Tarn Mill\n" + mill().Text + "\n[…]\nSelby Ferry\n" + ferry().Text, both()},
		{"a part", sold + " " + goats + " " + moved, llm.Extraction{
			Entities: []llm.Entity{
				{Name: "Edda Brandt", Description: moved},
				{Name: "Per Lund", Description: sold + " " + goats},
				{Name: "goats", Description: goats},
				{Name: "Selby", Description: moved},
			},
			Relations: []llm.Relation{millRelations[1], millRelations[2], millRelations[4]},
		}},
		{"a short part", moved, llm.Extraction{
			Entities: []llm.Entity{{Name: "Edda Brandt", Description: moved}}, Relations: []llm.Relation{},
		}},
		{"the beginning with the title", "Selby Ferry\n" + cross + " It was painted", llm.Extraction{
			Entities: []llm.Entity{{Name: "Selby", Description: cross}}, Relations: []llm.Relation{},
		}},
		{"an end and a beginning", "there. " + moved + " " + road + "\n" + cross + " It was", llm.Extraction{
			Entities: []llm.Entity{
				{Name: "Edda Brandt", Description: moved + " " + road},
				{Name: "Tarn", Description: road},
				{Name: "Selby", Description: moved + " " + cross},
			}, Relations: []llm.Relation{},
		}},
		{"one passage whole", ferry().Text, llm.Extraction{Entities: ferryEntities, Relations: ferryRelations}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := r.Extract(llm.ExtractInput{Text: tt.text})
			if !ok {
				t.Fatal("not recorded")
			}
			if !reflect.DeepEqual(got, tt.want) {
				g, _ := json.MarshalIndent(got, "", " ")
				w, _ := json.MarshalIndent(tt.want, "", " ")
				t.Errorf("got %s\nwant %s", g, w)
			}
		})
	}
}

// TestNotRecorded tells texts that are not recorded.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	r := recordings(t, mill(), ferry(), replay.Passage{ID: "bare", Title: "Empty", Text: " \n"})
	for name, text := range map[string]string{
		"empty":            "",
		"other words":      "The granary of Ravens was closed by Soren Moss in the year of the storm, and nobody has opened it since then.",
		"other case":       strings.ToLower(mill().Text),
		"a title alone":    "Tarn Mill",
		"mostly something": "It is said, and nobody who was there denies it, that on the day before the fair " + moved + " and then the whole town came to see what she had brought.",
		"one word amiss":   strings.Replace(moved, "Selby", "Selbyville", 1),
	} {
		if x, ok := r.Extract(llm.ExtractInput{Text: text}); ok {
			t.Errorf("%s: %v", name, x)
		}
	}
}

// TestSharedText has two passages that share words: the longest run counts, and
// of equal ones that of the document that is read.
func TestSharedText(t *testing.T) {
	t.Parallel()
	a, b := ferry(), ferry()
	a.Title, a.ID, a.Entities = "Old guide", "guide", []string{"river"}
	b.Triples = nil
	r := recordings(t, a, b)
	x, ok := r.Extract(llm.ExtractInput{Text: "Selby Ferry\n" + b.Text, Title: "Selby Ferry"})
	if !ok || len(x.Entities) != 2 || x.Entities[0].Name != "Selby" || len(x.Relations) != 0 {
		t.Errorf("the document's own: %v %v", ok, x)
	}
	if x, ok = r.Extract(llm.ExtractInput{Text: b.Text}); !ok || x.Entities[0].Name != "river" {
		t.Errorf("the first: %v %v", ok, x)
	}
	a.Text = cross
	r = recordings(t, a, b)
	if x, ok = r.Extract(llm.ExtractInput{Text: b.Text, Title: "Old guide"}); !ok || x.Entities[0].Name != "Selby" {
		t.Errorf("the longer: %v %v", ok, x)
	}
}

// TestFindsAll joins random passages in random order, cuts windows of them, and
// expects what a search by hand finds: each passage has words of its own.
func TestFindsAll(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	var all []replay.Passage
	for i := range 60 {
		n := 1 + rnd.IntN(40)
		words := make([]string, n)
		for j := range words {
			words[j] = []string{"the", "town", "of", "a", "mill", "and"}[rnd.IntN(6)]
			if rnd.IntN(3) == 0 {
				words[j] = fmt.Sprintf("Xa%dx%d", i, j)
			}
		}
		words[rnd.IntN(n)] = fmt.Sprintf("Own%d", i)
		p := replay.Passage{ID: fmt.Sprint(i), Title: fmt.Sprintf("Title %d", i), Text: strings.Join(words, " "), Entities: []string{fmt.Sprintf("Own%d", i), fmt.Sprintf("Hidden%d", i)}}
		for _, w := range words {
			if strings.HasPrefix(w, "Xa") {
				p.Entities = append(p.Entities, w)
			}
		}
		all = append(all, p)
	}
	r := recordings(t, all...)
	for range 300 {
		var texts []string
		want := map[string]bool{}
		for range 1 + rnd.IntN(6) {
			p := all[rnd.IntN(len(all))]
			for _, e := range p.Entities {
				want[e] = true
			}
			if rnd.IntN(2) == 0 {
				texts = append(texts, p.Title)
			}
			texts = append(texts, strings.ReplaceAll(p.Text, " ", []string{" ", "\n", "  "}[rnd.IntN(3)]))
		}
		whole := strings.Join(texts, "\n")
		x, _ := r.Extract(llm.ExtractInput{Text: whole})
		for _, e := range x.Entities {
			if !want[e.Name] {
				t.Fatalf("%s is not of %q", e.Name, whole)
			}
			delete(want, e.Name)
		}
		if len(want) > 0 {
			t.Fatalf("%v is missing of %q", want, whole)
		}
		p := all[rnd.IntN(len(all))]
		words := strings.Fields(p.Text)
		from := rnd.IntN(len(words))
		part := words[from : from+1+rnd.IntN(len(words)-from)]
		if !slices.ContainsFunc(part, func(w string) bool { return strings.HasPrefix(w, "Own") || strings.HasPrefix(w, "Xa") }) {
			continue // may be of any passage
		}
		x, ok := r.Extract(llm.ExtractInput{Text: strings.Join(part, " ")})
		if !ok {
			t.Fatalf("%q of %q is not recorded", part, p.Text)
		}
		got := map[string]bool{}
		for _, e := range x.Entities {
			got[e.Name] = true
		}
		for _, e := range p.Entities {
			if stands := slices.Contains(part, e) || len(part) == len(words); stands != got[e] {
				t.Fatalf("%s: %t in %q of %q", e, got[e], part, p.Text)
			}
		}
	}
}

// other answers everything with one text.
type other struct{ text string }

func (o other) Do(_ context.Context, t llm.Task) (r llm.Reply, u llm.Usage, err error) {
	if t.Stream != nil {
		err = t.Stream(o.text)
	}
	return llm.Reply{Text: o.text}, llm.Usage{Calls: 1}, err
}
func (other) Name() string        { return "other/1" }
func (other) Can(k llm.Kind) bool { return k != llm.Judge }

// TestProvider tells which tasks are served and which go on.
func TestProvider(t *testing.T) {
	t.Parallel()
	r := recordings(t, mill())
	in := llm.ExtractInput{Text: mill().Text, Title: "Tarn Mill"}
	unknown := llm.ExtractInput{Text: "Nobody has read this."}
	p := replay.New(r, other{"else"})
	ask := func(k llm.Kind, input any) (string, int, error) {
		r, u, err := p.Do(t.Context(), llm.Task{Kind: k, Input: input})
		return r.Text, u.Calls, err
	}
	text, calls, err := ask(llm.Extract, in)
	var x llm.Extraction
	if err != nil || calls != 0 || json.Unmarshal([]byte(text), &x) != nil || len(x.Relations) != 5 {
		t.Errorf("%q, %d calls, %v", text, calls, err)
	}
	if checked, err := llm.CheckReply(llm.Extract, text); err != nil || checked.Text != text {
		t.Errorf("the reply is not of the form: %v", err)
	}
	if text, calls, err := ask(llm.Glean, llm.GleanInput{ExtractInput: in}); err != nil || calls != 0 || text != `{"entities":[],"relations":[]}` {
		t.Errorf("glean: %q, %d, %v", text, calls, err)
	}
	for k, input := range map[llm.Kind]any{
		llm.Extract: unknown, llm.Glean: llm.GleanInput{ExtractInput: unknown}, llm.Answer: llm.AnswerInput{Question: "?"},
		llm.RepairRelation: llm.RepairInput{Text: in.Text},
	} {
		if text, calls, err := ask(k, input); err != nil || calls != 1 || text != "else" {
			t.Errorf("%s: %q, %d, %v", k, text, calls, err)
		}
	}
	if recorded, others := p.Read(); recorded != 1 || others != 1 {
		t.Errorf("%d recorded, %d others", recorded, others)
	}
	if !p.Can(llm.Extract) || !p.Can(llm.Answer) || p.Can(llm.Judge) {
		t.Error("kinds")
	}
	if !strings.HasPrefix(p.Name(), "other/1+replay/") {
		t.Error(p.Name())
	}
	changed := mill()
	changed.Triples = changed.Triples[1:]
	if replay.New(recordings(t, changed), other{}).Name() == p.Name() || replay.New(recordings(t, mill()), other{}).Name() != p.Name() {
		t.Error("the name is not that of the recordings")
	}
	said := ""
	if _, _, err := p.Do(t.Context(), llm.Task{Kind: llm.Answer, Stream: func(s string) error { said += s; return nil }}); err != nil || said != "else" {
		t.Errorf("%q, %v", said, err)
	}
	if _, _, err := ask(llm.Extract, "no input"); err == nil {
		t.Error("an input of another type")
	}

	p = replay.New(r, nil)
	if _, _, err := ask(llm.Extract, unknown); !errors.Is(err, replay.ErrNotRecorded) {
		t.Error(err)
	}
	if _, _, err := ask(llm.Answer, llm.AnswerInput{}); !errors.Is(err, llm.ErrKind) || p.Can(llm.Answer) {
		t.Error(err)
	}
}
