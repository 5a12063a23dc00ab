package metric

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/porter"
)

// stem returns the Porter stem of an English word, any other as it is.
func stem(w string) string {
	if len(w) <= 2 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return w
	}
	env := snowballstem.NewEnv(w)
	porter.Stem(env)
	return env.Current()
}
