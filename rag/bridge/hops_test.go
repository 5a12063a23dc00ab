package bridge_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/ragtest"
)

// hop is a question of two hops: the film's document names the person, and
// only the person's says where they were born.
type hop struct {
	question string
	film     string // the document found by the question's words
	person   string // the document that answers
}

// syllables make names that are no words.
var syllables = strings.Fields("ba do fe gu ka li mo na pe ru sa to ve wi xa zo")

// invent returns a name that nobody has yet.
func invent(r *rand.Rand, taken map[string]bool) string {
	for {
		var b strings.Builder
		for range 3 + r.IntN(2) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if s := b.String(); !taken[s] {
			taken[s] = true
			return strings.ToUpper(s[:1]) + s[1:]
		}
	}
}

// hops makes n films with their directors, a document each. All films'
// documents have the same words but for the names, and so have all persons';
// documents of others have more of the question's words, so that ordinary
// search prefers them.
func hops(seed uint64, n int) (docs []ragtest.Doc, questions []hop) {
	r := rand.New(rand.NewPCG(seed, 5))
	taken := map[string]bool{}
	add := func(kind string, i int, title, text string) string {
		key := fmt.Sprintf("%s%d.md", kind, i)
		docs = append(docs, ragtest.Doc{Key: key, Text: "---\nkind: " + kind + "\n---\n\n# " + title + "\n\n" + text + "\n"})
		return key
	}
	for i := range n {
		film := invent(r, taken) + " " + invent(r, taken)
		person := invent(r, taken) + " " + invent(r, taken)
		q := hop{question: "In which town was the director of the film " + film + " born?"}
		q.film = add("film", i, film,
			film+" is a silent drama which came to the screens in winter. It was made by "+person+" in a single week, and few have seen it since.")
		q.person = add("person", i, person,
			person+" came from "+invent(r, taken)+", where they were born above a bakery and learned to draw.")
		add("other", i, "The director "+invent(r, taken),
			"A director of plays, who lived in a town by the sea and kept bees.")
		questions = append(questions, q)
	}
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs, questions
}
