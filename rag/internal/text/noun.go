package text

import (
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
)

// isNoun reports whether token i of an English sentence can be part of a term
// behind so many words of the same run: it is neither verb nor adverb if it
// stands.
func isNoun(text string, toks []token, i, before int) bool {
	word := func(i int) string {
		if i < 0 {
			return ""
		}
		return lex.Fold(text[toks[i].start:toks[i].end])
	}
	w := word(i)
	c := classOf(w)
	if c == adverbWord || strings.HasSuffix(w, "ly") && len(w) > 4 && c == rareWord && !isNounInLy(w) {
		return false
	}
	behindArticle := i > 0 && !toks[i].apart && (announcesNoun(word(i-1)) || toks[i-1].possessive)
	switch {
	case before == 0 && i > 0 && !toks[i].apart && announcesVerb(text[toks[i-1].start:toks[i-1].end]):
		return false
	case c == verbWord:
		return isAlsoNoun(w) && (behindArticle || before > 0 && !hasObject(text, toks, i))
	case c != rareWord:
		return true
	case strings.HasSuffix(w, "ed") && len(w) > 4:
		return isNounInEd(w)
	case strings.HasSuffix(w, "ing") && len(w) > 5:
		return before > 0 || behindArticle || i == 0
	}
	return true
}

// hasObject reports whether the word behind token i is an article or pronoun
// that opens the object of a verb.
func hasObject(text string, toks []token, i int) bool {
	if i+1 == len(toks) || toks[i+1].apart || toks[i].possessive {
		return false
	}
	switch w := lex.Fold(text[toks[i+1].start:toks[i+1].end]); w {
	case "it", "them", "him", "us", "me":
		return true
	case "of", "no", "such":
		return false
	default:
		return announcesNoun(w)
	}
}

// saysMuch reports whether a run says more than its words do in any text: one of
// them is neither an adjective nor a noun of any topic, or two of those nouns
// make one (power source).
func saysMuch(text string, run []Span) bool {
	weak := 0
	for _, sp := range run[max(0, len(run)-maxTermWords):] {
		switch w := lex.Fold(text[sp.Start:sp.End]); classOf(w) {
		case adjWord:
		case weakNoun:
			weak++
		case rareWord:
			if !isAdjective(w) {
				return true
			}
		default:
			return true
		}
	}
	return weak > 1
}

// isAdjective reports whether a folded word has the ending of an adjective and
// is not one of the nouns that have it, too.
func isAdjective(w string) bool {
	switch w {
	case "handful", "spoonful", "mouthful", "cupful", "vegetable", "constable", "parable", "syllable", "crucible", "mandible":
		return false
	}
	if len(w) < 7 {
		return false
	}
	for _, ending := range [...]string{"ous", "ful", "less", "ible", "able"} {
		if strings.HasSuffix(w, ending) {
			return true
		}
	}
	return false
}

// announcesNoun reports whether a folded word stands before nouns.
func announcesNoun(w string) bool {
	switch w {
	case "a", "an", "the", "this", "these", "those", "my", "your", "his", "her", "its", "our", "their", "of", "no",
		"some", "any", "every", "each", "such":
		return true
	}
	return false
}

// announcesVerb reports whether a word stands before verbs: a pronoun that is a
// subject, an auxiliary, to, not.
func announcesVerb(word string) bool {
	switch w := lex.Fold(word); w {
	case "i", "you", "he", "she", "we", "they", "it", "who", "to", "not", "will", "would", "can", "could", "shall",
		"should", "may", "might", "must", "cannot", "did", "does", "do", "never", "let", "ll", "d":
		return true
	}
	return isContraction(word)
}

