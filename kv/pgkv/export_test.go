package pgkv

// ReadStatements returns the statements that read, by name.
func ReadStatements() map[string]string {
	out := map[string]string{}
	for s := get; s <= scanBetweenDown; s++ {
		out[s.name()] = s.sql("ragdb")
	}
	return out
}
