package linearrag

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

// The golden corpus: four documents of one chunk each, and the cosine of each sentence,
// chunk and name with the question or the name in it.
const (
	metBrom   = "Ada Fenn met Brom Vale."
	sawCelia  = "Ada Fenn and Brom Vale saw Celia Moor."
	hiredDorn = "Brom Vale hired Dorn Hale."
	firedEdda = "Brom Vale fired Edda Lund."
	leftOrsk  = "Dorn Hale left Orsk."
	slept     = "Dorn Hale slept."
	rain      = "It rained all day, and nobody came."
	asked     = "What of Ada Fen?"
)

func goldenDocs() []ragtest.Doc {
	return []ragtest.Doc{
		{Key: "a.txt", Text: metBrom + " " + sawCelia},
		{Key: "b.txt", Text: hiredDorn + " " + firedEdda},
		{Key: "c.txt", Text: leftOrsk + " " + slept},
		{Key: "d.txt", Text: rain},
	}
}

// planted embeds texts by a table: the cosine of each with the question, or of a name
// with the one in the question.
type planted struct {
	llm.Embedder
	t *testing.T
}

func (p planted) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	question := map[string]float64{
		metBrom: .8, sawCelia: .6, hiredDorn: .7, firedEdda: .3, leftOrsk: .9, asked: 1,
		metBrom + " " + sawCelia: .6, hiredDorn + " " + firedEdda: .5, leftOrsk + " " + slept: .9, rain: .1,
	}
	names := map[string]float64{"ada fen": 1, "ada fenn": .9, "brom vale": .5, "celia moor": .2, "dorn hale": .1, "edda lund": .4, "orsk": .3}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = make([]float32, ragtest.Dim)
		if cos, ok := question[s]; ok {
			out[i][0], out[i][1] = float32(cos), float32(math.Sqrt(1-cos*cos))
		} else if cos, ok := names[s]; ok {
			out[i][2], out[i][3] = float32(cos), float32(math.Sqrt(1-cos*cos))
		} else {
			p.t.Errorf("%q is embedded", s)
		}
	}
	return out, llm.Usage{}, nil
}

// golden indexes the golden corpus.
func golden(t *testing.T) (*ragtest.Corpus, *rag.Models) {
	t.Helper()
	c := ragtest.Open(t, method.Methods{Name: Open}, rag.Encodings()...)
	c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
		e := planted{ragtest.Hashes{}, t}
		return c.NewModels(rag.Parts{Provider: local.New(local.Options{}), Documents: e, Questions: e, Free: true}), nil
	})
	c.Index(t, Name, goldenDocs()...)
	return c, c.OpenModels(t)
}

// scoresOf runs an operator and returns the scores of its nodes by key.
func scoresOf(t *testing.T, c *ragtest.Corpus, m *rag.Models, s *system, op query.Op) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		set, err := query.Run(t.Context(), c.Env(snap, m, method.Question{Text: asked}, nil), op)
		if err != nil {
			return err
		}
		for _, it := range set.Items {
			n, err := snap.Graph(s.g).Node(it.ID)
			if err != nil {
				return err
			}
			out[n.Key] = it.Score
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for key, x := range want {
		if math.Abs(got[key]-x) > 1e-3 { // vectors are stored in 16 bits
			t.Errorf("%s: %s has %.5f, want %.5f", what, key, got[key], x)
		}
	}
}

// systemWith returns the method with parameters as text.
func systemWith(t *testing.T, c *ragtest.Corpus, params string) *system {
	t.Helper()
	spec, err := method.ParseSpec(Name + params)
	if err != nil {
		t.Fatal(err)
	}
	p, r := parse(spec.Params)
	id, err := method.NewIdentity(t.Context(), c.Docs(), r, Name)
	if err != nil {
		t.Fatal(err)
	}
	return &system{Identity: id, p: p, c: c.Docs(), g: id.Graph()}
}

