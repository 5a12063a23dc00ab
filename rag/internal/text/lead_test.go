package text_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// leadingDocument returns a document of random sections and the ends of its
// headings and questions. Those that end the document are left out.
func leadingDocument(rnd *rand.Rand) (s string, ends []int) {
	var b strings.Builder
	words := func(n int) string {
		list := strings.Fields("pump valve river winter market bridge letter garden mirror harbour copper island")
		var out []string
		for range n {
			out = append(out, list[rnd.IntN(len(list))])
		}
		return strings.Join(out, " ")
	}
	sentences := func(n int) string {
		var out []string
		for range n {
			out = append(out, "The "+words(3+rnd.IntN(20))+".")
		}
		return strings.Join(out, " ")
	}
	lead := func(line, below string) {
		b.WriteString(line)
		ends = append(ends, b.Len())
		b.WriteString(below)
	}
	for range 1 + rnd.IntN(12) {
		switch rnd.IntN(7) {
		case 0:
			lead("## The "+words(1+rnd.IntN(4)), "\n")
		case 1:
			lead("About "+words(1+rnd.IntN(4)), "\n\n")
		case 2:
			lead("How is the "+words(1+rnd.IntN(4))+"?", "\n")
		case 3:
			lead("Q: “Is the "+words(1+rnd.IntN(4))+" open?”", "\n\n")
		case 4:
			lead("水泵怎么用？", "\n")
		case 5:
			lead("## Part", "\n\n")
			lead("Of "+words(2), "\n\n")
		}
		switch rnd.IntN(4) {
		case 0:
			b.WriteString(strings.ReplaceAll(sentences(1+rnd.IntN(30)), " river", "\nriver"))
		case 1:
			b.WriteString("The " + words(200) + ".")
		case 2:
			for range 1 + rnd.IntN(6) {
				b.WriteString("- " + words(1+rnd.IntN(8)) + "\n")
			}
		default:
			b.WriteString(sentences(1 + rnd.IntN(4)))
		}
		b.WriteString("\n\n")
	}
	return b.String(), ends
}

// No chunk of any rule ends with a heading or with a question that an answer
// follows.
func TestChunksKeepLeads(t *testing.T) {
	for _, set := range []text.ChunkSet{
		{Size: 40}, {Size: 60}, {}, {Size: 400},
		{Size: 80, Overlap: 10, Rule: text.Window}, {Size: 120, Rule: text.Window},
		{Size: 300, Overlap: 50, Rule: text.Window, Sub: 80},
	} {
		t.Run(set.String(), func(t *testing.T) {
			for seed := range uint64(300) {
				s, ends := leadingDocument(rand.New(rand.NewPCG(seed, 7)))
				checkChunks(t, set, s)
				for _, ch := range chunksOf(t, set, s) {
					body := strings.TrimRight(s[ch.Start:ch.End], " \n")
					if end := ch.Start + len(body); slices.Contains(ends, end) {
						t.Fatalf("seed %d: a chunk of %q ends with a lead: %q", seed, s, body)
					}
				}
			}
		})
	}
}

func TestChunksOfAnswers(t *testing.T) {
	const faq = "Course - When does it start?\nOn 15 January at five. Put the date into your calendar.\n\n" +
		"Can I join later?\n\nYes, until the end of March.\nAsk for a key first.\n"
	var got []string
	for _, ch := range chunksOf(t, text.ChunkSet{Size: 24}, faq) {
		got = append(got, faq[ch.Start:ch.End])
	}
	want := []string{
		"Course - When does it start?\nOn 15 January at five. Put the date into your calendar.",
		"Can I join later?\n\nYes, until the end of March.\nAsk for a key first.",
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("chunks\n%q\nwant\n%q", got, want)
	}
}
