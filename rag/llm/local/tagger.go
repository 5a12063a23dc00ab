package local

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// leastScore is the score from which a span counts.
const leastScore = .5

// personType is the type of the entities that are persons.
const personType = "person"

// entityType returns the type of the entities that spans of a type name, in small
// letters; "" is an entity of no type. part says that the span may be one of several
// parts of a person's name. ok is false for spans that name nothing that a text could
// be about: addresses of mail and of the web, numbers, codes, dates (the rules find
// them), amounts, words such as a gender.
func entityType(tag string) (kind string, part, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(tag), func(r rune) bool { return !unicode.IsLetter(r) })
	is := func(any ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, w) })
	}
	name := strings.Join(words, " ")
	switch name {
	case "given name", "givenname", "first name", "firstname", "middle name", "middlename", "surname", "last name", "lastname", "family name", "familyname", "prefix":
		return personType, true, true
	case "per", "person", "name", "persname", "full name", "fullname":
		return personType, false, true
	case "org", "organization", "organisation", "orgname", "company", "company name", "companyname", "corporation":
		return "organization", false, true
	case "loc", "location", "gpe", "placename", "place":
		return "location", false, true
	case "fac", "facility":
		return "facility", false, true
	case "street name", "streetname":
		return "street", false, true
	case "misc", "miscellaneous", "entity":
		return "", false, true
	}
	switch {
	case len(words) == 0,
		is("email", "mail", "phone", "telephone", "tel", "fax", "url", "uri", "ip", "ipv", "mac", "imei", "id", "ids", "idnum", "identifier", "number", "num", "account", "accountnum", "iban", "bic", "ssn", "socialnum",
			"passport", "license", "licence", "driverlicensenum", "idcardnum", "zip", "zipcode", "postcode", "postal", "buildingnum", "building", "secondary", "address", "username", "user", "password", "pin", "pass", "key",
			"card", "creditcard", "creditcardnumber", "cvv", "taxnum", "telephonenum", "vin", "vehicle", "swift", "routing", "coordinate", "amount", "currency", "wallet", "bitcoin", "crypto", "hash", "token"),
		is("date", "dateofbirth", "dob", "time", "datetime", "birthday", "year", "month", "age", "percent", "percentage", "money", "price", "quantity", "cardinal", "ordinal", "gender", "sex", "height", "eyecolor", "ethnicity"):
		return "", false, false
	}
	return name, false, true
}

// tagged are names that a tagger found, and the types by key.
type tagged struct {
	names []text.Name
	types map[string]string
}

// Names returns the names that the rules, and the tagger if there is one, find in a
// text, by their start. Errors are those of the tagger.
func (p *Provider) Names(ctx context.Context, s string) ([]text.Name, error) {
	names := text.Names(s, p.names)
	if p.tagger == nil {
		return names, nil
	}
	found, err := p.tag(ctx, s, text.Sentences(s))
	if err != nil {
		return nil, phase.Errorf("names: %w", err)
	}
	names, _ = found.add(names, nil)
	return names, nil
}

