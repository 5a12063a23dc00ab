package query

import (
	"cmp"
	"strings"
)

// aheadNodes gathers the nodes that have some names.
func (b *bridging) aheadNodes(names []string) error {
	return b.ahead(len(names), func(x *nameIndex, i int) error {
		_, err := x.postings(names[i])
		return err
	})
}

// aheadTerms gathers the names of nodes.
func (b *bridging) aheadTerms(nodes []scoredNode) error {
	return b.ahead(len(nodes), func(x *nameIndex, i int) error {
		_, err := x.l.termsOf(b.o.Names, nodes[i].id)
		return err
	})
}

// aheadLinks gathers what the names of starts join.
func (b *bridging) aheadLinks(from []start, text string) error {
	return b.ahead(len(from), func(x *nameIndex, i int) (err error) {
		if from[i].score <= 0 {
			return nil
		}
		own := bridging{nameIndex: x, links: map[string]*link{}}
		for _, t := range from[i].terms {
			if b.links[t.Term] == nil && !strings.Contains(text, " "+t.Term+" ") {
				_, lerr := own.link(t.Term, text)
				err = cmp.Or(err, lerr)
			}
		}
		return err
	})
}
