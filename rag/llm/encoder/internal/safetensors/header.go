package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrFormat marks the errors of a file that is not in the format or is damaged.
var ErrFormat = errors.New("not a safetensors file")

const (
	maxHeader = 4 << 20
	maxShape  = 200
)

// tensorHeader is a tensor's entry in the header.
type tensorHeader struct {
	Type    string          `json:"dtype"`
	Shape   json.RawMessage `json:"shape"` // decoded when its length is known to be small
	Offsets [2]int64        `json:"data_offsets"`
}

// parse finds the tensors of a file.
func parse(file []byte) (map[string]Tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("%w: it has %d bytes, and its header alone takes 8", ErrFormat, len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	switch {
	case n > uint64(len(file)-8):
		return nil, fmt.Errorf("%w: its header is said to have %d bytes, and the file has %d", ErrFormat, n, len(file))
	case n > maxHeader:
		return nil, fmt.Errorf("%w: its header has %d bytes, and at most %d are read", ErrFormat, n, maxHeader)
	}
	header, data := file[8:8+n], file[8+n:]
	tensors, err := parseHeader(header, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFormat, err)
	}
	return tensors, overlap(tensors)
}

// parseHeader reads one entry after the other, so that a header that says a name
// twice is noticed.
func parseHeader(header, data []byte) (map[string]Tensor, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("its header is not a JSON object")
	}
	tensors := map[string]Tensor{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("its header is not JSON: %w", err)
		}
		name, _ := t.(string)
		if name == "__metadata__" {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return nil, fmt.Errorf("its header is not JSON: %w", err)
			}
			continue
		}
		var h tensorHeader
		if err := d.Decode(&h); err != nil {
			return nil, fmt.Errorf("its header does not describe tensor %.80q: %w", name, err)
		}
		if _, twice := tensors[name]; twice {
			return nil, fmt.Errorf("its header names tensor %.80q twice", name)
		}
		tensor, err := h.tensor(data)
		if err != nil {
			return nil, fmt.Errorf("tensor %.80q %w", name, err)
		}
		tensors[name] = tensor
	}
	if t, err := d.Token(); err != nil || t != json.Delim('}') {
		return nil, errors.New("its header ends in the middle")
	}
	return tensors, nil
}

// tensor checks the entry against the bytes that there are.
func (h *tensorHeader) tensor(data []byte) (Tensor, error) {
	t := Tensor{Type: Type(h.Type)}
	size := t.Type.size()
	switch {
	case size == 0:
		return t, fmt.Errorf("has the unknown type %.20q", h.Type)
	case len(h.Shape) > maxShape:
		return t, fmt.Errorf("has a shape of %d characters, and at most %d are read", len(h.Shape), maxShape)
	}
	var shape []int64
	if err := json.Unmarshal(h.Shape, &shape); err != nil {
		return t, fmt.Errorf("has no shape: %w", err)
	}
	bytes := int64(size)
	for _, n := range shape {
		if n < 0 || n > math.MaxInt || n > 0 && bytes > math.MaxInt64/n {
			return t, fmt.Errorf("has the impossible shape %v", shape)
		}
		bytes *= n
		t.Shape = append(t.Shape, int(n))
	}
	from, to := h.Offsets[0], h.Offsets[1]
	switch {
	case from < 0 || to < from || to > int64(len(data)):
		return t, fmt.Errorf("lies at bytes %d to %d of %d: the file is cut or its header is wrong", from, to, len(data))
	case to-from != bytes:
		return t, fmt.Errorf("has %d bytes, and its shape %v takes %d", to-from, shape, bytes)
	}
	t.from, t.data = from, data[from:to:to]
	return t, nil
}

// overlap refuses tensors that share bytes.
func overlap(tensors map[string]Tensor) error {
	type span struct {
		name     string
		from, to int64
	}
	spans := make([]span, 0, len(tensors))
	for name, t := range tensors {
		if len(t.data) > 0 {
			spans = append(spans, span{name, t.from, t.from + int64(len(t.data))})
		}
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.name, b.name))
	})
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.from < a.to {
			return fmt.Errorf("%w: tensors %.80q and %.80q lie over one another", ErrFormat, a.name, b.name)
		}
	}
	return nil
}