// TestActivation compares what each round activates with figures that were worked out
// by hand:
//
//	seed     ada fenn is nearest to "ada fen": .9
//	round 1  ada chooses "met" (.8 before .6), which gives .9 * .8 = .72 to ada and brom
//	round 2  of the other sentences ada chooses "saw" (.6), brom "hired" (.7 before .6
//	         and .3). "saw" has both of them, and gives (.72+.72) * .6 = .864 to ada,
//	         brom and celia; "hired" gives .72 * .7 = .504 to brom and dorn
//	         ada keeps .9, the greater; brom has .864 + .504 = 1.368
//	round 3  of what is left brom chooses "fired", which gives 1.368 * .3 = .4104 to
//	         brom and edda; dorn chooses "left", which gives .504 * .9 = .4536 to dorn
//	         and orsk
func TestActivation(t *testing.T) {
	t.Parallel()
	c, m := golden(t)
	for _, x := range []struct {
		params string
		want   map[string]float64
		first  []string // what becomes active, round by round
	}{
		{":rounds=0", map[string]float64{"ada fenn": .9}, []string{"ada fenn"}},
		{":rounds=1", map[string]float64{"ada fenn": .9, "brom vale": .72}, []string{"ada fenn", "brom vale"}},
		{"", map[string]float64{"ada fenn": .9, "brom vale": 1.368, "celia moor": .864, "dorn hale": .504},
			[]string{"ada fenn", "brom vale", "celia moor dorn hale"}},
		{":rounds=3", map[string]float64{"ada fenn": .9, "brom vale": 1.368, "celia moor": .864, "dorn hale": .504, "edda lund": .4104, "orsk": .4536},
			[]string{"ada fenn", "brom vale", "celia moor dorn hale", "edda lund orsk"}},
		// The threshold is on sums: dorn's .504 and what comes of it count for nothing.
		{":rounds=3,threshold=0.6", map[string]float64{"ada fenn": .9, "brom vale": 1.368, "celia moor": .864},
			[]string{"ada fenn", "brom vale", "celia moor", ""}},
		{":threshold=0.75", map[string]float64{"ada fenn": .9}, []string{"ada fenn", "", ""}},
		// An entity below the threshold chooses nothing, whatever its sentences would sum to.
		{":rounds=1,sentences=2,threshold=0.95", map[string]float64{"ada fenn": .9}, []string{"ada fenn", ""}},
		// With two sentences ada chooses "met" and "saw" at once: ada has .9*.8 + .9*.6.
		{":rounds=1,sentences=2", map[string]float64{"ada fenn": 1.26, "brom vale": 1.26, "celia moor": .54}, []string{"ada fenn", "brom vale celia moor"}},
		// Brom stands in four sentences, ada in two, dorn in two.
		{":hub=3", map[string]float64{"ada fenn": .9, "brom vale": .72, "celia moor": .432}, []string{"ada fenn", "brom vale", "celia moor"}},
	} {
		s := systemWith(t, c, x.params)
		model := m.QuestionSpace().Model
		a := s.activate(s.link([]string{"ada fen"}, model), asked, model)
		same(t, "active entities with "+x.params, scoresOf(t, c, m, s, a.all), x.want)
		for round, op := range a.first {
			keys := slices.Sorted(maps.Keys(scoresOf(t, c, m, s, op)))
			if got := strings.Join(keys, " "); got != x.first[round] {
				t.Errorf("%s, round %d: %q become active, want %q", x.params, round, got, x.first[round])
			}
		}
	}
}

// TestLink says that an entity which is nearest to two names has the likeness of the
// nearer one.
func TestLink(t *testing.T) {
	t.Parallel()
	c, m := golden(t)
	s := systemWith(t, c, "")
	got := scoresOf(t, c, m, s, s.link([]string{"ada fen", "ada fenn", "edda lund"}, m.QuestionSpace().Model))
	same(t, "linked", got, map[string]float64{"ada fenn": 1, "edda lund": 1})
}

