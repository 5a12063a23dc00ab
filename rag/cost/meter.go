package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/rag/llm"
)

// ErrBudget says that a run stopped before a call that would have passed one of
// its limits. What was done is kept, and the same run goes on from there.
var ErrBudget = errors.New("budget reached")

// BudgetError is the limit that a run stopped at. errors.Is finds [ErrBudget].
type BudgetError struct {
	Limits Limits
	Spent  Spent  // in all
	Stage  string // that would have gone on
}

// Error says what was spent of what.
func (e *BudgetError) Error() string {
	if e.Limits.USD > 0 && e.Spent.USD != nil {
		return fmt.Sprintf("%s: %s: $%.4f of $%.4f spent, %d tokens", ErrBudget, e.Stage, *e.Spent.USD, e.Limits.USD, e.Spent.InTokens+e.Spent.OutTokens)
	}
	return fmt.Sprintf("%s: %s: %d of %d tokens spent", ErrBudget, e.Stage, e.Spent.InTokens+e.Spent.OutTokens, e.Limits.Tokens)
}

// Is reports whether target is [ErrBudget].
func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// Limits bound what a run may spend; 0 does not bound.
type Limits struct {
	USD    float64
	Tokens int // read and written
}

// Spent is what the calls of one model cost in one stage.
type Spent struct {
	Stage string `json:"stage"`
	Model string `json:"model"`
	llm.Usage
	// Cached counts the tasks and texts whose reply was there already.
	Cached int `json:"cached,omitempty"`
	// USD is the price, nil if it is not known.
	USD *float64 `json:"usd,omitempty"`
}

// Meter counts what a run's calls cost, by stage and model, and refuses calls
// that could pass a limit: what a call may cost at most is set aside before it
// is made, and if that is too much only together with what is set aside for
// others, the call waits for those. Only what a provider asks again because a
// reply was of no use may come on top. It is safe for concurrent use.
type Meter struct {
	prices Prices
	limits Limits

	// mu guards the fields below it.
	mu       sync.Mutex
	rows     map[[2]string]*Spent
	order    [][2]string
	usd      float64
	tokens   int
	heldUSD  float64
	heldToks int
	held     int           // calls that something is set aside for
	freed    chan struct{} // closed when a call is settled; nil if no call waits
}

// NewMeter returns a meter of no calls.
func NewMeter(p Prices, l Limits) *Meter {
	return &Meter{prices: p, limits: l}
}

// row returns the counts of a stage and model. The caller holds mu.
func (m *Meter) row(stage, model string) *Spent {
	key := [2]string{stage, model}
	if m.rows == nil {
		m.rows = map[[2]string]*Spent{}
	}
	r := m.rows[key]
	if r == nil {
		r = &Spent{Stage: stage, Model: model}
		m.rows[key] = r
		m.order = append(m.order, key)
	}
	return r
}

// Add counts what was used.
func (m *Meter) Add(stage, model string, u llm.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(stage, model, u)
}

func (m *Meter) count(stage, model string, u llm.Usage) {
	m.row(stage, model).Add(u)
	m.tokens += u.InTokens + u.OutTokens
	if p, ok := m.prices.Of(model); ok {
		m.usd += p.USD(u)
	}
}

// Cached counts a reply that was there already.
func (m *Meter) Cached(stage, model string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.row(stage, model).Cached++
}

// Reservation is what is set aside for a call.
type Reservation struct {
	m            *Meter
	stage, model string
	usd          float64
	tokens       int
}

// Reserve sets aside what a call may cost that reads in tokens and writes up to
// out, and waits if calls under way may leave enough.
func (m *Meter) Reserve(ctx context.Context, stage, model string, in, out int) (Reservation, error) {
	r := Reservation{m: m, stage: stage, model: model, tokens: in + out}
	if p, ok := m.prices.Of(model); ok {
		r.usd = p.USD(llm.Usage{InTokens: in, OutTokens: out})
	}
	for {
		wait, err := m.tryReserve(r)
		if err != nil || wait == nil {
			return r, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}

// tryReserve sets aside what a call may cost, or returns what to wait for
// before it is tried again.
func (m *Meter) tryReserve(r Reservation) (wait <-chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	passes := func(usd float64, tokens int) bool {
		return m.limits.USD > 0 && m.usd+r.usd+usd > m.limits.USD || m.limits.Tokens > 0 && m.tokens+r.tokens+tokens > m.limits.Tokens
	}
	switch {
	case !passes(m.heldUSD, m.heldToks):
		m.heldUSD += r.usd
		m.heldToks += r.tokens
		m.held++
		return nil, nil
	case passes(0, 0) || m.held == 0:
		return nil, &BudgetError{Limits: m.limits, Spent: m.total(), Stage: r.stage}
	}
	if m.freed == nil {
		m.freed = make(chan struct{})
	}
	return m.freed, nil
}

// Settle counts what a call cost and frees what was set aside for it.
func (r Reservation) Settle(u llm.Usage) {
	m := r.m
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heldToks -= r.tokens
	if m.held--; m.held == 0 {
		m.heldUSD = 0 // without what is lost to rounding
	} else {
		m.heldUSD -= r.usd
	}
	m.count(r.stage, r.model, u)
	if m.freed != nil {
		close(m.freed)
		m.freed = nil
	}
}

// Price returns what a model costs; ok is false if it is not known.
func (m *Meter) Price(model string) (p Price, ok bool) {
	if m == nil {
		return Price{}, false
	}
	return m.prices.Of(model)
}

// Rows returns the counts by stage and model, in order of their first call, as
// copies. Rows of nothing are left out.
func (m *Meter) Rows() []Spent {
	if m == nil {
		return []Spent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := []Spent{}
	for _, key := range m.order {
		r := *m.rows[key]
		if r.Usage == (llm.Usage{}) && r.Cached == 0 {
			continue
		}
		if p, ok := m.prices.Of(r.Model); ok {
			usd := p.USD(r.Usage)
			r.USD = &usd
		}
		out = append(out, r)
	}
	return out
}

// Total returns all counts as one. Its price is nil if that of a model with
// calls is not known.
func (m *Meter) Total() Spent {
	if m == nil {
		return Spent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total()
}

func (m *Meter) total() Spent {
	t := Spent{}
	usd, known := 0.0, true
	for _, key := range m.order {
		r := m.rows[key]
		t.Add(r.Usage)
		t.Cached += r.Cached
		if r.Usage == (llm.Usage{}) {
			continue
		}
		if p, ok := m.prices.Of(r.Model); ok {
			usd += p.USD(r.Usage)
		} else {
			known = false
		}
	}
	if known {
		t.USD = &usd
	}
	return t
}

// Unpriced returns the models among names whose price is not known, in order.
func (p Prices) Unpriced(names ...string) []string {
	var out []string
	for _, n := range names {
		if _, ok := p.Of(n); !ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
