package text_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
)

func TestKey(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"...":                      "",
		"The Beatles":              "beatles",
		"the":                      "the",
		"A":                        "a",
		"A. J. Foyt":               "a j foyt",
		"Göttingen's":              "gottingen",
		"Jean-Luc  Godard":         "jean luc godard",
		"U.S.":                     "u s",
		"“O'Brien & Sons, Inc.”":   "o brien sons inc",
		"星露谷":                      "星 露 谷",
		strings.Repeat("the ", 3):  "the the",
		"An American\nin\tParis":   "american in paris",
		"1924 Summer Olympics (1)": "1924 summer olympics 1",
	} {
		if got := text.Key(in); got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}

// corpusStats gives the words of the tables their usual case.
func corpusStats() *text.CaseStats {
	var stats text.CaseStats
	stats.Add("We saw the river and a new house. It was later seen in the music of winter. " +
		"He met the director and some researchers. Then, however, the club may march.")
	return &stats
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string // kind:surface
	}{
		{"empty", "", nil},
		{"no names", "the river is long.", nil},
		{"plain", "He met Carl Rogers in Paris.", []string{"name:Carl Rogers", "name:Paris"}},
		{"start of a sentence", "River music is old. Paris is older. Winter came.", []string{"name:Paris"}},
		{"start with another capital", "Director Carl Rogers left.", []string{"name:Director Carl Rogers"}},
		{"ordinary word in capitals", "It is the House of music.", nil},
		{"stop words at the ends", "In The Hague he met The Who.", []string{"name:Hague"}},
		{"roman number", "The king Francis I died.", []string{"name:Francis I"}},
		{"joined", "The University of Göttingen, Leonardo da Vinci and the Lord of the Rings.",
			[]string{"name:University of Göttingen", "name:Leonardo da Vinci", "name:Lord of the Rings"}},
		{"not joined", "Both Paris and London in France for Anna of old.",
			[]string{"name:Paris", "name:London", "name:France", "name:Anna"}},
		{"ampersand", "He joined Smith & Sons and AT&T.", []string{"name:Smith & Sons", "name:AT&T"}},
		{"punctuation ends a run", "In Paris, France (Europe): Anna", []string{"name:Paris", "name:France", "name:Europe", "name:Anna"}},
		{"possessive ends a run", "Near London's Heathrow Airport.", []string{"name:London", "name:Heathrow Airport"}},
		{"abbreviations", "Then Dr. J. K. Rowling met the U.S. Army of Apple Inc. Staff.",
			[]string{"name:Dr. J. K. Rowling", "name:U.S. Army of Apple Inc. Staff"}},
		{"hyphens and apostrophes", "By Jean-Luc Godard and Conan O’Brien.", []string{"name:Jean-Luc Godard", "name:Conan O’Brien"}},
		{"numbers behind", "On Apollo 11 and Route 66.", []string{"name:Apollo 11", "name:Route 66"}},
		{"year before", "The 1924 Summer Olympics and a 2004 American film.",
			[]string{"name:1924 Summer Olympics", "date:2004", "name:American"}},
		{"dates", "On 16 June 1957, June 16th, 1957, June 1957, 16 June, in 1957, the 1950s and the 20th century.",
			[]string{"date:16 June 1957", "date:June 16th, 1957", "date:June 1957", "date:16 June", "date:1957", "date:1950s", "date:20th century"}},
		{"date at the start", "On January 1, 1899, he left. May 3 came.", []string{"date:January 1, 1899", "date:May 3"}},
		{"date behind a name", "He saw Anna 13 April 1912.", []string{"name:Anna", "date:13 April 1912"}},
		{"no date", "He had 1957.5 of 12345 and 0 June.", []string{"name:June"}},
		{"quotes", "She sang “Angel of the morning” and ``Go Home'' and \"no song\".",
			[]string{"quote:Angel of the morning", "name:Angel", "quote:Go Home"}},
		{"long quote", "He said “That is what we saw in the river when it was new”.", nil},
		{"single letter", "It lacks vitamin C today.", nil},
		{"headline", "They saw " + strings.Repeat("Big ", 11) + "now.", nil},
		{"title", "The Film Journal of Europe\nIt is new.", []string{"name:The Film Journal of Europe", "name:Film Journal of Europe"}},
		{"title in han", "矿车\n它很快。《红楼梦》很长。", []string{"name:矿车", "quote:红楼梦"}},
		{"greek", "Ο Οδυσσέας στην Ιθάκη.", []string{"name:Ο Οδυσσέας", "name:Ιθάκη"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, n := range text.Names(c.in, corpusStats()) {
				got = append(got, []string{"name", "date", "quote", "term"}[n.Kind]+":"+n.Surface)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("Names(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// checkNames asserts what Names and Terms promise of any text.
func checkNames(t *testing.T, s string, stats *text.CaseStats) {
	t.Helper()
	sentences := text.Sentences(s)
	names := text.Names(s, stats)
	for _, list := range [][]text.Name{names, text.Terms(s, names)} {
		var last text.Name
		for i, n := range list {
			switch {
			case n.Start < 0 || n.End <= n.Start || n.End > len(s) || s[n.Start:n.End] != n.Surface:
				t.Fatalf("%q: span of %+v", s, n)
			case n.Key == "" || n.Key != text.Key(n.Surface):
				t.Fatalf("%q: key of %+v", s, n)
			case i > 0 && (n.Start < last.Start || n.Start == last.Start && n.End >= last.End):
				t.Fatalf("%q: %+v after %+v", s, n, last)
			case n.Sentence >= len(sentences) || n.Start < sentences[n.Sentence].Start || n.End > sentences[n.Sentence].End:
				t.Fatalf("%q: sentence of %+v", s, n)
			}
			last = n
		}
	}
}

func TestNamesRandom(t *testing.T) {
	for seed := range uint64(2000) {
		s := randomText(rand.New(rand.NewPCG(seed, 3)))
		checkNames(t, s, corpusStats())
	}
}

func TestNamesHostile(t *testing.T) {
	for name, s := range hostile() {
		t.Run(name, func(t *testing.T) {
			s := s[:len(s)/4]
			var stats text.CaseStats
			stats.Add(s)
			checkNames(t, s, &stats)
			text.MatchNames(s, func(string) bool { return false })
		})
	}
}

func FuzzNames(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomText(rand.New(rand.NewPCG(seed, 3))))
	}
	f.Fuzz(func(t *testing.T, s string) {
		var stats text.CaseStats
		stats.Add(s)
		checkNames(t, s, &stats)
		stats.Remove(s)
		if stats.Len() != 0 {
			t.Fatalf("%q: %d words left", s, stats.Len())
		}
	})
}

func TestTerms(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"runs", "This is solar energy from a renewable power source.", []string{"solar energy", "renewable power source"}},
		{"long run", "the very old wooden river boat house", []string{"river boat house"}},
		{"adverbs and generic words", "It is highly efficient and uses various river boats.", []string{"river boats"}},
		{"punctuation and numbers", "wind, water 3 light (music)", []string{"wind", "water", "light", "music"}},
		{"names part runs", "the king Francis ruled", []string{"king"}},
		{"verbs and adverbs", "He knew the widow, who looked at him coldly and cried. They don't return. He felt like a widow.", []string{"widow", "widow"}},
		{"verbs that are nouns", "They change the climate change, and a change of the wind damages it. She will support customer support.", []string{"climate change", "change", "wind", "customer support"}},
		{"any topic", "Individuals have a sense of power, and an important role in society. The power source is a risk factor.", []string{"power source", "risk factor"}},
		{"possessive", "the king's horse", []string{"king", "horse"}},
		{"ordinary word at the start", "Music lessons are new. Solar energy is not.", []string{"Music lessons", "energy"}},
		{"capitals inside", "modern Music lessons", []string{"lessons"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, n := range text.Terms(c.in, text.Names(c.in, corpusStats())) {
				got = append(got, n.Surface)
				if n.Kind != text.Common {
					t.Errorf("kind of %+v", n)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("Terms(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestMatchNames(t *testing.T) {
	known := map[string]bool{"carl rogers": true, "rogers": true, "university of gottingen": true,
		"beatles": true, "who": true, "wie": true, "das": true, "1957": true, "星 露 谷": true}
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"", nil},
		{"Who is it?", nil},
		{"When did carl Rogers meet Rogers' wife?", []string{"carl rogers", "rogers"}},
		{"Was the University of Göttingen’s library or the Beatles first?", []string{"university of gottingen", "beatles"}},
		{"Rogers, Rogers and Rogers in 1957", []string{"rogers", "1957"}},
		{"星露谷在哪里？", []string{"星 露 谷"}},
		{"Wie ist das mit den Beatles, und wer sind sie?", []string{"beatles"}}, // wie and das open lines of texts
	} {
		if got := text.MatchNames(c.question, func(k string) bool { return known[k] }); !slices.Equal(got, c.want) {
			t.Errorf("MatchNames(%q) = %q, want %q", c.question, got, c.want)
		}
	}
}

// A namesScore compares names with entities that GPT-3.5 found.
type namesScore struct {
	precision, recall         float64 // of equal keys, per passage
	softPrecision, softRecall float64 // one key may hold the other, at word borders
}

func (s namesScore) f() float64 {
	return 2 * s.precision * s.recall / (s.precision + s.recall)
}

func scoreNames(tb testing.TB) namesScore {
	tb.Helper()
	type extraction struct {
		PassageID string `json:"passage_id"`
		Entities  []string
	}
	gold := map[string]map[string]bool{}
	for _, e := range evaldata.Lines[extraction](tb, "hippo_musique/openie.jsonl.gz") {
		gold[e.PassageID] = map[string]bool{}
		for _, s := range e.Entities {
			gold[e.PassageID][text.Key(s)] = true
		}
	}
	records := evaldata.Lines[record](tb, "hippo_musique/corpus.jsonl.gz")
	var stats text.CaseStats
	for _, r := range records {
		stats.Add(r.full())
	}
	share := func(of, in map[string]bool) (equal, soft int) {
		for a := range of {
			if in[a] {
				equal++
			}
			for b := range in {
				if strings.Contains(" "+a+" ", " "+b+" ") || strings.Contains(" "+b+" ", " "+a+" ") {
					soft++
					break
				}
			}
		}
		return equal, soft
	}
	var hit, softFound, softGold, found, want int
	for _, r := range records {
		keys := map[string]bool{}
		for _, n := range text.Names(r.full(), &stats) {
			keys[n.Key] = true
		}
		equal, soft := share(keys, gold[r.ID])
		hit += equal
		softFound += soft
		_, soft = share(gold[r.ID], keys)
		softGold += soft
		found += len(keys)
		want += len(gold[r.ID])
	}
	return namesScore{
		precision: float64(hit) / float64(found), recall: float64(hit) / float64(want),
		softPrecision: float64(softFound) / float64(found), softRecall: float64(softGold) / float64(want),
	}
}

func TestNamesMusique(t *testing.T) {
	s := scoreNames(t)
	t.Logf("P %.3f R %.3f F %.3f; soft P %.3f R %.3f", s.precision, s.recall, s.f(), s.softPrecision, s.softRecall)
	if s.f() < .73 || s.softRecall < .92 {
		t.Errorf("F %.3f, want at least .73; soft recall %.3f, want at least .92", s.f(), s.softRecall)
	}
}

func ExampleNames() {
	doc := "Music was composed by Ennio Morricone in 1966."
	var stats text.CaseStats // of the whole corpus, in earnest
	stats.Add("They like music.")
	for _, n := range text.Names(doc, &stats) {
		fmt.Println(n.Key, n.Kind == text.Date)
	}
	// Output:
	// ennio morricone false
	// 1966 true
}

func BenchmarkNames(b *testing.B) {
	records := evaldata.Lines[record](b, "hippo_musique/corpus.jsonl.gz")
	score := scoreNames(b)
	var stats text.CaseStats
	size := 0
	for _, r := range records {
		stats.Add(r.full())
		size += len(r.full())
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, r := range records {
			text.Names(r.full(), &stats)
		}
	}
	b.ReportMetric(score.f(), "F")
	b.ReportMetric(score.softRecall, "softR")
}

func BenchmarkTerms(b *testing.B) {
	records := evaldata.Lines[record](b, "mine_essays/corpus.jsonl.gz")
	size := 0
	for _, r := range records {
		size += len(r.full())
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, r := range records {
			text.Terms(r.full(), nil)
		}
	}
}