// TestPersonalisation compares the seeds of chunks, and the whole ranking, with the
// formulas of docs/methods/linearrag.md. Likeness goes from 1 for the nearest chunk, c, to 0 for d.
func TestPersonalisation(t *testing.T) {
	t.Parallel()
	c, m := golden(t)
	const lambda, wp = 2, .05
	active := map[string]float64{"ada fenn": .9, "brom vale": 1.368, "celia moor": .864, "dorn hale": .504}
	level := map[string]float64{"ada fenn": 1, "brom vale": 2, "celia moor": 3, "dorn hale": 3}
	contains := map[string]map[string]float64{ // how often
		"a.txt#0": {"ada fenn": 2, "brom vale": 2, "celia moor": 1},
		"b.txt#0": {"brom vale": 2, "dorn hale": 1, "edda lund": 1},
		"c.txt#0": {"dorn hale": 2, "orsk": 1},
	}
	likeness := map[string]float64{"a.txt#0": .5 / .8, "b.txt#0": .4 / .8, "c.txt#0": 1, "d.txt#0": 0}
	seeds := map[string]float64{}
	for chunk, sim := range likeness {
		sum := 0.0
		for key, n := range contains[chunk] {
			sum += active[key] * math.Log(1+n) / max(1, level[key])
		}
		seeds[chunk] = wp * (lambda*sim + math.Log(1+sum))
	}
	s := systemWith(t, c, ":rank=vector")
	model, q := m.QuestionSpace().Model, method.Question{Text: asked}
	a := s.activate(s.link([]string{"ada fen"}, model), asked, model)
	same(t, "seeds", scoresOf(t, c, m, s, s.passages(s.near(m, q), a)), seeds)

	maps.Copy(seeds, active)
	want := pagerank(seeds, contains, .5, 200)
	ev := c.Evidence(t, Name+":rank=vector", q)
	got := map[string]float64{}
	order := ""
	for _, it := range ev.Items() {
		got[it.Keys[0]] = it.Score
		order += it.Keys[0][:1]
	}
	same(t, "ranking", got, map[string]float64{"a.txt#0": want["a.txt#0"], "b.txt#0": want["b.txt#0"], "c.txt#0": want["c.txt#0"]})
	if order != "abc" {
		t.Errorf("the order is %s", order)
	}
	// By likeness alone c is first, which shares no name with the question.
	if ev := c.Evidence(t, Name+":rank=vector,passages=1,lambda=100", q); ev.Items()[0].Keys[0] != "c.txt#0" {
		t.Errorf("with passages and lambda the first is %s", ev.Items()[0].Keys[0])
	}
}

// pagerank is personalised PageRank over chunks and what they contain, by its
// definition, after some steps.
func pagerank(start map[string]float64, contains map[string]map[string]float64, damping float64, steps int) map[string]float64 {
	sum := 0.0
	for _, x := range start {
		sum += x
	}
	next := map[string][]string{}
	for chunk, names := range contains {
		for name := range names {
			next[chunk], next[name] = append(next[chunk], name), append(next[name], chunk)
		}
	}
	p := map[string]float64{}
	for range steps {
		to := map[string]float64{}
		again := 1 - damping
		for node, x := range p {
			if len(next[node]) == 0 {
				again += damping * x
			}
			for _, other := range next[node] {
				to[other] += damping * x / float64(len(next[node]))
			}
		}
		if len(p) == 0 {
			again = 1
		}
		for node, x := range start {
			to[node] += again * x / sum
		}
		p = to
	}
	return p
}

// TestSteps says that a walk is as long as its damping wants.
func TestSteps(t *testing.T) {
	t.Parallel()
	for damping, want := range map[float64]int{0: 1, .1: 6, .5: 20, .85: 86, .99: 100} {
		if got := steps(damping); got != want {
			t.Errorf("damping %g: %d steps, want %d", damping, got, want)
		}
	}
	if got := fmt.Sprint(restart(.85)); got != "0.15" {
		t.Errorf("a walk with a damping of 0.85 begins again with %s", got)
	}
}
