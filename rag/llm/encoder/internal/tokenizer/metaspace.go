package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// metaspace writes blanks as a visible character, may put one before the text,
// and cuts before each.
type metaspace struct {
	mark   []byte
	scheme string // "always", "first" or "never"
	cut    bool
}

func newMetaspace(raw json.RawMessage) (preTokenizer, error) {
	var def struct {
		Replacement string
		AddPrefix   *bool   `json:"add_prefix_space"`
		Scheme      *string `json:"prepend_scheme"`
		Split       *bool
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	m := metaspace{mark: []byte(def.Replacement), scheme: "always", cut: def.Split == nil || *def.Split}
	if def.Scheme != nil {
		m.scheme = *def.Scheme
	}
	if def.AddPrefix != nil && !*def.AddPrefix {
		if def.Scheme != nil && m.scheme != "never" {
			return nil, errors.New("add_prefix_space of Metaspace contradicts its prepend_scheme")
		}
		m.scheme = "never"
	}
	if utf8.RuneCount(m.mark) != 1 {
		return nil, fmt.Errorf("the replacement %q of Metaspace is not one character", m.mark)
	}
	if m.scheme != "always" && m.scheme != "first" && m.scheme != "never" {
		return nil, unknownKind("prepend_scheme", m.scheme)
	}
	return m, nil
}

func (m metaspace) split(w *words) {
	text := w.room[w.turn][:0]
	for _, s := range w.begin() {
		start := len(text)
		src := w.text[s.start:s.end]
		if m.scheme == "always" || m.scheme == "first" && s.first {
			if src[0] != ' ' && !bytes.HasPrefix(src, m.mark) {
				text = append(text, m.mark...)
			}
		}
		for {
			i := bytes.IndexByte(src, ' ')
			if i < 0 {
				break
			}
			text = append(append(text, src[:i]...), m.mark...)
			src = src[i+1:]
		}
		text = append(text, src...)
		whole := span{start, len(text), s.first}
		if !m.cut {
			w.add(whole, start, len(text))
			continue
		}
		// A mark joins what follows, unless that is a mark too.
		done := start
		for i := start; i < len(text); {
			n := bytes.Index(text[i:], m.mark)
			if n < 0 {
				break
			}
			w.add(whole, done, i+n)
			done = i + n
			i = done + len(m.mark)
		}
		w.add(whole, done, len(text))
	}
	w.change(text)
}
