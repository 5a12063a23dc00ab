package ketrag

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// chunkWords is what the keyword stage learns of one chunk.
type chunkWords struct {
	Tokens int       `json:"tokens"`
	Vector []float32 `json:"-"`
	// Words are the keywords by key, in order of key.
	Words []chunkWord `json:"words"`
}

// chunkWord is one keyword of a chunk.
type chunkWord struct {
	Key     string `json:"k"`
	Surface string `json:"s"`
	// In are the sentences that it stands in, once for each occurrence.
	In []int `json:"i"`
}

// words reads the keywords of a text, sentence by sentence.
func (s *system) words(chunk string) (sentences []string, words []chunkWord) {
	at := map[string]int{}
	for i, sp := range text.Sentences(chunk) {
		sentence := chunk[sp.Start:sp.End]
		sentences = append(sentences, sentence)
		for w := range etext.Words(sentence) {
			key, surface := w.Text, sentence[w.Start:w.End]
			if s.p.Compat {
				// The code keeps the case, and its stop list has none.
				if key = surface; etext.IsStop(surface) {
					continue
				}
			} else if etext.IsStop(key) {
				continue
			}
			n, ok := at[key]
			if !ok {
				n = len(words)
				at[key] = n
				words = append(words, chunkWord{Key: key, Surface: surface})
			}
			words[n].In = append(words[n].In, i)
		}
	}
	slices.SortFunc(words, func(a, b chunkWord) int { return cmpString(a.Key, b.Key) })
	return sentences, words
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// encodeWords writes a result: the length of the JSON, the JSON, and the
// chunk's and its sentences' vectors.
func encodeWords(cw chunkWords, sentences [][]float32) ([]byte, error) {
	head, err := json.Marshal(cw)
	if err != nil {
		return nil, err
	}
	out := append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	for _, v := range append([][]float32{cw.Vector}, sentences...) {
		out = binary.AppendUvarint(out, uint64(len(v)))
		out = encoded.AppendVector(out, v)
	}
	return out, nil
}

func decodeWords(b []byte) (cw chunkWords, sentences [][]float32, err error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return cw, nil, fmt.Errorf("malformed result of the keyword stage")
	}
	if err := json.Unmarshal(b[k:k+int(n)], &cw); err != nil {
		return cw, nil, err
	}
	for b = b[k+int(n):]; len(b) > 0; {
		n, k := binary.Uvarint(b)
		if k <= 0 || 4*n > uint64(len(b)-k) {
			return cw, nil, fmt.Errorf("malformed result of the keyword stage")
		}
		sentences = append(sentences, encoded.ReadVector(b[k:k+4*int(n)]))
		b = b[k+4*int(n):]
	}
	if len(sentences) == 0 {
		return cw, nil, fmt.Errorf("malformed result of the keyword stage")
	}
	cw.Vector = sentences[0]
	return cw, sentences[1:], nil
}
