package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// exportVersion is the number of the export format that this package writes
// and the only one that it reads.
const exportVersion = 1

// exportName is what the first line of an export says that it is.
const exportName = "export"

// exportHeader is the first line of an export. The fields after Canonical are
// of the database and not of its content: a canonical export has none.
type exportHeader struct {
	Ragdb     string     `json:"ragdb"`
	Version   int        `json:"v"`
	Canonical bool       `json:"canonical"`
	UUID      string     `json:"uuid,omitempty"`
	Epoch     uint64     `json:"epoch,omitempty"`
	Created   *time.Time `json:"created,omitempty"`
}

// exportLine is any other line: exactly one field is set. Lines up to the next
// graph line are that graph's. A name or node is used only after the line that
// makes it.
type exportLine struct {
	Graph        *exportGraph        `json:"graph,omitempty"`
	NodeType     *exportNodeType     `json:"node_type,omitempty"`
	EdgeType     *exportEdgeType     `json:"edge_type,omitempty"`
	Index        *exportIndex        `json:"index,omitempty"`
	Field        *exportField        `json:"field,omitempty"`
	Space        *exportSpace        `json:"space,omitempty"`
	Rule         *exportRule         `json:"rule,omitempty"`
	Node         *exportNode         `json:"node,omitempty"`
	Edge         *exportEdge         `json:"edge,omitempty"`
	Contribution *exportContribution `json:"contribution,omitempty"`
	Terms        *exportTerms        `json:"terms,omitempty"`
	Vector       *exportVector       `json:"vector,omitempty"`
	Entry        *exportEntry        `json:"entry,omitempty"`
	End          *exportEnd          `json:"end,omitempty"`
}

type exportGraph struct {
	Name string `json:"name"`
}

type exportNodeType struct {
	Name string `json:"name"`
}

type exportEdgeType struct {
	Name     string `json:"name"`
	Directed bool   `json:"directed"`
}

type exportIndex struct {
	Property string `json:"property"`
}

type exportSpace struct {
	Name           string `json:"name"`
	Dim            int    `json:"dim"`
	Model          string `json:"model"`
	Metric         uint8  `json:"metric"`
	Kind           uint8  `json:"kind"`
	Element        uint8  `json:"element,omitempty"`
	Seed           uint64 `json:"seed,omitempty"`
	M              int    `json:"m,omitempty"`
	EfConstruction int    `json:"ef_construction,omitempty"`
}

type exportNode struct {
	Ref     exportRef `json:"ref"`
	Labels  []string  `json:"labels,omitempty"` // beside the type
	Derived bool      `json:"derived,omitempty"`
	Props   Props     `json:"props,omitempty"`
}

type exportEdge struct {
	From   exportRef `json:"from"`
	To     exportRef `json:"to"`
	Type   string    `json:"type"`
	N      uint32    `json:"n,omitempty"` // of parallel edges, in order of weight and properties
	Weight float32   `json:"weight"`
	Props  Props     `json:"props,omitempty"`
}

// exportContribution is to a node, or with To and Type to the edge Of-To.
type exportContribution struct {
	Source exportRef    `json:"source"`
	Of     exportRef    `json:"of"`
	To     exportRef    `json:"to,omitempty"`
	Type   string       `json:"type,omitempty"`
	Weight float32      `json:"weight,omitempty"`
	Count  uint32       `json:"count,omitempty"`
	Label  exportText   `json:"label,omitempty"`
	Texts  []exportText `json:"texts,omitempty"`
}

type exportVector struct {
	Space string    `json:"space"`
	Ref   exportRef `json:"ref"`
	Layer uint8     `json:"layer,omitempty"`
	// F32 is the vector as stored: little-endian 32-bit floats, in base64.
	F32 []byte `json:"f32"`
}

type exportEntry struct {
	Bucket string `json:"bucket"`
	Key    []byte `json:"key"`   // base64
	Value  []byte `json:"value"` // base64
}

// exportEnd is the last line: an export without it was cut short.
type exportEnd struct {
	Lines int `json:"lines"` // before this one
}

// exportRef names a node by its type and the caller's key.
type exportRef []exportText

func newRef(typeName, key string) exportRef {
	return exportRef{exportText(typeName), exportText(key)}
}

// exportText is a string that need not be UTF-8: in JSON a string if it is,
// else {"bytes": base64}.
type exportText string

// MarshalJSON implements [json.Marshaler].
func (t exportText) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(t)) {
		return json.Marshal(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(t))})
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(string(t))
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), err
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *exportText) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var x struct {
		Bytes []byte `json:"bytes"`
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&x); err != nil {
		return err
	}
	if x.Bytes == nil {
		return fmt.Errorf("%.40s is neither a string nor bytes", b)
	}
	*t = exportText(x.Bytes)
	return nil
}

// decodeLine reads one JSON value that takes the whole line.
func decodeLine(b []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if dec.More() || dec.InputOffset() < int64(len(bytes.TrimRight(b, " \t\r\n"))) {
		return errors.New("more than one JSON value on the line")
	}
	return nil
}
