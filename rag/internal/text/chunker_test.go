package text_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/text"
)

func newChunker(tb testing.TB, set text.ChunkSet) *text.Chunker {
	tb.Helper()
	c, err := text.NewChunker(newTokenizer(tb), set)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func chunksOf(tb testing.TB, set text.ChunkSet, s string) []text.Chunk {
	tb.Helper()
	chunks, err := newChunker(tb, set).Chunks(tb.Context(), s)
	if err != nil {
		tb.Fatal(err)
	}
	return chunks
}

func TestChunkSet(t *testing.T) {
	for _, c := range []struct {
		set  text.ChunkSet
		want string
	}{
		{text.ChunkSet{}, "cl100k/300/0/paragraph"},
		{text.ChunkSet{Size: 300}, "cl100k/300/0/paragraph"},
		{text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window}, "cl100k/1200/100/window"},
		{text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}, "cl100k/1200/100/window/150"},
	} {
		if got := c.set.String(); got != c.want {
			t.Errorf("String of %+v = %.300q, want %.300q", c.set, got, c.want)
		}
		norm, err := c.set.Normal()
		if err != nil {
			t.Errorf("Normal of %s: %v", c.set, err)
		}
		if got, err := text.ParseChunkSet(c.want); err != nil || got != norm {
			t.Errorf("ParseChunkSet(%.300q) = %+v, %v; want %+v", c.want, got, err, norm)
		}
	}
}

func TestChunkSetInvalid(t *testing.T) {
	for _, set := range []text.ChunkSet{
		{Size: -1}, {Size: 7}, {Size: 1 << 21}, {Overlap: 10}, {Sub: 50}, {Rule: 9},
		{Rule: text.Window, Overlap: 300}, {Rule: text.Window, Overlap: -1}, {Rule: text.Window, Sub: 3},
	} {
		if _, err := text.NewChunker(newTokenizer(t), set); !errors.Is(err, text.ErrChunkSet) {
			t.Errorf("NewChunker with %+v: %v", set, err)
		}
	}
	for _, s := range []string{"", "cl100k", "cl100k/150/0", "cl100k/150/0/sentence", "o200k/150/0/paragraph",
		"cl100k/0150/0/paragraph", "cl100k/300/0/paragraph/0", "cl100k/150/x/window", "cl100k/7/0/window",
		"cl100k/99999999999999999999/0/window", "cl100k/1200/100/window/150/1"} {
		if got, err := text.ParseChunkSet(s); !errors.Is(err, text.ErrChunkSet) {
			t.Errorf("ParseChunkSet(%.300q) = %v, %v", s, got, err)
		}
	}
}

func FuzzParseChunkSet(f *testing.F) {
	for _, s := range []string{"", "cl100k/300/0/paragraph", "cl100k/1200/100/window/150"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if set, err := text.ParseChunkSet(s); err == nil && set.String() != s {
			t.Fatalf("%.300q is read as %s", s, set)
		}
	})
}

// words returns n different short words, each of one token with its blank.
func words(n int) string {
	list := []string{"time", "people", "water", "house", "world", "music", "paper", "light", "river", "table"}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(list[i%len(list)])
	}
	return b.String()
}

