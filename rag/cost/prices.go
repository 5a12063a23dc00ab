package cost

import (
	"encoding/json"
	"maps"
	"math"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	In  float64 `json:"in"`  // tokens that it reads
	Out float64 `json:"out"` // tokens that it writes
}

// USD returns the price of what was used.
func (p Price) USD(u llm.Usage) float64 {
	return (p.In*float64(u.InTokens) + p.Out*float64(u.OutTokens)) / 1e6
}

// Prices are prices by model. A name that ends in * stands for all models that
// begin so; the longest name that fits decides.
type Prices map[string]Price

// PriceDate is the month that [BuiltinPrices] are of.
const PriceDate = "2026-11"

// BuiltinPrices returns list prices of well-known models. They change: use
// [Prices.With] to put other prices in their place.
func BuiltinPrices() Prices {
	return Prices{
		"local/*":                {},
		"file/*":                 {},
		"gpt-4o*":                {2.5, 10},
		"gpt-4o-mini*":           {0.15, 0.6},
		"gpt-4.1*":               {2, 8},
		"gpt-4.1-mini*":          {0.4, 1.6},
		"gpt-4.1-nano*":          {0.1, 0.4},
		"gpt-5*":                 {1.25, 10},
		"gpt-5-mini*":            {0.25, 2},
		"gpt-5-nano*":            {0.05, 0.4},
		"o3*":                    {2, 8},
		"o4-mini*":               {1.1, 4.4},
		"text-embedding-3-small": {0.02, 0},
		"text-embedding-3-large": {0.13, 0},
		"text-embedding-ada-002": {0.1, 0},
	}
}

// ReadPrices reads a table of prices: {"model": {"in": 0.15, "out": 0.6}, ...}.
func ReadPrices(b []byte) (Prices, error) {
	var p Prices
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, phase.Errorf("prices: %w", err)
	}
	for name, x := range p {
		if name == "" || !(x.In >= 0 && x.Out >= 0) || math.IsInf(x.In+x.Out, 0) {
			return nil, phase.Errorf("prices: %q costs %v and %v", name, x.In, x.Out)
		}
	}
	return p, nil
}

// With returns p with the prices of other in place of its own.
func (p Prices) With(other Prices) Prices {
	out := maps.Clone(p)
	if out == nil {
		out = Prices{}
	}
	maps.Copy(out, other)
	return out
}

// Of returns the price of a model; ok is false if it is not known.
func (p Prices) Of(model string) (price Price, ok bool) {
	if price, ok = p[model]; ok {
		return price, true
	}
	longest := -1
	for name, x := range p {
		if stem, any := strings.CutSuffix(name, "*"); any && strings.HasPrefix(model, stem) && len(stem) > longest {
			price, ok, longest = x, true, len(stem)
		}
	}
	return price, ok
}
