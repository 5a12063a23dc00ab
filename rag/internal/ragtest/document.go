package ragtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/fstest"
)

// Doc is a fictional document.
type Doc struct {
	Key, Text string
	// Code begins words that no other document has; it stands in key, title,
	// text, names and metadata.
	Code string
	// Team and Year are the document's metadata.
	Team string
	Year int
	// Hero and Place are names that only this document gives.
	Hero, Place string
}

var (
	firstNames = strings.Fields("Ada Brom Celia Dorn Edda Falk Greta Hesper Ilse Jonas Kestrel Lorne Marit Nils Ottilie Per Quill Rana Soren Tove")
	lastNames  = strings.Fields("Fenn Vane Morrow Brandt Ebb Sole Kerr Lund Moss Norr Oake Pell Rook Strand Thorne Ulm Wick Yarrow")
	towns      = strings.Fields("Karrow Skarholm Lantern Merrick Norvale Ostrava Penwith Quarrow Ravens Selby Tarn Uldale")
	things     = strings.Fields("lighthouse observatory harbour archive foundry ferry telescope granary bridge library mill signal")
	deeds      = strings.Fields("repaired measured painted surveyed closed opened described sold inherited lost copied designed")
	habits     = strings.Fields("carefully slowly twice quietly often rarely gladly")
)

// Docs returns n documents that share people, towns and things. Some stand in
// folders; about one in five is long enough for several chunks.
func Docs(seed uint64, n int) []Doc {
	out := make([]Doc, n)
	for i := range out {
		out[i] = Document(seed, i, 0)
	}
	return out
}

// Document returns the i-th document of a seed in one of its versions: the key
// is the same for all of them, the text is not.
func Document(seed uint64, i, version int) Doc {
	r := rand.New(rand.NewPCG(seed, uint64(i)<<16|uint64(version)))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	code := fmt.Sprintf("xq%c%c%cq", 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
	d := Doc{
		Key: fmt.Sprintf("%s/%s.md", []string{"north", "south", "west"}[i%3], code), Code: code,
		Team: "team-" + code, Year: 1800 + r.IntN(100),
		Hero: title(code) + "ar " + pick(lastNames), Place: title(code) + "holm",
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nteam: %s\nyear: %d\n---\n\n# The %s of %s\n\n", d.Team, d.Year, pick(things), d.Place)
	name := func() string { return pick(firstNames) + " " + pick(lastNames) }
	paragraphs := 1 + r.IntN(2)
	if r.IntN(5) == 0 {
		paragraphs = 4 + r.IntN(6)
	}
	for p := range paragraphs {
		for s := range 3 + r.IntN(3) {
			switch r.IntN(5) {
			case 0:
				fmt.Fprintf(&b, "In %s the %s at %s was %s by %s. ", pick(towns), pick(things), pick(towns), pick(deeds), name())
			case 1:
				fmt.Fprintf(&b, "Then %s met %s in %s and they %s the %s. ", name(), name(), pick(towns), pick(deeds), pick(things))
			case 2:
				fmt.Fprintf(&b, "The %s was %s %s, as %s of %s wrote. ", pick(things), pick(habits), pick(deeds), name(), pick(towns))
			case 3:
				fmt.Fprintf(&b, "By %d the town of %s had a %s and %d boats. ", 1800+r.IntN(100), pick(towns), pick(things), 2+r.IntN(40))
			default:
				fmt.Fprintf(&b, "People say that %s %s %s the %s near %s. ", name(), pick(habits), pick(deeds), pick(things), pick(towns))
			}
			if p == 0 && s == 0 {
				fmt.Fprintf(&b, "It was %s who %s the %sium of %s, and %s knew %s. ",
					d.Hero, pick(deeds), code, d.Place, d.Hero, name())
			}
		}
		b.WriteString("\n\n")
	}
	d.Text = b.String()
	return d
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Files returns documents as files.
func Files(docs ...Doc) fstest.MapFS {
	fs := fstest.MapFS{}
	for _, d := range docs {
		fs[d.Key] = &fstest.MapFile{Data: []byte(d.Text)}
	}
	return fs
}