// isAlsoNoun reports whether a verb, folded, in its base form or with -s or
// -ing, is as often a noun.
func isAlsoNoun(w string) bool {
	switch w {
	case "answer", "answers", "attack", "attacks", "ban", "base", "baking", "building", "buildings", "call", "calls", "care", "cause", "causes",
		"change", "changes", "charge", "check", "checks", "clearing", "climbing", "comment", "comments", "concern", "cooking", "copy",
		"cost", "costs", "cough", "cover", "crash", "cut", "cuts", "damage", "damages", "dance", "deal", "deals", "decline",
		"decrease", "defeat", "delay", "delays", "demand", "demands", "design", "designs", "display", "drawing", "drawings", "dream", "dreams", "dress", "drink", "drinks",
		"drive", "drop", "engineering", "escape", "estimate", "estimates", "exchange", "export", "exports", "fall", "farming", "feed", "feeling", "feelings", "fight",
		"fill", "fishing", "fit", "flow", "flows", "focus", "force", "forces", "gain", "gains", "guide", "guides", "handle", "hearing", "help",
		"hope", "hunting", "import", "imports", "influence", "issue", "issues", "jump", "kick", "lack", "laugh", "launch", "lead", "learning",
		"light", "lights", "limit", "limits", "link", "links", "living", "load", "loads", "look", "looks", "love", "maintenance", "march", "mark", "marks", "marketing", "match",
		"matter", "measure", "measures", "meeting", "meetings", "mining", "mix", "monitor", "monitors", "monitoring", "move", "moves", "notice", "offer", "opening", "order", "orders", "paint",
		"painting", "paintings", "pass", "pause", "pay", "place", "plan", "plans", "planning", "plant", "plants", "play", "plays", "point", "points",
		"post", "posts", "praise", "present", "press", "pressure", "printing", "process", "processes", "processing", "promise", "promises", "protest", "pump", "purchase",
		"push", "reading", "readings", "record", "records", "release", "releases", "repair", "repairs", "reply", "replies", "report", "reports", "request", "requests", "rescue", "reset",
		"respect", "rest", "result", "results", "return", "returns", "ride", "ring", "rings", "rise", "rises", "rule", "rules", "run", "runs", "sale", "score", "search", "searches",
		"seal", "setting", "settings", "shake", "shape", "shapes", "share", "shares", "shift", "shifts", "shipping", "shot", "show", "shows", "sign", "signs", "sleep", "smell", "smile",
		"sound", "sounds", "spelling", "spread", "stand", "stands", "start", "state", "states", "stay", "step", "stop", "store", "stores", "stream", "struggle", "study", "studies", "suit", "supply",
		"supplies", "support", "surprise", "swimming", "swing", "talk", "talks", "target", "taste", "teaching", "test", "tests", "testing", "thought", "thoughts", "touch", "trace", "traces", "trade", "train", "trains", "training",
		"transfer", "transfers", "transport", "travel", "travels", "treat", "try", "turn", "turns", "type", "types", "understanding", "update", "updates", "upgrade", "upgrades", "upload", "use", "uses", "view", "views",
		"visit", "visits", "vote", "votes", "voting", "walk", "walks", "walking", "wash", "waste", "watch", "wear", "welding", "wish", "wishes", "wonder", "wonders", "work", "works", "wrap", "writing", "writings", "yield", "yields", "ground", "bend", "contract", "contracts":
		return true
	}
	return false
}

// isNounInLy reports whether a folded word that ends like an adverb is a noun.
func isNounInLy(w string) bool {
	switch w {
	case "family", "assembly", "anomaly", "butterfly", "monopoly", "supply", "reply", "jelly", "belly", "bully", "melancholy", "homily", "gadfly", "dragonfly":
		return true
	}
	return false
}

// isNounInEd reports whether a folded word that ends like a participle is a
// noun.
func isNounInEd(w string) bool {
	switch w {
	case "hatred", "kindred", "speed", "breed", "creed", "greed", "bleed", "steed", "tweed", "weed", "linseed", "flatbed", "seabed", "riverbed", "watershed", "bloodshed", "airspeed", "hybrid":
		return true
	}
	return false
}
