package text

import "strings"

// abbreviation is how a shortened word with a dot behaves at the end of a
// sentence.
type abbreviation uint8

const (
	notShort        abbreviation = iota
	announcesName                // a name follows: Dr. Mr. e.g.
	announcesNumber              // a number may follow: No. Fig. Sept.
	shortened                    // may end a sentence: Inc. U.S. J.
)

// abbreviationOf classifies a word that stands before a dot. Single letters,
// and short parts with dots between them (U.S, Ph.D, a.m), are shortened.
func abbreviationOf(word string) abbreviation {
	switch word {
	case "Inc", "Ltd", "Co", "Corp", "Bros", "Cie", "Jr", "Sr", "Esq", "Mt", "Ft",
		"St", "Ste", "Ave", "Blvd", "Rd", "Dept", "Univ", "Assn", "Intl", "Natl",
		"vs", "viz", "cf", "al", "ibid", "incl", "esp", "orig", "aka":
		return shortened
	}
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "messrs", "mme", "mlle", "dr", "drs", "prof", "rev",
		"hon", "msgr", "gen", "brig", "col", "maj", "capt", "cpt", "cmdr", "lt",
		"sgt", "cpl", "pvt", "adm", "sen", "gov", "pres", "amb", "supt", "insp",
		"e.g", "i.e", "bzw", "evtl", "ggf", "inkl", "vgl", "sog", "mio", "mrd":
		return announcesName
	case "no", "nos", "nr", "fig", "figs", "eq", "eqs", "vol", "vols", "pp", "pg",
		"ch", "sec", "sect", "para", "op", "ca", "approx", "est", "jan", "feb",
		"mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"geb", "gest":
		return announcesNumber
	}
	if word == "usw" || word == "Jh" || word == "Hr" {
		return shortened
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