// In the tables a bar marks the border of two chunks.
func TestParagraphChunks(t *testing.T) {
	sentence := func(n int) string { return words(n-1) + "." }
	for _, c := range []struct{ name, marked string }{
		{"empty", ""},
		{"blank", " \n\n\t"},
		{"one word", "word"},
		{"space around", "  word \n"},
		{"short lines share a chunk", "Where is it?\nIn the river.\n\nAnd then:\n- one\n- two\n- three"},
		{"long lines do not", sentence(18) + "\n|" + sentence(19)},
		{"a short line joins", sentence(20) + "\n" + sentence(8) + "\n|" + sentence(22)},
		{"a short line that does not fit", sentence(36) + "\n|" + sentence(8) + "\n" + sentence(31)},
		{"one that fits exactly is whole", sentence(40) + "\n|" + sentence(40)},
		{"title stays with its text", "A title\n" + sentence(30) + "\n|" + sentence(20)},
		{"title is kept though the text is cut", "A title\n" + sentence(20) + " |" + sentence(20)},
		{"heading opens a chunk", sentence(10) + "\n\n|## Part\n" + sentence(10) + "\n\n|# Next\n\n## More\n" + sentence(10)},
		{"comment is no heading", "Run this.\nls\n# list\ncd"},
		{"heading at the end", sentence(12) + "\n\n|## End"},
		{"cut at sentences in equal parts", sentence(20) + " " + sentence(10) + " |" + sentence(15) + " " + sentence(15)},
		{"three parts", sentence(30) + " |" + sentence(30) + " |" + sentence(30)},
		{"long sentence", words(25) + " |" + words(25)},
		{"short sentence before a long one", sentence(5) + " " + words(26) + " |" + strings.TrimSpace(strings.TrimPrefix(words(56), words(26)))},
		{"long word", strings.Repeat("數", 16) + "|" + strings.Repeat("數", 16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := strings.ReplaceAll(c.marked, "|", "")
			var want []string
			for part := range strings.SplitSeq(c.marked, "|") {
				if part = strings.TrimSpace(part); part != "" {
					want = append(want, part)
				}
			}
			var got []string
			for _, ch := range chunksOf(t, text.ChunkSet{Size: 40}, s) {
				got = append(got, s[ch.Start:ch.End])
			}
			if !slices.Equal(got, want) {
				t.Errorf("chunks of %.300q\n got %.300q\nwant %.300q", s, got, want)
			}
		})
	}
}

// checkChunks asserts what Chunks promises for both rules.
func checkChunks(t *testing.T, set text.ChunkSet, s string) {
	t.Helper()
	tok := newTokenizer(t)
	chunks := chunksOf(t, set, s)
	var spans []text.Span
	at := 0
	for i, c := range chunks {
		if c.Start < 0 || c.End <= c.Start || c.End > len(s) {
			t.Fatalf("%s %.300q: chunk %+v", set, s, c)
		}
		part := s[c.Start:c.End]
		if n := tok.Count(part); c.Tokens != n {
			t.Fatalf("%s %.300q: chunk %+v has %d tokens", set, s, c, n)
		}
		if strings.TrimSpace(part) == "" || utf8.ValidString(s) && !utf8.ValidString(part) {
			t.Fatalf("%s %.300q: chunk %.300q", set, s, part)
		}
		if set.Rule == text.Paragraph {
			if norm, _ := set.Normal(); c.Tokens > norm.Size || c.Parent != i {
				t.Fatalf("%s %.300q: chunk %d is %+v", set, s, i, c)
			}
			spans = append(spans, text.Span{Start: c.Start, End: c.End})
		}
		if i > 0 && (c.Start <= chunks[i-1].Start && c.Parent == chunks[i-1].Parent || c.Parent < chunks[i-1].Parent) {
			t.Fatalf("%s %.300q: chunk %+v after %+v", set, s, c, chunks[i-1])
		}
		if c.Start > at && strings.TrimSpace(s[at:c.Start]) != "" {
			t.Fatalf("%s %.300q: %.300q is in no chunk", set, s, s[at:c.Start])
		}
		at = max(at, c.End)
	}
	if strings.TrimSpace(s[at:]) != "" {
		t.Fatalf("%s %.300q: %.300q is in no chunk", set, s, s[at:])
	}
	if set.Rule == text.Paragraph {
		checkSpans(t, s, spans)
	}
}

var chunkSets = []text.ChunkSet{
	{}, {Size: 8}, {Size: 40},
	{Size: 8, Rule: text.Window},
	{Size: 30, Overlap: 10, Rule: text.Window},
	{Size: 60, Overlap: 20, Rule: text.Window, Sub: 8},
}

func TestChunksRandom(t *testing.T) {
	for seed := range uint64(300) {
		s := randomText(rand.New(rand.NewPCG(seed, 2)))
		for _, set := range chunkSets {
			checkChunks(t, set, s)
		}
	}
}

