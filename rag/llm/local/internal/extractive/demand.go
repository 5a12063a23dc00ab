package extractive

import "regexp"

// A demand is what a sentence must have to answer a question of a kind.
type demand struct {
	coverage float64 // of the question, in the sentence and around it
	own      float64 // of the question, in the sentence or its headings
	// signs are of an answer; without them a sentence needs bare of the question.
	signs *regexp.Regexp
	bare  float64
}

// demands are those of the kinds of questions. Where signs of an answer can be
// seen, less of the question is enough.
var demands = map[kind]demand{
	anything:   {coverage: .65, own: .4},
	definition: {coverage: .55},
	yesOrNo:    {coverage: .6, own: .55},
	manner:     {coverage: .6, own: .4, signs: instructions, bare: .75},
	reason:     {coverage: .45, own: .4, signs: reasons, bare: .85},
	place:      {coverage: .65, own: .5},
	comparison: {coverage: .55, own: .4, signs: contrasts, bare: 2},
}

// valuedDemand is that of the kinds that ask for a value, presetDemand of what
// holds if nothing is said.
var (
	valuedDemand = demand{coverage: .55, own: .4}
	presetDemand = demand{coverage: .55, own: .2, signs: presets, bare: 2}
)

// demandOf returns what a sentence must have to answer a question.
func (q *question) demandOf() demand {
	if q.preset && q.kind != yesOrNo {
		return presetDemand
	}
	if d, ok := demands[q.kind]; ok {
		return d
	}
	return valuedDemand
}

// phrases returns a pattern of words with | between them, which stand between others
// than letters and digits.
func phrases(list string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:` + list + `)(?:[^\pL\pN]|$)`)
}

var (
	reasons = phrases(`because|since|so that|in order to|due to|reasons?|therefore|otherwise|hence|prevents?|avoids?|problem|` +
		`weil|da|damit|denn|sonst|daher|deshalb|deswegen|gr[uü]nde?|vermeiden|verhindert|andernfalls|dadurch|f[uü]hrt|` +
		`car|parce|puisque|afin|[ée]viter|sinon|raisons?|entra[iî]ne(?:nt|rait)?|porque|ya que|perch[eé]|poich[eé]`)
	instructions = phrases(`--?[a-z][\pL\pN-]+[^.]*|uses?|using|by \pL+ing|you (?:can|have to|need|must|should)|can be|runs?|set|add|put|click|choose|select|press|open|enter|type|call|pass|` +
		`create|give|write|include|specify|replace|remove|install|with|mit|mittels|durch|[uü]ber|indem|k[oö]nnen|verwenden|benutzen|klicken|dr[uü]cken|w[aä]hlen|` +
		`geben|setzen|avec|en \pL+ant|pouvez|utilise[rz]|cliquez|choisissez|appuye[rz]|s[ée]lectionne[rz]|saisissez|entre[rz]|puede|usar|utilizar`)
	presets = phrases(`by default|\(default:? [^)]*\)|normally|(?:default|standard|vorgabe|défaut)(?: value)? ?[:=]|defaults? (?:is|are|to|=)|default (?:value|setting)s? (?:is|are)|(?:the|a) default [^.;]{0,60}(?:is|are)|is (?:now )?(?:the|a) (?:new )?default|defaulted|preset|predefined|initially|unless|` +
		`standardm[aä](?:ß|ss)ig\pL*|standard(?:wert)?|vorgabe\pL*|voreinstellung\pL*|voreingestellt\pL*|vorgegeben\pL*|normalerweise|` +
		`par d[ée]faut|implicite|pr[ée]d[ée]fini\pL*|predeterminad\pL*|predefinit\pL*|` +
		`(?:if|when) (?:no|not|none|nothing|omitted|unset|absent)\b.*|(?:wenn|falls) (?:nichts|kein\pL*)\b.*`)
	contrasts = phrases(`than|whereas|while|unlike|instead|however|differs?|differences?|contrast|stronger|weaker|faster|slower|` +
		`better|worse|w[aä]hrend|hingegen|dagegen|jedoch|hauptunterschied|unterschied\pL*|unterscheid\pL*|im gegensatz|tandis|` +
		`alors que|contrairement|plut[oô]t|diff[ée]r\pL*`)
	// asksPreset matches the phrases by which a question asks for a default.
	asksPreset = phrases(`(?:^|[^/])\bdefaults?|out of the box|unless (?:i|you|one|it|we) [^,?]*|(?:if|when|without) [^,?]*\b(?:nothing|none|nobody|no)\b[^,?]*|` +
		`standardm[aä](?:ß|ss)ig\pL*|standardwert\pL*|voreingestellt\pL*|voreinstellung\pL*|(?:in der )?vorgabe\pL*|von haus aus|` +
		`(?:wenn|falls|solange|sofern) [^,?]*\b(?:nichts|kein\pL*)\b[^,?]*|par d[ée]faut|d'origine|sans [^,?]* r[ée]glages?|por defecto|per impostazione`)
	// asksContrast matches the phrases by which a question compares.
	asksContrast = phrases(`\pL*differences?|differs?|different from|compared?|versus|vs|\pL*unterschied\pL*|unterscheide\pL*|diff[ée]rences?|` +
		`diff[èe]rent?|par rapport|diferencia|differenza`)
	// asksReason matches the phrases that ask for a reason, beside words such as why.
	asksReason = phrases(`what (?:is|are|was|were|can be|could be) the reasons?|what (?:is|was|went) wrong|how come|for what reason|woran liegt|aus welche[mn] gr(?:u|ü)nd\pL*|d'o[uù] vient|pour quelles? raisons?`)
	// asksMeaning and namesMeaning match the phrases by which a question asks what
	// something is: around its name, and before or behind it.
	asksMeaning  = phrases(`what (?:do|does) .* (?:mean|stand for|do)|what did .* mean|was (?:bedeutet|bedeuten|hei(?:ß|ss)t|macht|tut|bewirkt) .*|que fait .*`)
	namesMeaning = phrases(`what do .* mean by|what (?:is|are) meant by|was versteht (?:man|sich) unter|wof[uü]r steht(?: die abk[uü]rzung)?|` +
		`qu'est-ce qu(?:e c'est que|e|'une?)|c'est quoi(?: au juste)?|que (?:signifie|veut dire)|[àa] quoi sert`)
	// negation matches the words that deny, exception those that deny a denial.
	negation  = phrases(`not|no|never|cannot|\pL+n['’]t|nicht|kein\pL*|nie|niemals|ne|pas|jamais|aucune?|ill-suited|no longer`)
	exception = regexp.MustCompile(`(?i)^(?:if|when|where|wenn|falls|wo|si|lorsque) |[ (](?:other than|except|unless|only|but|nur|au(?:ß|ss)er|sondern|sauf|que)[ ,)]`)
)

// denies reports whether a sentence denies what the question does not.
func (q *question) denies(s *sentence) bool {
	switch q.kind {
	case yesOrNo, comparison, reason, definition:
		return false
	}
	return negation.MatchString(s.text) && !exception.MatchString(s.text) && !negation.MatchString(q.text)
}