// tag has the tagger find names.
func (p *Provider) tag(ctx context.Context, s string, sentences []text.Span) (*tagged, error) {
	spans, err := p.tagger.Tag(ctx, s)
	if err != nil {
		return nil, err
	}
	type found struct {
		start, end int
		kind       string
		part       bool
	}
	var all []found
	for _, sp := range spans {
		kind, part, ok := entityType(sp.Type)
		if !ok || sp.Score < leastScore || sp.Start < 0 || sp.End > len(s) || sp.Start >= sp.End {
			continue
		}
		if last := len(all) - 1; part && last >= 0 && all[last].part && isGap(s[all[last].end:sp.Start]) {
			all[last].end = sp.End // Ada, Kestrel
			continue
		}
		all = append(all, found{sp.Start, sp.End, kind, part})
	}
	out := &tagged{types: map[string]string{}}
	votes := map[string]map[string]int{}
	sentence := 0
	capitals := strings.ContainsFunc(s, unicode.IsUpper)
	for _, f := range all {
		start, end, ok := trimName(s, f.start, f.end, capitals)
		if !ok {
			continue
		}
		for sentence+1 < len(sentences) && sentences[sentence+1].Start <= start {
			sentence++
		}
		key := text.Key(s[start:end])
		if sentence == len(sentences) || end > sentences[sentence].End || !isNameKey(key) {
			continue
		}
		out.names = append(out.names, text.Name{Key: key, Surface: s[start:end], Start: start, End: end, Kind: text.Proper, Sentence: sentence})
		if votes[key] == nil {
			votes[key] = map[string]int{}
		}
		votes[key][f.kind]++
	}
	for key, kinds := range votes {
		best := ""
		for kind, n := range kinds {
			if n > kinds[best] || n == kinds[best] && (best == "" || kind < best && kind != "") {
				best = kind
			}
		}
		out.types[key] = best
	}
	return out, nil
}

// isGap reports whether what stands between two parts of a name lets them be one name.
func isGap(s string) bool {
	return strings.TrimSpace(s) == "" && len(s) > 0 && strings.Count(s, "\n") < 2
}

// trimName leaves out signs at both ends of a name, a possessive 's, and, in a text
// with capitals, what follows its last word that has none in small letters. A name of
// small letters alone is none there.
func trimName(s string, start, end int, capitals bool) (from, to int, ok bool) {
	var words []lex.Word
	for w := range lex.Words(s[start:end]) {
		w.Start, w.End = w.Start+start, w.End+start
		words = append(words, w)
	}
	small := func(w lex.Word) bool {
		r, _ := utf8.DecodeRuneInString(s[w.Start:w.End])
		return capitals && unicode.IsLower(r)
	}
	for len(words) > 0 && small(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return 0, 0, false
	}
	return words[0].Start, words[len(words)-1].End, true
}

// isNameKey reports whether a key can be a name: it has a letter and more than one
// character.
func isNameKey(key string) bool {
	return strings.ContainsFunc(key, unicode.IsLetter) && utf8.RuneCountInString(key) > 1
}

// add returns the names of the rules with those of the tagger, by their start, and the
// terms of the rules. Of two names that overlap the longer one stays, and if neither
// holds the other that of the rules. Dates and quotations of the rules stay; a
// quotation may hold other names. A term that overlaps an added name goes.
func (t *tagged) add(rules, terms []text.Name) (names, others []text.Name) {
	var out []text.Name
	gone := make([]bool, len(rules))
	for _, n := range t.names {
		from, _ := slices.BinarySearchFunc(rules, n.Start-maxNameBytes, func(r text.Name, at int) int { return cmp.Compare(r.Start, at) })
		keep := true
		var holds []int
		for i := from; i < len(rules) && rules[i].Start < n.End && keep; i++ {
			switch r := rules[i]; {
			case r.End <= n.Start || r.Kind == text.Quote && (r.Start != n.Start || r.End != n.End):
			case r.Kind == text.Proper && n.Start <= r.Start && r.End <= n.End && r.End-r.Start < n.End-n.Start:
				holds = append(holds, i)
			default:
				keep = false
			}
		}
		if !keep {
			continue
		}
		out = append(out, n)
		for _, i := range holds {
			gone[i] = true
		}
	}
	added := slices.Clone(out)
	for i, r := range rules {
		if !gone[i] {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b text.Name) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	next := 0 // names before it end before the term; a term overlaps no name of the rules
	for _, term := range terms {
		for next < len(added) && added[next].End <= term.Start {
			next++
		}
		if next == len(added) || added[next].Start >= term.End {
			others = append(others, term)
		}
	}
	return out, others
}

// maxNameBytes is how far before another name one that overlaps it may begin.
const maxNameBytes = 512
