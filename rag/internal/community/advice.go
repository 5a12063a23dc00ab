package community

import (
	"fmt"

	"github.com/ragdb/ragdb/rag/method"
)

// A new clustering is advised if more than maxMoved of the nodes have left the place
// that the last whole clustering gave them, or if modularity has fallen by more than
// maxFall of what it was.
const (
	maxMoved = 0.10
	maxFall  = 0.02
)

// Outgrown reports whether a clustering of some nodes is too old for the number that
// there is now: at least twice as many, or at most half.
func Outgrown(was, now int) bool { return now >= 2*max(1, was) || 2*now <= was }

// Advise returns the advice to find clusters again, with the reasons, if there are
// any. what are the clusters, moved is the part of their nodes that has moved since
// they were found, was and now are the modularity then and now.
func Advise(what string, moved, was, now float64) []method.Advice {
	var out []method.Advice
	recluster := func(format string, args ...any) {
		out = append(out, method.Advice{Action: "recluster", Reason: fmt.Sprintf(format, args...)})
	}
	if moved > maxMoved {
		recluster("%.0f %% of the nodes have moved since %s were found", 100*moved, what)
	}
	if was > 0 && now < (1-maxFall)*was {
		recluster("the modularity of %s fell from %.3f to %.3f", what, was, now)
	}
	return out
}
