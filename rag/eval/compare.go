package eval

import (
	"slices"

	"github.com/ragdb/ragdb/rag"
)

// compare adds the intervals against bm25.
func (r *runner) compare(rep *Report) {
	at := slices.IndexFunc(r.o.Specs, func(s rag.Spec) bool { return s.Name == "bm25" })
	if at < 0 || len(rep.Methods[at].main) == 0 {
		return
	}
	for i := range rep.Methods {
		if i == at {
			continue
		}
		ci := interval(rep.Methods[i].main, rep.Methods[at].main, r.o.Seed)
		rep.Methods[i].CI = &ci
	}
}
