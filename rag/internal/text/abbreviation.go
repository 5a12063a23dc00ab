package text

import "strings"

// abbreviation is how a shortened word with a dot behaves at the end of a
// sentence.
type abbreviation uint8

const (
	notShort        abbreviation = iota
	announcesName                // the sentence goes on: Dr. Mr. e.g.
	announcesNumber              // a number may follow: No. Fig. Sept.
	shortened                    // may end a sentence: U.S. J. vs.
	endsName                     // often ends a sentence: Inc. Jr. usw.
	timeOfDay                    // a.m. p.m.
)

// maxAbbreviation is a bound on the bytes of an abbreviation.
const maxAbbreviation = 12

// abbreviationOf classifies a word that stands before a dot, by its part behind
// the last hyphen. Single letters, and short parts with dots between them (U.S,
// Ph.D), are shortened.
func abbreviationOf(word string) abbreviation {
	word = word[strings.LastIndexByte(word, '-')+1:]
	switch word {
	case "Inc", "Ltd", "Corp", "Jr", "Sr", "usw", "Jh":
		return endsName
	case "Co", "Bros", "Cie", "Esq", "Mt", "Ft",
		"St", "Ste", "Ave", "Blvd", "Rd", "Dept", "Univ", "Assn", "Intl", "Natl",
		"vs", "viz", "cf", "al", "ibid", "incl", "esp", "orig", "aka",
		"Hr", "Chr", "Str", "ex":
		return shortened
	}
	switch strings.ToLower(word) {
	case "a.m", "p.m":
		return timeOfDay
	case "mr", "mrs", "ms", "messrs", "mme", "mlle", "dr", "drs", "prof", "rev",
		"hon", "msgr", "gen", "brig", "col", "maj", "capt", "cpt", "cmdr", "lt",
		"sgt", "cpl", "pvt", "adm", "sen", "gov", "pres", "amb", "supt", "insp",
		"e.g", "i.e", "bzw", "evtl", "ggf", "inkl", "vgl", "sog", "mio", "mrd",
		"ing", "dipl", "frl", "fa", "hrn", "med", "phil", "jur", "habil", "geb", "u.a", "z.b", "d.h":
		return announcesName
	case "no", "nos", "nr", "fig", "figs", "eq", "eqs", "vol", "vols", "pp", "pg",
		"ch", "sec", "sect", "para", "op", "ca", "approx", "est", "jan", "feb",
		"mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"gest", "lit", "abb", "bd", "kap", "abs", "tel", "env", "av", "rd":
		return announcesNumber
	}
	if isDotted(word) {
		return shortened
	}
	return notShort
}

// isDotted reports whether word is a single letter, or parts of one to three
// letters with dots between them.
func isDotted(word string) bool {
	part, parts := 0, 1
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '.':
			if part == 0 {
				return false
			}
			part = 0
			parts++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			if part++; part > 3 {
				return false
			}
		default:
			return false
		}
	}
	return part > 0 && (parts > 1 || part == 1)
}
