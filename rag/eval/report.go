package eval

// Report is the outcome of a run on one data set. It is the same to the byte on
// every run but for what is under a field called times or Times, and
// SharedBytes.
type Report struct {
	V    int    `json:"v"`
	Data string `json:"data"`
	Join string `json:"join"`
	// Extract is what entities and relations were read with, as in Options.
	Extract string `json:"extract"`
	// Sample is how many of the questions were to be asked, 0 for all.
	Sample int `json:"sample,omitempty"`
	Budget int `json:"budget"`
	// At are the budgets of the figures at equal tokens.
	At []int `json:"at,omitempty"`
	// Questions are those that were asked, in order, if there are figures at equal
	// tokens.
	Questions []AskedQuestion `json:"questions,omitempty"`
	Chunks    string          `json:"chunks"`
	Manifest  Manifest        `json:"manifest"`
	// SharedBytes are those of what all methods share: keys and values before
	// compression, with the times of runs.
	SharedBytes int64    `json:"shared_bytes"`
	Methods     []Figure `json:"methods"`
	// Judging is what each judge says of the answers.
	Judging []Judging `json:"judging,omitempty"`
	// Growth is the outcome of a growth protocol, nil if there was none.
	Growth *Growth `json:"growth,omitempty"`
	// Asked are the questions, in order.
	Asked []question `json:"-"`
}

// Figure are one method's figures, shares as fractions.
type Figure struct {
	Name string `json:"name"`
	// Recorded says that another system retrieved this once, and the data set
	// has it: see the package comment.
	Recorded      bool        `json:"recorded,omitempty"`
	Questions     int         `json:"questions"`
	Coverage      *float64    `json:"coverage,omitempty"`
	CoverageRaw   *float64    `json:"coverage_raw,omitempty"`
	CoverageWord  *float64    `json:"coverage_word,omitempty"`
	CI            *[2]float64 `json:"ci,omitempty"`
	Recall2       *float64    `json:"recall@2,omitempty"`
	Recall5       *float64    `json:"recall@5,omitempty"`
	Recall10      *float64    `json:"recall@10,omitempty"`
	Hit1          *float64    `json:"hit@1,omitempty"`
	Hit5          *float64    `json:"hit@5,omitempty"`
	Hit10         *float64    `json:"hit@10,omitempty"`
	Perfect       *float64    `json:"perfect,omitempty"`
	MRR           *float64    `json:"mrr,omitempty"`
	ContextTokens float64     `json:"context_tokens"`
	// At are the figures with each budget of Report.At, nil for a recorded system.
	At []AtFigure `json:"at,omitempty"`
	// Answers are the figures of its answers, nil if none were asked for.
	Answers *AnswerFigure `json:"answers,omitempty"`
	// Evidence is the digest of all that was retrieved, in order.
	Evidence string `json:"evidence"`
	// Index is what making the index cost and how large it is; nil for a
	// method of a kept database that something else than eval indexed.
	Index *IndexCost `json:"index,omitempty"`
	Times

	// Rows are the questions in order; nil for one that a recorded system was
	// not asked.
	Rows []*row `json:"-"`
}

// Times are the figures that differ from run to run.
type Times struct {
	// IndexCPU and IndexWall are the seconds that the index took when it was
	// made, with what all methods share. See the package comment.
	IndexCPU  float64 `json:"index_cpu_s,omitempty"`
	IndexWall float64 `json:"index_s,omitempty"`
	Ms        Latency `json:"ms,omitzero"`
}

// IndexCost is what making an index cost, with what all methods share, and
// how large it is.
type IndexCost struct {
	// Calls are those of models that do tasks, with the tokens that they read
	// and wrote. The local model reads no prompt: if it was used InTokens
	// counts nothing.
	Calls     int `json:"calls"`
	InTokens  int `json:"in_tokens"`
	OutTokens int `json:"out_tokens"`
	// EmbedCalls are those to turn texts into vectors, with the tokens read.
	EmbedCalls  int `json:"embed_calls"`
	EmbedTokens int `json:"embed_tokens"`
	// Cached counts what was asked and was known already.
	Cached int `json:"cached,omitempty"`
	// USD is the price, nil if that of a model is not known.
	USD *float64 `json:"usd,omitempty"`
	// Failed counts what is missing from the index.
	Failed int `json:"failed,omitempty"`
}

// row is how a method did on one question; nil if the question has no
// answers, or no gold records.
type row struct {
	Coverage, Recall5, RR *float64
	Tokens                int
	Ms                    float64
	// Evidence is the digest of what was retrieved.
	Evidence string
}
