package cypher

// runIndex makes or drops an index.
func (s *Session) runIndex(_ *exec, st *Statement) error {
	return refuse(st.Text, st.Index.Pos, "indexes in the language")
}

// runCopy reads or writes a file.
func (s *Session) runCopy(_ *exec, st *Statement) error {
	return refuse(st.Text, st.Copy.Pos, "COPY")
}
