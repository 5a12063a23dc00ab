package main

import (
	"fmt"

	"github.com/ragdb/ragdb/rag/eval"
)

// printGrowth prints what each step cost each method, beside an index of
// everything at once.
func (a *app) printGrowth(r *eval.Report) {
	o := a.out
	t := &table{
		head:  []string{"method", "documents", "calls", "of all", "tokens", "of all", "cpu s", "of all", "coverage", "recall@5", "perfect", "mrr"},
		right: []bool{false, true, true, true, true, true, true, true, true, true, true, true},
	}
	at := 0
	for i := range r.Methods {
		static := &r.Methods[i]
		if static.Recorded {
			continue
		}
		for j := range r.Growth.Steps {
			step := &r.Growth.Steps[j]
			f := &step.Methods[at]
			docs := fmt.Sprintf("+%s = %s", number(step.Added), number(step.Documents))
			if j == 0 {
				docs = number(step.Documents)
			}
			t.add(f, append([]string{f.Name, docs}, growthCells(&f.Cost, f.Times.CPU, static, f.Coverage, f.Recall5, f.Perfect, f.MRR)...)...)
		}
		whole := &eval.IndexCost{}
		if static.Index != nil {
			whole = static.Index
		}
		t.add(static, append([]string{static.Name, "at once"},
			growthCells(whole, static.IndexCPU, static, static.Coverage, static.Recall5, static.Perfect, static.MRR)...)...)
		at++
	}
	o.print("\n%s\n", o.dim("growth by "+r.Growth.Plan+" · what each step cost, and of an index of everything at once · in percent"))
	o.rows(t)
}

// growthCells are the figures of a step, as shares of static's if that is known.
func growthCells(c *eval.IndexCost, cpu float64, static *eval.Figure, shares ...*float64) []string {
	of := func(part, whole float64) string {
		if static.Index == nil || whole == 0 {
			return none
		}
		return fmt.Sprintf("%.1f", 100*part/whole)
	}
	whole := eval.IndexCost{}
	if static.Index != nil {
		whole = *static.Index
	}
	tokens, all := c.InTokens+c.OutTokens, whole.InTokens+whole.OutTokens
	out := []string{
		number(c.Calls), of(float64(c.Calls), float64(whole.Calls)),
		number(tokens), of(float64(tokens), float64(all)),
		fmt.Sprintf("%.2f", cpu), of(cpu, static.IndexCPU),
	}
	for _, s := range shares {
		out = append(out, percent(s))
	}
	return out
}
