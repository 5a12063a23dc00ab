// Package cost counts what calls of models cost, and bounds it.
//
// [Prices] say what a model costs; [BuiltinPrices] has those of well-known ones. A
// [Meter] counts the calls of a run by stage and model, and refuses one that could
// pass its [Limits] with a [*BudgetError] before it is made: what a call may cost at
// most is set aside first. A [Tally] sums up what replies cost once, whether they were
// paid now or were kept.
package cost
