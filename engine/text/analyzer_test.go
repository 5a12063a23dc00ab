package text_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine/text"
)

func TestStandard(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []text.Term
	}{
		{"empty", "", nil},
		{"only stop words", "to be or not to be", nil},
		{"stems and positions", "The engines are storing graphs", []text.Term{{"engin", 1}, {"store", 3}, {"graph", 4}}},
		{"short words have no stem", "US as is gas", []text.Term{{"ga", 3}}},
		{"digits", "1960s Apollo 11", []text.Term{{"1960", 0}, {"apollo", 1}, {"11", 2}}},
		{"contraction", "don't panic", []text.Term{{"panic", 2}}},
		{"han", "数据库 引擎", []text.Term{{"数", 0}, {"数据", 0}, {"据", 1}, {"据库", 1}, {"库", 2}, {"引", 3}, {"引擎", 3}, {"擎", 4}}},
		{"pairs stop at other text", "库a库，库", []text.Term{{"库", 0}, {"库", 2}, {"库", 3}}},
		{"non-ascii words are not stemmed", "книги", []text.Term{{"книги", 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (text.Standard{}).Terms(c.in); !slices.Equal(got, c.want) {
				t.Errorf("Terms(%q) = %v, want %v", c.in, got, c.want)
			}
		})
	}
}

// The examples of Porter 1980, one for each step.
func TestStandardPorter(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "cats": "cat", "agreed": "agre",
		"plastered": "plaster", "motoring": "motor", "hopping": "hop",
		"falling": "fall", "filing": "file", "happy": "happi",
		"relational": "relat", "rational": "ration", "digitizer": "digit",
		"triplicate": "triplic", "hopefulness": "hope", "revival": "reviv",
		"adjustment": "adjust", "probate": "probat", "controlling": "control",
	} {
		got := (text.Standard{}).Terms(word)
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("Terms(%q) = %v, want %q", word, got, want)
		}
	}
}

func TestExact(t *testing.T) {
	got := (text.Exact{}).Terms("The University of Göttingen’s library")
	want := []text.Term{{"the", 0}, {"university", 1}, {"of", 2}, {"gottingen", 3}, {"library", 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIsStop(t *testing.T) {
	for word, want := range map[string]bool{
		"the": true, "throughout": true, "t": true, "graph": false, "": false,
		"The": false, "throughouts": false,
	} {
		if got := text.IsStop(word); got != want {
			t.Errorf("IsStop(%q) = %t", word, got)
		}
	}
}

func TestAnalyzersConcurrent(t *testing.T) {
	s := strings.Repeat("Storing graphs 数据 Göttingen's motors. ", 50)
	for _, a := range []text.Analyzer{text.Standard{}, text.Exact{}} {
		want := a.Terms(s)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if !slices.Equal(a.Terms(s), want) {
					t.Errorf("%s: other terms in another goroutine", a.Name())
				}
			})
		}
		wg.Wait()
	}
}

// A megabyte of hostile input gives a bounded number of terms. Work that grows
// with the square of the text would run into the test's time limit.
func TestTermsHostile(t *testing.T) {
	for name, s := range map[string]string{
		"one letter":  strings.Repeat("a", 1<<20),
		"apostrophes": strings.Repeat("'s", 1<<19),
		"marks":       "e" + strings.Repeat("\u0301", 1<<19),
		"not utf-8":   strings.Repeat("\xff", 1<<20),
		"blanks":      strings.Repeat(" ", 1<<20),
		"suffixes":    strings.Repeat("ational", 1<<17),
	} {
		t.Run(name, func(t *testing.T) {
			for _, a := range []text.Analyzer{text.Standard{}, text.Exact{}} {
				if n := len(a.Terms(s)); n > len(s)/2+1 {
					t.Errorf("%s: %d terms of %d bytes", a.Name(), n, len(s))
				}
			}
		})
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "storing 数据库 graphs", "\xff数\xfe", "ion's eed ing", "e\u0301d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := 0
		for range text.Words(s) {
			words++
		}
		if exact := (text.Exact{}).Terms(s); len(exact) != words {
			t.Fatalf("%q: %d exact terms of %d words", s, len(exact), words)
		}
		last := uint32(0)
		for _, term := range (text.Standard{}).Terms(s) {
			if term.Text == "" || term.Pos < last || int(term.Pos) >= words {
				t.Fatalf("%q: term %+v after position %d of %d", s, term, last, words)
			}
			last = term.Pos
		}
	})
}

func ExampleStandard() {
	for _, t := range (text.Standard{}).Terms("Where are the motors stored?") {
		fmt.Println(t.Text, t.Pos)
	}
	// Output:
	// motor 3
	// store 4
}

func BenchmarkTerms(b *testing.B) {
	english := strings.Repeat("The Journal of Mathematical Physics is a peer-reviewed journal published monthly by the American Institute of Physics. ", 512)
	chinese := strings.Repeat("游戏开始时矿车为损坏状态，无法搭乘，玩家可通过完成社区中心内的锅炉房收集包。", 512)
	for _, a := range []text.Analyzer{text.Standard{}, text.Exact{}} {
		for _, c := range []struct{ name, s string }{{"english", english}, {"chinese", chinese}} {
			b.Run(a.Name()+"/"+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(c.s)))
				b.ReportAllocs()
				for b.Loop() {
					a.Terms(c.s)
				}
			})
		}
	}
}
