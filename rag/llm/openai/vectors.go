package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// vectorReply is what an embedding model replies: OpenAI's data, or the embeddings of
// Ollama, Cohere and llama.cpp.
type vectorReply struct {
	Data, Embeddings json.RawMessage
	Embedding        vector
	Usage            tokens
	In               amount `json:"prompt_eval_count"`
}

// embedding is a vector, which may have the position of its text beside it.
type embedding struct {
	Index     amount
	Embedding vector
}

// readVectors reads the body of an answer. The error is a [*refusal] if it is an error,
// and a final [errNotFinite] if it holds what JSON has no number for: servers in Python
// write NaN and Infinity.
func readVectors(body []byte) (data []embedding, used int, err error) {
	var r vectorReply
	body = bytes.TrimSpace(body)
	err = decode(body, &r)
	switch {
	case err != nil && has(err.Error(), "invalid character 'N'", "invalid character 'I'"):
		return nil, 0, finalError{errNotFinite{}}
	case err != nil:
		return nil, 0, noJSON(body)
	case body[0] == '[': // text-embeddings-inference and llama.cpp
		data = vectorsIn(body)
	case len(r.Embedding) > 0:
		data = []embedding{{Embedding: r.Embedding}}
	default:
		if data = vectorsIn(r.Data); !anyVector(data) {
			data = vectorsIn(r.Embeddings)
		}
	}
	if !anyVector(data) {
		if said := errorIn(body); said != nil {
			return nil, 0, said
		}
	}
	return data, max(r.Usage.in(), r.Usage.Total.count(), r.In.count()), nil
}

// vectorsIn returns the vectors of a list or of an object, bare or in objects.
func vectorsIn(raw []byte) (all []embedding) {
	var bare []vector
	var one struct {
		embedding
		Float []vector // Cohere
	}
	switch {
	case len(raw) == 0:
	case raw[0] == '[':
		if decode(raw, &all) == nil && anyVector(all) {
			return all
		}
		decode(raw, &bare)
	case decode(raw, &one) == nil && len(one.Embedding) > 0:
		return []embedding{one.embedding}
	default:
		bare = one.Float
	}
	all = nil
	for _, v := range bare {
		all = append(all, embedding{Embedding: v})
	}
	return all
}

func anyVector(data []embedding) bool {
	return slices.ContainsFunc(data, func(e embedding) bool { return len(e.Embedding) > 0 })
}

// place puts vectors where their indexes say, or in their order where none has
// an index.
func place(vectors [][]float32, data []embedding) {
	indexed := len(data) != len(vectors)
	for _, d := range data {
		indexed = indexed || d.Index > 0 || d.Index < 0
	}
	for i, d := range data {
		switch {
		case !indexed:
			vectors[i] = d.Embedding
		case d.Index >= 0 && d.Index < amount(len(vectors)):
			vectors[int(d.Index)] = d.Embedding
		}
	}
}

// vector is a vector in any form: a list of numbers, which may be texts, a list of such
// a list, or little-endian float32 in base64. A component that is no number is not a
// number, as math has it.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '[':
		*v = components(b)
	case '"':
		var s string
		if decode(b, &s) == nil && strings.HasPrefix(s, "[") {
			*v = components([]byte(s))
		} else if packed, err := base64.StdEncoding.DecodeString(s); err == nil && len(packed)%4 == 0 {
			*v = make(vector, len(packed)/4)
			for i := range *v {
				(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
			}
		}
	}
	return nil
}

// components reads the numbers of a list, nil for a list of several.
func components(b []byte) vector {
	for len(b) > 0 && b[0] == '[' {
		b = bytes.TrimLeft(b[1:], " \t\r\n")
	}
	if bytes.IndexByte(b, '[') >= 0 {
		return nil
	}
	var out vector
	from := -1
	for i, c := range b {
		switch c {
		case ' ', '\t', '\n', '\r', ',', ']', '"':
			if from >= 0 {
				x, err := strconv.ParseFloat(string(b[from:i]), 32)
				if err != nil {
					x = math.NaN()
				}
				out, from = append(out, float32(x)), -1
			}
			if c == ']' {
				return out
			}
		default:
			if from < 0 {
				from = i
			}
		}
	}
	return out
}
