package replay

import (
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// Passage is a text with what was recorded of it.
type Passage struct {
	// ID is the key of the passage's document.
	ID    string `json:"passage_id"`
	Title string `json:"title,omitempty"`
	// Text is the passage without its title.
	Text     string   `json:"text,omitempty"`
	Entities []string `json:"entities"`
	Triples  []Triple `json:"triples"`
}

// Triple is a subject, a predicate and an object; in JSON a list of the three.
type Triple [3]string

// UnmarshalJSON reads a list of three strings.
func (t *Triple) UnmarshalJSON(b []byte) error {
	var parts []*string
	if err := json.Unmarshal(b, &parts); err != nil || len(parts) != 3 {
		return errors.New("a triple is not a list of three strings")
	}
	for i, p := range parts {
		if p == nil {
			return errors.New("a triple is not a list of three strings")
		}
		t[i] = *p
	}
	return nil
}

// String returns the triple as a sentence.
func (t Triple) String() string { return text.OneLine(t[0] + " " + t[1] + " " + t[2]) }

// Digest identifies the passage with all that is recorded of it.
func (p *Passage) Digest() (Digest, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return Digest{}, phase.Errorf("passage %s: %w", p.ID, err)
	}
	return sha256.Sum256(append([]byte("passage\x00"), b...)), nil
}

// Entry returns the passage as an entry.
func (p *Passage) Entry() (Entry, error) {
	digest, err := p.Digest()
	if err != nil {
		return Entry{}, err
	}
	b, err := json.Marshal(p)
	return Entry{Digest: digest, Kind: KindPassage, Reply: string(b)}, err
}

// Passage reads the passage of an entry of [KindPassage].
func (e *Entry) Passage() (p Passage, err error) {
	if e.Kind != KindPassage {
		return p, phase.Errorf("entry %s is of kind %q", e.Digest, e.Kind)
	}
	if err := json.Unmarshal([]byte(e.Reply), &p); err != nil {
		return p, phase.Errorf("entry %s: %s", e.Digest, reason(err))
	}
	return p, nil
}