// Windows of plain ASCII words are what slicing the token list gives.
func TestWindowsModel(t *testing.T) {
	s := words(1000)
	ends := newTokenizer(t).Ends(s)
	for _, set := range []text.ChunkSet{
		{Size: 100, Rule: text.Window}, {Size: 100, Overlap: 20, Rule: text.Window}, {Size: 999, Overlap: 998, Rule: text.Window},
	} {
		var want []text.Chunk
		for first := 0; first < len(ends); first += set.Size - set.Overlap {
			start, last := 0, min(first+set.Size, len(ends))
			if first > 0 {
				start = ends[first-1]
			}
			want = append(want, text.Chunk{Start: start, End: ends[last-1], Tokens: last - first, Parent: len(want)})
		}
		if got := chunksOf(t, set, s); !slices.Equal(got, want) {
			t.Errorf("%s: %d chunks, want %d", set, len(got), len(want))
		}
	}
}

// A paragraph that fits is in one chunk.
func TestParagraphsWhole(t *testing.T) {
	const seed = 5
	rnd := rand.New(rand.NewPCG(seed, seed))
	tok := newTokenizer(t)
	for range 200 {
		var lines []string
		for range 1 + rnd.IntN(30) {
			lines = append(lines, "X "+words(1+rnd.IntN(60))+".")
		}
		s := strings.Join(lines, "\n")
		chunks := chunksOf(t, text.ChunkSet{Size: 50}, s)
		at := 0
		for _, line := range lines {
			whole := slices.ContainsFunc(chunks, func(c text.Chunk) bool { return c.Start <= at && c.End >= at+len(line) })
			if fits := tok.Count(line) <= 50; whole != fits {
				t.Fatalf("line of %d tokens: whole %t", tok.Count(line), whole)
			}
			at += len(line) + 1
		}
	}
}

// The numbers of the KET-RAG paper's own corpus and windows.
func TestChunksMusique(t *testing.T) {
	s := musique(t)
	set := text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window}
	if got := len(chunksOf(t, set, s)); got != 684 {
		t.Errorf("%s: %d chunks, want 684", set, got)
	}
	set.Sub = 150
	subs, tokens := chunksOf(t, set, s), 0
	for _, c := range subs {
		tokens += c.Tokens
	}
	// Slicing gives 5,468: once a heading moves to the text below it.
	if len(subs) != 5469 || tokens != 820_084 || subs[len(subs)-1].Parent != 683 {
		t.Errorf("%s: %d chunks of %d tokens, want 5469 of 820084", set, len(subs), tokens)
	}
}

func TestChunksHostile(t *testing.T) {
	for name, s := range hostile() {
		t.Run(name, func(t *testing.T) {
			s = s[:len(s)/10]
			for _, set := range []text.ChunkSet{{}, {Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}} {
				checkChunks(t, set, s)
			}
		})
	}
}

func TestChunksCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, set := range []text.ChunkSet{{}, {Rule: text.Window}} {
		if _, err := newChunker(t, set).Chunks(ctx, strings.Repeat("word\n", 100_000)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

func FuzzChunks(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomText(rand.New(rand.NewPCG(seed, 2))))
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<14 {
			return
		}
		for _, set := range chunkSets {
			checkChunks(t, set, s)
		}
	})
}

func ExampleChunker() {
	tok := text.NewCL100K()
	chunker, err := text.NewChunker(tok, text.ChunkSet{Size: 15})
	if err != nil {
		panic(err)
	}
	doc := "Where is it?\nIn the river.\n\nA river is a natural stream of fresh water. It flows to the sea, or to a lake."
	chunks, err := chunker.Chunks(context.Background(), doc)
	if err != nil {
		panic(err)
	}
	for _, c := range chunks {
		fmt.Printf("%d %q\n", c.Tokens, doc[c.Start:c.End])
	}
	// Output:
	// 8 "Where is it?\nIn the river."
	// 10 "A river is a natural stream of fresh water."
	// 11 "It flows to the sea, or to a lake."
}

