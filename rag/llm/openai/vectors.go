package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
)

// vectorReply is what an embedding model replies: OpenAI's data, or the embeddings of
// Ollama, Cohere and llama.cpp.
type vectorReply struct {
	Data       list[embedding]
	Embeddings json.RawMessage
	Embedding  vector
	Usage      tokens
	In         amount `json:"prompt_eval_count"`
	Error      json.RawMessage
}

// embedding is a vector, which may have the position of its text beside it.
type embedding struct {
	Index     amount
	Embedding vector
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *embedding) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return e.Embedding.UnmarshalJSON(b)
	}
	type fields embedding
	return decode(b, (*fields)(e))
}

// readVectors reads the body of an answer. The error is a [*refusal] if it is an error,
// and says elsewhere that it is no JSON.
func readVectors(body []byte) (data []embedding, used int, err error) {
	var r vectorReply
	var bare list[embedding]
	if err = decode(body, &r); err == nil && len(body) > 0 && body[0] == '[' {
		err = decode(body, &bare) // text-embeddings-inference and llama.cpp
	}
	if err != nil {
		return nil, 0, err
	}
	data = r.Data
	switch {
	case len(data) > 0:
	case len(r.Embeddings) > 0 && r.Embeddings[0] == '{': // Cohere: by type
		var byType struct{ Float list[embedding] }
		err = decode(r.Embeddings, &byType)
		data = byType.Float
	case len(r.Embeddings) > 0:
		var some list[embedding]
		err = decode(r.Embeddings, &some)
		data = some
	case len(r.Embedding) > 0:
		data = []embedding{{Embedding: r.Embedding}}
	default:
		data = bare
	}
	if err == nil && !anyVector(data) {
		if said := errorIn(body); said != nil {
			return nil, 0, said
		}
	}
	return data, max(r.Usage.in(), r.Usage.Total.count(), r.In.count()), err
}

func anyVector(data []embedding) bool {
	for _, e := range data {
		if len(e.Embedding) > 0 {
			return true
		}
	}
	return false
}

// place puts vectors where their indexes say, or in their order where none has
// an index.
func place(vectors [][]float32, data []embedding) {
	indexed := len(data) != len(vectors)
	for _, d := range data {
		indexed = indexed || d.Index > 0 || d.Index < 0
	}
	for i, d := range data {
		if indexed {
			i = int(max(-1, min(d.Index, amount(len(vectors)))))
		}
		if i >= 0 && i < len(vectors) {
			vectors[i] = d.Embedding
		}
	}
}

// vector is a vector in any form: a list of numbers, which may be texts, a list of such
// a list, or little-endian float32 in base64. A component that is no number is not a
// number, as math has it.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(b []byte) error {
	for len(b) > 1 && b[0] == '[' && b[1] == '[' {
		b = b[1:]
	}
	switch {
	case b[0] == '[':
		*v = components(b[1:])
	case b[0] == '"':
		var s string
		if decode(b, &s) == nil && len(s) > 0 && s[0] == '[' {
			*v = components([]byte(s[1:]))
		} else if packed, err := base64.StdEncoding.DecodeString(s); err == nil && len(packed)%4 == 0 {
			*v = make(vector, len(packed)/4)
			for i := range *v {
				(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
			}
		}
	}
	return nil
}

// components reads the numbers of a list up to its end.
func components(b []byte) vector {
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
