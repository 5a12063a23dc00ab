package method

import (
	"fmt"
)

// Advice says what would be good for an index and is not done unasked.
type Advice struct {
	// Action is what to do: recluster.
	Action string `json:"action"`
	// Reason says why, in figures.
	Reason string `json:"reason"`
}

// Clustering anew is advised where more than MaxMoved of the nodes are not where
// the last whole clustering had them, or where modularity is less than it was
// by more than MaxFall of it.
const (
	MaxMoved = 0.10
	MaxFall  = 0.02
)

// AdviseRecluster returns the advice to cluster anew, for a reason.
func AdviseRecluster(format string, args ...any) Advice {
	return Advice{Action: "recluster", Reason: fmt.Sprintf(format, args...)}
}

// Figure is a named number of a method's index.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Unit is what is counted, such as nodes, edges or tokens; "" for a mere
	// number.
	Unit string `json:"unit,omitempty"`
}
