package method

// Advice is a step that would improve an index. It is taken only if a user asks for it.
type Advice struct {
	// Action is what to do, such as "recluster".
	Action string `json:"action"`
	// Reason says why, in figures.
	Reason string `json:"reason"`
}

// Figure is a named number of a method's index.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Unit is what is counted, such as nodes, edges or tokens; "" for a mere
	// number.
	Unit string `json:"unit,omitempty"`
}
