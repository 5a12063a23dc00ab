package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"
)

// maxFilters bounds the filters of a stream.
const maxFilters = 8

// decode returns the data of a stream, filters undone (7.4). The result may
// share memory with the file.
func (f *File) decode(s *stream) ([]byte, error) {
	filters := f.list(s.dict, "Filter", "F")
	params := f.list(s.dict, "DecodeParms", "DP")
	if len(filters) > maxFilters {
		return nil, fmt.Errorf("%w: a stream has %d filters", ErrDamaged, len(filters))
	}
	data := s.raw
	for i, v := range filters {
		var p dict
		if i < len(params) {
			p = f.dict(params[i])
		}
		kind, _ := f.get(v).(name)
		var err error
		if data, err = f.filter(kind, p, data); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// list returns an entry that is one value or an array.
func (f *File) list(d dict, key, short name) array {
	v := f.get(d[key])
	if v == nil {
		v = f.get(d[short])
	}
	switch v := v.(type) {
	case nil:
		return nil
	case array:
		return v
	}
	return array{v}
}

// filter undoes one filter.
func (f *File) filter(kind name, p dict, data []byte) ([]byte, error) {
	switch kind {
	case "FlateDecode", "Fl":
		out, err := f.inflate(data)
		if err != nil {
			return nil, err
		}
		return f.unpredict(p, out)
	case "LZWDecode", "LZW":
		early := 1
		if n, ok := f.get(p["EarlyChange"]).(int64); ok && n == 0 {
			early = 0
		}
		out, err := f.lzw(data, early)
		if err != nil {
			return nil, err
		}
		return f.unpredict(p, out)
	case "ASCII85Decode", "A85":
		data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
		if i := bytes.IndexByte(data, '~'); i >= 0 {
			data = data[:i]
		}
		if !f.spend(4 * len(data)) {
			return nil, f.err
		}
		out := make([]byte, 4*len(data)+4)
		n, _, err := ascii85.Decode(out, data, true)
		if err != nil {
			return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
		}
		return out[:n], nil
	case "ASCIIHexDecode", "AHx":
		if !f.spend(len(data)) {
			return nil, f.err
		}
		l := lexer{b: append([]byte{'<'}, data...)}
		return []byte(l.hex()), nil
	case "RunLengthDecode", "RL":
		return f.runLengths(data)
	case "Crypt":
		return nil, ErrEncrypted
	}
	return nil, fmt.Errorf("%w: it uses the filter %q where text should be", ErrDamaged, string(kind))
}

// account is a writer to memory that pays for what it keeps.
type account struct {
	f   *File
	out bytes.Buffer
}

// Write implements io.Writer.
func (a *account) Write(p []byte) (int, error) {
	if !a.f.spend(len(p)) {
		return 0, a.f.err
	}
	return a.out.Write(p)
}

// inflate unpacks zlib data. A wrong checksum behind complete data is let
// pass, since some writers get it wrong.
func (f *File) inflate(data []byte) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	a := account{f: f}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(&a, z)
	}
	switch {
	case f.err != nil:
		return nil, f.err
	case err == nil, errors.Is(err, zlib.ErrChecksum):
		return a.out.Bytes(), nil
	}
	return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
}

// lzw unpacks LZW data (7.4.4), whose codes grow by one bit early codes before
// they must.
func (f *File) lzw(data []byte, early int) ([]byte, error) {
	const clear, stop, first = 256, 257, 258
	a := account{f: f}
	var prefix, length [4096]int
	var last [4096]byte
	for c := range 256 {
		last[c], length[c] = byte(c), 1
	}
	word := make([]byte, 4096)
	next, width, prev := first, 9, -1
	bits, n := 0, 0
	for _, c := range data {
		bits, n = bits<<8|int(c), n+8
		if n < width {
			continue
		}
		n -= width
		code := bits >> n & (1<<width - 1)
		bits &= 1<<n - 1
		if code == stop {
			break
		}
		if code == clear {
			next, width, prev = first, 9, -1
			continue
		}
		if code > next || code == next && prev < 0 || prev < 0 && code > stop {
			return nil, fmt.Errorf("%w: LZW data make no sense", ErrDamaged)
		}
		from := code
		if code == next {
			from = prev
		}
		size := length[from]
		for i, k := size-1, from; i >= 0; i-- {
			word[i] = last[k]
			k = prefix[k]
		}
		if prev >= 0 && next < 4096 {
			prefix[next], last[next], length[next] = prev, word[0], length[prev]+1
			next++
		}
		if code != from {
			word[size] = word[0]
			size++
		}
		if _, err := a.Write(word[:size]); err != nil {
			return nil, err
		}
		prev = code
		for width < 12 && next+early >= 1<<width {
			width++
		}
	}
	return a.out.Bytes(), nil
}

// runLengths unpacks run-length data (7.4.5).
func (f *File) runLengths(data []byte) ([]byte, error) {
	a := account{f: f}
	for i := 0; i < len(data) && data[i] != 128; {
		n := int(data[i])
		i++
		var part []byte
		if n < 128 {
			part = data[i:min(len(data), i+n+1)]
			i += n + 1
		} else if i < len(data) {
			part = bytes.Repeat(data[i:i+1], 257-n)
			i++
		}
		if _, err := a.Write(part); err != nil {
			return nil, err
		}
	}
	return a.out.Bytes(), nil
}

// unpredict undoes the PNG predictors (7.4.4.4), which object streams may use.
func (f *File) unpredict(p dict, data []byte) ([]byte, error) {
	whole := func(key name, or int64) int64 {
		if n, ok := f.get(p[key]).(int64); ok {
			return n
		}
		return or
	}
	predictor := whole("Predictor", 1)
	if predictor <= 1 {
		return data, nil
	}
	colors, depth, columns := whole("Colors", 1), whole("BitsPerComponent", 8), whole("Columns", 1)
	if predictor < 10 || colors < 1 || colors > 32 || depth < 1 || depth > 16 || columns < 1 || columns > 1<<16 {
		return nil, fmt.Errorf("%w: predictor %d with %d columns", ErrDamaged, predictor, columns)
	}
	size := int(colors*depth+7) / 8 // of a pixel
	row := int(colors*depth*columns+7) / 8
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		kind := data[0]
		line := bytes.Clone(data[1:min(len(data), row+1)])
		data = data[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= size {
				left, corner = line[i-size], above[i-size]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out = append(out, line...)
		copy(above, line)
	}
	if !f.spend(len(out)) {
		return nil, f.err
	}
	return out, nil
}

// paeth is the predictor of that name of the PNG standard.
func paeth(left, above, corner byte) byte {
	p := int(left) + int(above) - int(corner)
	a, b, c := distance(p, left), distance(p, above), distance(p, corner)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return above
	}
	return corner
}

func distance(p int, b byte) int {
	d := p - int(b)
	return max(d, -d)
}
