package noderag

import (
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/knowledge"
)

// TestAs reads the names Ada and Ada Fenn as Ida Moor, and Brom as Brom Vale: entities
// that become one are one, with the alias's name or, where it stands itself, with the
// chunk's own, and count the units that list any of them. Relationships of one pair are
// one, with each text once, under the lesser key first.
func TestAs(t *testing.T) {
	t.Parallel()
	d := decomposed{
		Chunk: "a.txt#0", Tokens: 9,
		Units: []unit{
			{Text: "U1", Entities: []string{"ada", "ada fenn", "orsk"}, Ends: []string{"ada fenn|orsk", "ada|orsk"}},
			{Text: "U2", Entities: []string{"brom", "ida moor"}, Ends: []string{"brom|ida moor"}},
			{Text: "U3", Entities: []string{"brom"}},
		},
		Entities: []mention{{"ada", "Ada", 1}, {"ada fenn", "Ada Fenn", 1}, {"brom", "Brom", 2}, {"ida moor", "IDA MOOR", 1}, {"orsk", "Orsk", 1}},
		Relations: []stated{
			{Key: "ada fenn|orsk", From: "ada fenn", To: "orsk", Texts: []string{"left", "saw"}},
			{Key: "ada|orsk", From: "ada", To: "orsk", Texts: []string{"left", "built"}},
			{Key: "brom|ida moor", From: "brom", To: "ida moor", Texts: []string{"met"}},
		},
	}
	aliases := map[string]knowledge.Canonical{
		"ada": {Key: "ida moor", Name: "Ida Moor"}, "ada fenn": {Key: "ida moor", Name: "Ida Moor"}, "brom": {Key: "vale brom", Name: "Brom Vale"},
	}
	want := decomposed{
		Chunk: "a.txt#0", Tokens: 9,
		Units: []unit{
			{Text: "U1", Entities: []string{"ida moor", "orsk"}, Ends: []string{"ida moor|orsk"}},
			{Text: "U2", Entities: []string{"ida moor", "vale brom"}, Ends: []string{"ida moor|vale brom"}},
			{Text: "U3", Entities: []string{"vale brom"}, Ends: []string{}},
		},
		Entities: []mention{{"ida moor", "IDA MOOR", 2}, {"orsk", "Orsk", 1}, {"vale brom", "Brom Vale", 2}},
		Relations: []stated{
			{Key: "ida moor|orsk", From: "ida moor", To: "orsk", Texts: []string{"left", "saw", "built"}},
			{Key: "ida moor|vale brom", From: "ida moor", To: "vale brom", Texts: []string{"met"}},
		},
	}
	if got := d.as(aliases); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if got := d.as(map[string]knowledge.Canonical{"nobody": {Key: "ada", Name: "Ada"}}); !reflect.DeepEqual(got, d) {
		t.Errorf("without such a name:\n%+v", got)
	}
}
