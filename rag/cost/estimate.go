package cost

import (
	"context"
	"math"
	"time"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// EstimateOptions say whose calls are counted.
type EstimateOptions struct {
	// Chat is the model that tasks would be asked of, "" for the rules, which
	// cost nothing.
	Chat string
	// Space is that of the model that would embed. Its dimension may be 0 if
	// it is not known and nothing is embedded yet; a Recomputable one costs
	// nothing.
	Space llm.SpaceInfo
	// Tagger would find names beside the rules; nil is none. It is run for the
	// estimate, as the rules are.
	Tagger encoder.Tagger
	// Fill gives a task the prompt and schema that a model reads.
	Fill func(*llm.Task) error
	// Fits returns the most tokens that the reply to a filled task may have, 0 if
	// nothing bounds them, or an [llm.TooLongError] for a task that is divided before
	// it is asked, as Fits of an openai.Chat does. nil: every task fits.
	Fits func(context.Context, llm.Task) (reply int, err error)
	// Prices are those of the models.
	Prices Prices
	// Concurrency is how many calls would be made at once; 0 is 8.
	Concurrency int
}

// Estimate is what a run would cost.
type Estimate struct {
	Documents    int              `json:"docs"`
	Chunks       int              `json:"chunks"`
	CachedChunks int              `json:"cached_chunks"` // that were there before
	Added        int              `json:"added"`
	Replaced     int              `json:"replaced"`
	Stages       []EstimatedStage `json:"stages"`
	InTokens     int              `json:"in_tok"`
	OutTokens    int              `json:"out_tok_est"`
	// USD is nil if the price of a model is not known.
	USD      *float64    `json:"usd_est"`
	USDRange *[2]float64 `json:"usd_range,omitempty"`
	Minutes  float64     `json:"minutes_est"`
}

// EstimatedStage is what a stage would cost.
type EstimatedStage struct {
	Stage     string   `json:"stage"`
	Model     string   `json:"model"` // "local" if none is asked over the network
	Items     int      `json:"items"`
	Calls     int      `json:"calls"`
	InTokens  int      `json:"in_tok"`
	OutTokens int      `json:"out_tok_est"`
	Cached    int      `json:"cached,omitempty"`
	USD       *float64 `json:"usd_est"`
	// Whole is set if the stage looks at a whole graph.
	Whole *Whole `json:"whole,omitempty"`
}

// Whole is what a stage costs that looks at the whole graph of a method when something of
// it changed, whatever the size of the change.
type Whole struct {
	// Nodes and Edges are how many it reads.
	Nodes int `json:"nodes"`
	Edges int `json:"edges"`
	// CPUSeconds is the processor time of the process meanwhile.
	CPUSeconds float64 `json:"cpu_s"`
}

// Sum adds up the stages: tokens, the time that the calls take, and the range of prices
// around usd, which is nil if the price of a model is not known.
func (e *Estimate) Sum(usd *float64, o EstimateOptions) {
	for _, s := range e.Stages {
		e.InTokens += s.InTokens
		e.OutTokens += s.OutTokens
		e.Minutes += minutes(llm.Usage{Calls: s.Calls, InTokens: s.InTokens, OutTokens: s.OutTokens}, max(o.Concurrency, 1))
	}
	e.Minutes = math.Round(10*e.Minutes) / 10
	if e.USD = usd; usd != nil {
		e.USDRange = spread(e.Stages, o.Prices)
	}
}

// spread returns what a run may cost at the least and at the most: what a model
// reads is known, what it writes and is asked again is not.
func spread(stages []EstimatedStage, p Prices) *[2]float64 {
	var r [2]float64
	for _, s := range stages {
		price, _ := p.Of(s.Model)
		in := price.USD(llm.Usage{InTokens: s.InTokens})
		out := price.USD(llm.Usage{OutTokens: s.OutTokens})
		r[0] += in*0.95 + out*0.5
		r[1] += in*1.1 + out*1.6
	}
	return &r
}

// minutes guesses the time of calls: a model reads some 2,000 tokens a second
// and writes some 60, and a request takes half a second beside.
func minutes(u llm.Usage, concurrency int) float64 {
	s := float64(u.Calls)*0.5 + float64(u.InTokens)/2000 + float64(u.OutTokens)/60
	if u.OutTokens == 0 {
		s = float64(u.Calls)*0.3 + float64(u.InTokens)/50000
	}
	return s / float64(concurrency) / time.Minute.Seconds()
}
