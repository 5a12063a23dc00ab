package layout

import "errors"

// errEnd is the error of a value that goes on after its end, which readers pass over.
var errEnd = errors.New("bytes follow the end of the value")

// CheckSet is [ReadSet] and returns an error if bytes follow the end of the value.
func CheckSet(v []byte, s *Set) error {
	tail, err := readSet(v, s)
	if err == nil && !wholeSet(v) {
		var removed []uint64
		tail, err = readList(tail, &removed)
	}
	if err == nil && len(tail) > 0 {
		err = errEnd
	}
	return err
}

// CheckPostings is [ReadPostings], with positions, and returns an error if bytes follow the
// end of the positions or of the value.
func CheckPostings(v []byte, dst []Posting) ([]Posting, error) {
	from := len(dst)
	dst, err := ReadPostings(v, dst, true)
	if err != nil {
		return dst, err
	}
	var c Columns
	if err := c.Read(v); err != nil {
		return dst[:from], err
	}
	places := 0
	for i := range dst[from:] {
		places += len(dst[from+i].Positions)
	}
	tail := c.tail
	if !isPostingsBase(v) {
		var removed []uint64
		tail, err = readList(tail, &removed)
	}
	if err == nil && (places < len(c.positions) || len(tail) > 0) {
		err = errEnd
	}
	return dst, err
}
