package layout

// AppendPostings appends the value of a whole container, nodes strictly
// ascending.
func AppendPostings(dst []byte, ps []Posting) []byte {
	return appendColumns(append(dst, postingsBase), ps)
}
