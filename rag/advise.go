package rag

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
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

// Adviser is implemented by systems whose index drifts as documents come and
// go.
type Adviser interface {
	// Advice returns what is advised, nothing where the index is as good as
	// new. v reads the system's graph.
	Advice(ctx context.Context, v *engine.View) ([]Advice, error)
}

// Reclusterer is implemented by systems with communities that stay while
// documents come and go.
type Reclusterer interface {
	// Recluster returns the system with stages that make the communities anew.
	Recluster() System
}

// Figure is a named number of a method's index.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Unit is what is counted, such as nodes, edges or tokens; "" for a mere
	// number.
	Unit string `json:"unit,omitempty"`
}

// MethodStats is implemented by systems that say more of their index than how
// many nodes and edges of each type it has.
type MethodStats interface {
	// Stats returns the figures in a fixed order. v reads the system's graph.
	Stats(ctx context.Context, v *engine.View) ([]Figure, error)
}