func BenchmarkChunks(b *testing.B) {
	s := musique(b)
	for _, set := range []text.ChunkSet{{}, {Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}} {
		b.Run(strings.ReplaceAll(set.String(), "/", "-"), func(b *testing.B) {
			c := newChunker(b, set)
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				if _, err := c.Chunks(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestChunksBeginAtHeadings: a chunk begins where the format tells a heading, headings in
// a row and what follows them stay together, and a place within a paragraph is none.
func TestChunksBeginAtHeadings(t *testing.T) {
	s := "Guide\n\nInstall\n\nPut it there.\n\nUse it\n\nFirst steps\n\nCall it. Look.\n\nMore of it."
	var parts []text.Part
	for _, h := range []string{"Install", "Use it", "First steps", "Look"} {
		parts = append(parts, text.Part{Start: strings.Index(s, h), Kind: text.Heading})
	}
	c := newChunker(t, text.ChunkSet{})
	chunks, err := c.Chunks(t.Context(), s, parts...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ch := range chunks {
		got = append(got, s[ch.Start:ch.End])
	}
	want := []string{"Guide\n\nInstall\n\nPut it there.", "Use it\n\nFirst steps\n\nCall it. Look.\n\nMore of it."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if whole, err := c.Chunks(t.Context(), s); err != nil || len(whole) != 1 {
		t.Errorf("without headings: %v, %v", whole, err)
	}
}

// TestChunksOfParts: a table or code that fits a chunk is whole, a longer one is cut between
// lines, with what announces it before its first line; its lines are neither headings nor joined.
func TestChunksOfParts(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("option%02d | It tells. Then it ends", i) }
	table := func(n int) string {
		lines := []string{"Name | Meaning"}
		for i := range n {
			lines = append(lines, row(i))
		}
		return strings.Join(lines, "\n")
	}
	prose := strings.Repeat("What is told here fills a line of prose. ", 5)
	c := newChunker(t, text.ChunkSet{Size: 100})
	for _, rows := range []int{7, 40} {
		s := "# a comment\nkey: 1\n\n# another\n\n" + prose + "\n\nThe options are:\n\n" + table(rows) + "\n\n" + prose
		parts := []text.Part{{0, text.Code}, {strings.Index(s, "What"), text.Prose}, {strings.Index(s, "Name |"), text.Table}, {strings.LastIndex(s, "What is told here fills a line of prose. What") - 4*41, text.Prose}}
		parts[3].Start = len(s) - len(prose)
		chunks, err := c.Chunks(t.Context(), s, parts...)
		if err != nil {
			t.Fatal(err)
		}
		whole := false
		for _, ch := range chunks {
			got := s[ch.Start:ch.End]
			whole = whole || strings.Contains(got, table(rows))
			if i := strings.Index(got, "option"); i > 0 && !strings.HasPrefix(got, "The options are:\n\nName | Meaning\noption00") {
				t.Errorf("%d rows: a chunk begins within a row, or its table without what announces it: %q", rows, got)
			}
			if strings.Contains(got, "key: 1") && !strings.HasPrefix(got, "# a comment\nkey: 1\n\n# another") {
				t.Errorf("code was cut: %q", got)
			}
			if ch.Tokens > 100 {
				t.Errorf("%d tokens: %q", ch.Tokens, got)
			}
		}
		if whole != (rows == 7) {
			t.Errorf("%d rows are whole: %v", rows, whole)
		}
	}
}

// TestTermsStayWithDescriptions: what hangs from a line is not parted from it, whatever the
// size of a chunk.
func TestTermsStayWithDescriptions(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "-%c\n--option%d=N.\n  %s\n\n", 'a'+i%26, i, strings.Repeat("It tells what to do of all. ", 1+i%7))
	}
	s := b.String()
	for size := 80; size < 200; size += 20 {
		chunks, err := newChunker(t, text.ChunkSet{Size: size}).Chunks(t.Context(), s)
		if err != nil || len(chunks) < 10 {
			t.Fatal(len(chunks), err)
		}
		for _, ch := range chunks {
			if got := s[ch.Start:ch.End]; strings.HasSuffix(got, "=N.") || strings.HasPrefix(got, "It tells") {
				t.Errorf("size %d: a term and its description are parted: %q", size, got)
			}
		}
	}
}
