package cypher

// statements are the statements that a session has parsed and checked, by their text.
// Planning and running do not change them.
type statements map[string]*statement

// Statements are kept up to these bounds.
const (
	keptStatements = 256
	keptText       = 4 << 10 // bytes of one
)

// statement returns the statement of a text.
func (s *Session) statement(text string, w *watch) (*statement, error) {
	if st := s.parsed[text]; st != nil {
		return st, nil
	}
	st, err := parse(text, w)
	if err == nil {
		st.reads, err = check(st, w)
	}
	if err != nil || len(text) > keptText {
		return st, err
	}
	if len(s.parsed) >= keptStatements {
		clear(s.parsed)
	}
	s.parsed[text] = st
	return st, nil
}
