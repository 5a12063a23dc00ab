package text

// IsStop reports whether word, folded, is an English function word: an
// article, pronoun, preposition, conjunction, auxiliary verb, question word or
// a rest of a contraction such as the t of don't. The list is part of the
// version of [Standard].
func IsStop(word string) bool {
	if len(word) > 10 {
		return false
	}
	switch word {
	case
		// Articles, demonstratives, quantifiers.
		"a", "an", "the", "this", "that", "these", "those", "such", "some",
		"any", "all", "both", "each", "every", "either", "neither", "no",
		"none", "other", "others", "another", "few", "more", "most", "much",
		"many", "several", "own", "same", "enough",
		// Pronouns.
		"i", "me", "my", "mine", "myself", "we", "us", "our", "ours",
		"ourselves", "you", "your", "yours", "yourself", "yourselves", "he",
		"him", "his", "himself", "she", "her", "hers", "herself", "it", "its",
		"itself", "they", "them", "their", "theirs", "themselves", "one",
		// Question and relative words.
		"who", "whom", "whose", "which", "what", "when", "where", "why", "how",
		"whether",
		// Auxiliary verbs.
		"am", "is", "are", "was", "were", "be", "been", "being", "have", "has",
		"had", "having", "do", "does", "did", "doing", "done", "can", "cannot",
		"could", "may", "might", "must", "shall", "should", "will", "would",
		"ought",
		// Prepositions.
		"about", "above", "across", "after", "against", "along", "among",
		"around", "at", "before", "behind", "below", "beside", "besides",
		"between", "beyond", "by", "down", "during", "except", "for", "from",
		"in", "inside", "into", "near", "of", "off", "on", "onto", "out",
		"outside", "over", "per", "through", "throughout", "to", "toward",
		"towards", "under", "until", "up", "upon", "via", "with", "within",
		"without",
		// Conjunctions and connectives.
		"and", "but", "or", "nor", "if", "then", "else", "than", "as",
		"because", "since", "so", "though", "although", "unless", "while",
		"whereas", "however", "thus", "hence", "therefore",
		// Adverbs without a topic.
		"again", "also", "already", "always", "even", "ever", "here", "just",
		"never", "not", "now", "often", "once", "only", "quite", "rather",
		"soon", "still", "there", "too", "very", "well", "yet",
		// Rests of contractions.
		"s", "t", "d", "m", "ll", "re", "ve", "don", "didn", "doesn", "isn",
		"aren", "wasn", "weren", "hasn", "haven", "hadn", "won", "wouldn",
		"couldn", "shouldn", "ain":
		return true
	}
	return false
}
