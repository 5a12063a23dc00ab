package community

import (
	"fmt"

	"github.com/ragdb/ragdb/rag/method"
)

// A new clustering is advised if more than MaxMoved of the nodes have left the place
// that the last whole clustering gave them, or if modularity has fallen by more than
// MaxFall of what it was.
const (
	MaxMoved = 0.10
	MaxFall  = 0.02
)

// AdviseRecluster returns the advice to find the communities again, with the reason.
func AdviseRecluster(format string, args ...any) method.Advice {
	return method.Advice{Action: "recluster", Reason: fmt.Sprintf(format, args...)}
}
