package openai

import (
	"slices"
	"strings"
)

// secrets are the keys that a client takes out of what models reply, before
// it is shown or kept: a server may echo the key that it was sent. What was
// asked stays as it is, and with it the digest under which the reply is kept.
type secrets struct{ forms []string }

// shortestSecret is the length from which a key is one. Servers on this machine
// are given words such as "none" for a key, which a reply may well hold.
const shortestSecret = 8

// shown takes the place of a key.
const shown = "[key]"

func newSecrets(keys ...string) secrets {
	var s secrets
	for _, key := range keys {
		if len(key) < shortestSecret && !strings.HasPrefix(key, "sk-") || key == "sk-" {
			continue
		}
		s.forms = append(s.forms, key)
		// A reply may be JSON, in which some servers escape slashes.
		if other := strings.ReplaceAll(key, "/", `\/`); other != key {
			s.forms = append(s.forms, other)
		}
	}
	// A key that begins with another goes first, and whole.
	slices.SortStableFunc(s.forms, func(a, b string) int { return len(b) - len(a) })
	return s
}

// hide returns a text without the keys.
func (s secrets) hide(text string) string {
	for _, key := range s.forms {
		text = strings.ReplaceAll(text, key, shown)
	}
	return text
}

// hider is hide for a text that comes in pieces: it holds back what may be the
// beginning of a key.
type hider struct {
	secrets
	held string
}

// write returns what may be shown after a further piece.
func (h *hider) write(piece string) string {
	text := h.hide(h.held + piece)
	n := 0
	for _, key := range h.forms {
		for i := min(len(key)-1, len(text)); i > n; i-- {
			if strings.HasSuffix(text, key[:i]) {
				n = i
			}
		}
	}
	h.held = text[len(text)-n:]
	return text[:len(text)-n]
}

// rest returns what was held back to the end.
func (h *hider) rest() string {
	rest := h.held
	h.held = ""
	return rest
}
