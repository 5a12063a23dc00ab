package eval

// Report is the outcome of a run.
type Report struct {
	V    int    `json:"v"`
	Data string `json:"data"`
	Join string `json:"join"`
	// Extract is what entities and relations were read with, as in Options.
	Extract string   `json:"extract"`
	Budget  int      `json:"budget"`
	Chunks  string   `json:"chunks"`
	Methods []Figure `json:"methods"`
}

// Figure are one method's figures, shares as fractions.
type Figure struct {
	Name          string      `json:"name"`
	Questions     int         `json:"questions"`
	Coverage      *float64    `json:"coverage,omitempty"`
	CoverageRaw   *float64    `json:"coverage_raw,omitempty"`
	CoverageWord  *float64    `json:"coverage_word,omitempty"`
	CI            *[2]float64 `json:"ci,omitempty"`
	Recall2       *float64    `json:"recall@2,omitempty"`
	Recall5       *float64    `json:"recall@5,omitempty"`
	Perfect       *float64    `json:"perfect,omitempty"`
	MRR           *float64    `json:"mrr,omitempty"`
	ContextTokens float64     `json:"context_tokens"`
	// IndexCPU counts what this run did; see the package comment.
	IndexCPU float64 `json:"index_cpu_s"`
	Ms       struct {
		P50 float64 `json:"p50"`
		P99 float64 `json:"p99"`
	} `json:"ms"`

	main []float64 // per question, for the interval
}
