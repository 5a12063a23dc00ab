package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// template says in which order special tokens and texts make up the result.
type template struct {
	parts   []templatePart
	special int // the number of special tokens
}

type templatePart struct {
	text byte // 'A' or 'B'; 0 for special tokens
	ids  []int32
	kind int32 // the type of the tokens
}

// maxParts bounds a template and each special token in it.
const maxParts = 64

func newTemplate(parts ...templatePart) template {
	t := template{parts: parts}
	for _, p := range parts {
		t.special += len(p.ids)
	}
	return t
}

func specialPart(kind int32, ids ...int32) templatePart { return templatePart{ids: ids, kind: kind} }

func textPart(text byte, kind int32) templatePart { return templatePart{text: text, kind: kind} }

// plainTemplates are those of a model without special tokens.
func plainTemplates() (single, pair template) {
	return newTemplate(textPart('A', 0)), newTemplate(textPart('A', 0), textPart('B', 1))
}

// bertTemplates stand for [CLS] A [SEP] and [CLS] A [SEP] B [SEP].
func bertTemplates(cls, sep int32) (single, pair template) {
	single = newTemplate(specialPart(0, cls), textPart('A', 0), specialPart(0, sep))
	pair = newTemplate(append(single.parts, textPart('B', 1), specialPart(1, sep))...)
	return single, pair
}

// robertaTemplates stand for <s> A </s> and <s> A </s></s> B </s>, all of one
// type.
func robertaTemplates(cls, sep int32) (single, pair template) {
	single = newTemplate(specialPart(0, cls), textPart('A', 0), specialPart(0, sep))
	pair = newTemplate(append(single.parts, specialPart(0, sep), textPart('B', 0), specialPart(0, sep))...)
	return single, pair
}

// ids returns the numbers of one or two texts with the special tokens.
func (t template) ids(a, b []int32) []int32 {
	out := make([]int32, 0, len(a)+len(b)+t.special)
	for _, p := range t.parts {
		switch p.text {
		case 'A':
			out = append(out, a...)
		case 'B':
			out = append(out, b...)
		default:
			out = append(out, p.ids...)
		}
	}
	return out
}

// types returns the types of the numbers of texts of n and m tokens.
func (t template) types(n, m int) []int32 {
	out := make([]int32, 0, n+m+t.special)
	for _, p := range t.parts {
		size := len(p.ids)
		switch p.text {
		case 'A':
			size = n
		case 'B':
			size = m
		}
		for range size {
			out = append(out, p.kind)
		}
	}
	return out
}

// parseTemplates reads a post-processor; null stands for none.
func parseTemplates(raw json.RawMessage, depth int) (single, pair template, err error) {
	single, pair = plainTemplates()
	kind, err := kindOf(raw, "post-processor", depth)
	if err != nil || kind == "" {
		return single, pair, err
	}
	switch kind {
	case "ByteLevel":
		return single, pair, nil
	case "BertProcessing", "RobertaProcessing":
		var def struct{ Sep, Cls namedID }
		if err := json.Unmarshal(raw, &def); err != nil {
			return single, pair, err
		}
		if kind == "BertProcessing" {
			single, pair = bertTemplates(int32(def.Cls), int32(def.Sep))
		} else {
			single, pair = robertaTemplates(int32(def.Cls), int32(def.Sep))
		}
		return single, pair, nil
	case "TemplateProcessing":
		return parseTemplateProcessing(raw)
	case "Sequence":
		var def struct{ Processors []json.RawMessage }
		if err := json.Unmarshal(raw, &def); err != nil {
			return single, pair, err
		}
		found := false
		for _, r := range def.Processors {
			s, p, err := parseTemplates(r, depth+1)
			if err != nil {
				return single, pair, err
			}
			if s.special+p.special == 0 {
				continue
			}
			if found {
				return single, pair, errors.New("a Sequence of post-processors adds special tokens twice")
			}
			single, pair, found = s, p, true
		}
		return single, pair, nil
	}
	return single, pair, unknownKind("post-processor", kind)
}

// namedID is a number written as ["name", number].
type namedID int32

// UnmarshalJSON reads the number.
func (n *namedID) UnmarshalJSON(raw []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) != 2 {
		return errors.New("a special token is not a name with a number")
	}
	id, err := parseID(list[1])
	*n = namedID(id)
	return err
}

type templateItem struct {
	Sequence *struct {
		ID     string `json:"id"`
		TypeID int32  `json:"type_id"`
	}
	SpecialToken *struct {
		ID     string `json:"id"`
		TypeID int32  `json:"type_id"`
	}
}

func parseTemplateProcessing(raw json.RawMessage) (single, pair template, err error) {
	var def struct {
		Single, Pair []templateItem
		Tokens       map[string]struct{ IDs []int32 } `json:"special_tokens"`
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return single, pair, err
	}
	build := func(items []templateItem, texts string) (template, error) {
		if len(items) > maxParts {
			return template{}, fmt.Errorf("a template has more than %d parts", maxParts)
		}
		var parts []templatePart
		for _, it := range items {
			switch {
			case it.Sequence != nil && len(it.Sequence.ID) == 1 && strings.Contains(texts, it.Sequence.ID):
				parts = append(parts, textPart(it.Sequence.ID[0], it.Sequence.TypeID))
			case it.SpecialToken != nil:
				token, ok := def.Tokens[it.SpecialToken.ID]
				if !ok || len(token.IDs) > maxParts {
					return template{}, fmt.Errorf("the template's special token %q has no usable numbers", shorten(it.SpecialToken.ID))
				}
				for _, id := range token.IDs {
					if id < 0 {
						return template{}, fmt.Errorf("the template's special token %q has no usable numbers", shorten(it.SpecialToken.ID))
					}
				}
				parts = append(parts, specialPart(it.SpecialToken.TypeID, token.IDs...))
			default:
				return template{}, errors.New("a template has a part that is neither a text nor a special token")
			}
		}
		return newTemplate(parts...), nil
	}
	if single, err = build(def.Single, "A"); err != nil {
		return single, pair, err
	}
	pair, err = build(def.Pair, "AB")
	return single, pair, err
}
