package service

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag/method"
)

// settle gives a question what it leaves out and the corpus keeps.
func settle(q *method.Question, kept map[string]string) error {
	for key, field := range map[string]*int{"budget": &q.Budget, "top": &q.Top} {
		if *field != 0 || kept[key] == "" {
			continue
		}
		n, err := strconv.Atoi(kept[key])
		if err != nil || n < 1 {
			return Usage("correct it there", "the setting %s of the database is %q", key, kept[key])
		}
		*field = n
	}
	if q.Style == "" {
		q.Style = kept["style"]
	}
	return nil
}

// atLeastOne reads a number of 1 or more of an option.
func atLeastOne(key string, v cypher.Value) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(v.String()))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %q is not a number of 1 or more", key, v.String())
	}
	return n, nil
}
