package methods_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
	"github.com/ragdb/ragdb/vecindex"
)

// changing are the calls that change a corpus, in the order in which the matrix
// makes them.
var changing = []string{
	"Corpus.KeepTrace", "Forget", "ForgetJobs", "MakeSpace", "Ledger.KeepEntries", "Ledger.Import", "Ledger.Prune",
	"Indexer.Run", "Corpus.Remove", "Indexer.Sync", "Indexer.Estimate",
}

// call is a call in a world; its error is that of the call.
type call = func(w *world) error

// drain reads an iterator to its end.
func drain[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

// viewed calls fn with the base graph as the world has it.
func viewed(fn func(w *world, s *engine.Snapshot, v *engine.View) error) call {
	return func(w *world) error {
		return w.c.DB().View(w.ctx, func(s *engine.Snapshot) error {
			return fn(w, s, s.Graph(w.c.Base()).WithContext(w.ctx))
		})
	}
}

// updated calls fn with a transaction.
func updated(fn func(w *world, tx *engine.Tx, v *engine.TxView) error) call {
	return func(w *world) error {
		return w.c.DB().Update(w.ctx, func(tx *engine.Tx) error { return fn(w, tx, tx.Graph(w.c.Base())) })
	}
}

// pure is a call that no state concerns.
func pure(fn func()) []call {
	return []call{func(*world) error { fn(); return nil }}
}

func (w *world) question() method.Question {
	return method.Question{Text: "Who knew " + w.docs[1].Hero + " of " + w.docs[1].Place + "?"}
}

// each calls fn with each system and each kind of models that can be opened.
func each(fn func(w *world, sys *method.System, m *rag.Models) error) call {
	return func(w *world) error {
		var errs []error
		for _, sys := range w.sys {
			errs = append(errs, fn(w, sys, nil), fn(w, sys, &rag.Models{}))
			for _, open := range []func() (*rag.Models, error){
				func() (*rag.Models, error) { return w.c.OpenLocal(w.ctx, false, rag.Parts{}) },
				func() (*rag.Models, error) { return w.c.OpenLocal(w.ctx, true, rag.Parts{}) },
				func() (*rag.Models, error) { return w.c.OpenModels(w.ctx) },
				func() (*rag.Models, error) { return w.c.IndexedModels(w.ctx) },
				func() (*rag.Models, error) { return ragtest.Fixed(w.ctx, w.c) },
			} {
				m, err := open()
				if err == nil {
					err = fn(w, sys, m)
				}
				errs = append(errs, err)
			}
		}
		for _, err := range errs {
			if err != nil && !typed(err) {
				return err
			}
		}
		return errors.Join(errs...)
	}
}

// models calls fn with each kind of models.
func models(fn func(w *world, m *rag.Models) error) call {
	return func(w *world) error {
		return each(func(w *world, _ *method.System, m *rag.Models) error { return fn(w, m) })(&world{w.c, append(w.sys[:0:0], nil), w.docs, w.ctx, w.open})
	}
}

func set() text.ChunkSet { return text.ChunkSet{} }

func task() llm.Task {
	return llm.Task{Kind: llm.Keywords, Input: llm.QuestionInput{Question: "Where is Karrow?"}}
}

// matrixRows are the calls of each exported function and method: with what
// belongs there, and with nothing.
func matrixRows() map[string][]call {
	rows := map[string][]call{
		"Encodings":             pure(func() { rag.Encodings() }),
		"CanonicalExport":       pure(func() { rag.CanonicalExport() }),
		"ChunkSpace":            pure(func() { method.ChunkSpace(text.ChunkSet{}, "") }),
		"ChunkType":             pure(func() { method.ChunkType(text.ChunkSet{}) }),
		"Digest":                pure(func() { method.Digest() }),
		"DocOf":                 pure(func() { method.DocOf(""); method.DocOf("#") }),
		"System.Label":          pure(func() { (*method.System)(nil).Label(); (&method.System{}).Label() }),
		"NamesField":            pure(func() { method.NamesField(text.ChunkSet{}) }),
		"New":                   pure(func() { ledger.New(nil); ledger.New(new(rag.Corpus).Docs()) }),
		"Styles":                pure(func() { method.Styles() }),
		"SplitSpecs":            pure(func() { method.SplitSpecs(""); method.SplitSpecs(",,") }),
		"StaleBucket":           pure(func() { method.StaleBucket("") }),
		"SumsBucket":            pure(func() { method.SumsBucket("") }),
		"TextField":             pure(func() { method.TextField(text.ChunkSet{}) }),
		"Estimate.Sum":          pure(func() { (&cost.Estimate{}).Sum(nil, cost.EstimateOptions{}) }),
		"BuiltinPrices":         pure(func() { cost.BuiltinPrices() }),
		"BudgetError.Error":     pure(func() { _ = (&cost.BudgetError{}).Error() }),
		"BudgetError.Is":        pure(func() { (&cost.BudgetError{}).Is(nil) }),
		"ModelError.Error":      pure(func() { _ = (&rag.ModelError{}).Error() }),
		"ModelError.Is":         pure(func() { (&rag.ModelError{}).Is(nil) }),
		"NotIndexedError.Error": pure(func() { _ = (&method.NotIndexedError{}).Error() }),
		"NotIndexedError.Is":    pure(func() { (&method.NotIndexedError{}).Is(nil) }),
		"PartialError.Error":    pure(func() { _ = (&rag.PartialError{}).Error() }),
		"PartialError.Is":       pure(func() { (&rag.PartialError{}).Is(nil) }),
		"Answer.Docs":           pure(func() { (&rag.Answer{}).Docs() }),
		"Evidence.Items":        pure(func() { (&rag.Evidence{}).Items() }),
		"Identity.As":           pure(func() { (method.Identity{}).As("", nil) }),
		"System.Stages":         pure(func() { (&method.System{}).Stages(nil) }),
		"Identity.ChunkSet":     pure(func() { (&method.Identity{}).ChunkSet() }),
		"Identity.Graph":        pure(func() { (&method.Identity{}).Graph() }),
		"Identity.InParagraphs": {func(*world) error {
			_, err := (&method.Identity{}).InParagraphs(method.Question{})
			return err
		}, func(*world) error {
			_, err := (&method.Identity{}).InParagraphs(method.Question{Style: "x"})
			return err
		}},
		"Identity.Instance": pure(func() { (&method.Identity{}).Instance() }),
		"Identity.Item":     pure(func() { (&method.Identity{}).Item(method.WorkItem{}) }),
		"Identity.Name":     pure(func() { (&method.Identity{}).Name() }),
		"Identity.Params":   pure(func() { (&method.Identity{}).Params() }),
		"NewMeter":          pure(func() { cost.NewMeter(nil, cost.Limits{}) }),
		"Meter.Add":         pure(func() { new(cost.Meter).Add("", "", llm.Usage{}) }),
		"Meter.Cached":      pure(func() { new(cost.Meter).Cached("", "") }),
		"Tally.Add":         pure(func() { new(cost.Tally).Add(llm.Usage{}); (*cost.Tally)(nil).Add(llm.Usage{}) }),
		"Steps":             pure(func() { method.Steps(); method.Steps(nil) }),
		"Corpus.DB":         {func(w *world) error { w.c.DB(); return nil }},
		"Corpus.Namespace":  {func(w *world) error { w.c.Namespace(); return nil }},
		"Corpus.Base":       {func(w *world) error { w.c.Base(); return nil }},
		"Corpus.TextSearch": {func(w *world) error { w.c.TextSearch(text.ChunkSet{}, "", 0); return nil }},
		"Models.VectorWeights": {
			func(w *world) error { (*rag.Models)(nil).VectorWeights(); return nil },
			models(func(_ *world, m *rag.Models) error { m.VectorWeights(); return nil }),
		},
		"Corpus.Tokens":   {func(w *world) error { w.c.Tokens(); return nil }},
		"Corpus.Analyzer": {func(w *world) error { w.c.Analyzer(""); return nil }},
		"Meter.Reserve": {
			func(w *world) error {
				r, err := new(cost.Meter).Reserve(w.ctx, "", "", 1, 1)
				r.Settle(llm.Usage{})
				return err
			},
			func(w *world) error {
				_, err := cost.NewMeter(nil, cost.Limits{Tokens: 1}).Reserve(w.ctx, "", "", 1, 1)
				return err
			},
		},
		"Reservation.Settle": {func(w *world) error {
			r, err := new(cost.Meter).Reserve(w.ctx, "", "", 0, 0)
			r.Settle(llm.Usage{})
			return err
		}},
		"Meter.Price":          pure(func() { new(cost.Meter).Price(""); (*cost.Meter)(nil).Price("") }),
		"Meter.Rows":           pure(func() { new(cost.Meter).Rows(); (*cost.Meter)(nil).Rows() }),
		"Meter.Total":          pure(func() { new(cost.Meter).Total(); (*cost.Meter)(nil).Total() }),
		"Methods.Names":        pure(func() { method.Methods(nil).Names() }),
		"Corpus.NewModels":     pure(func() { new(rag.Corpus).NewModels(rag.Parts{}) }),
		"Corpus.Docs":          pure(func() { new(rag.Corpus).Docs(); (*rag.Corpus)(nil).Docs() }),
		"Corpus.Ledger":        pure(func() { new(rag.Corpus).Ledger() }),
		"Corpus.Projections":   pure(func() { new(rag.Corpus).Projections() }),
		"Corpus.Path":          pure(func() { new(rag.Corpus).Path(); (*rag.Corpus)(nil).Path() }),
		"Corpus.Options":       pure(func() { new(rag.Corpus).Options() }),
		"Corpus.At":            pure(func() { new(rag.Corpus).At(nil); (*rag.Corpus)(nil).At(nil) }),
		"Corpus.With":          pure(func() { new(rag.Corpus).With(rag.Options{}); (*rag.Corpus)(nil).With(rag.Options{}) }),
		"ParamReader.ChunkSet": pure(func() { method.ReadParams("", nil, nil).ChunkSet() }),
		"ParamReader.Err":      pure(func() { _ = method.ReadParams("", nil, nil).Err() }),
		"ParamReader.Fail":     pure(func() { method.ReadParams("", nil, nil).Fail("", "") }),
		"ParamReader.Flag":     pure(func() { method.ReadParams("", nil, nil).Flag("", false) }),
		"ParamReader.Float":    pure(func() { method.ReadParams("", nil, nil).Float("", 0, 1, 0) }),
		"ParamReader.Indexed":  pure(func() { method.ReadParams("", nil, nil).Indexed() }),
		"ParamReader.Instance": pure(func() { method.ReadParams("", nil, nil).Instance("") }),
		"ParamReader.Int":      pure(func() { method.ReadParams("", nil, nil).Int("", 0, 1, 0) }),
		"ParamReader.OneOf":    pure(func() { method.ReadParams("", nil, nil).OneOf("", "") }),
		"ParamReader.Words":    pure(func() { method.ReadParams("", nil, nil).Words("") }),
		"Plan.Op":              pure(func() { (&method.Plan{}).Op(); (*method.Plan)(nil).Op() }),
		"Price.USD":            pure(func() { cost.Price{}.USD(llm.Usage{}) }),
		"Prices.Of":            pure(func() { cost.Prices(nil).Of("") }),
		"Prices.Unpriced":      pure(func() { cost.Prices(nil).Unpriced("", "x") }),
		"Prices.With":          pure(func() { cost.Prices(nil).With(nil); cost.Prices(nil).With(cost.BuiltinPrices()) }),
		"Question.Tokens":      pure(func() { (&method.Question{}).Tokens() }),
		"Question.Passages":    pure(func() { (&method.Question{}).Passages() }),
		"Spec.String":          pure(func() { _ = method.Spec{}.String() }),
		"Spec.Title":           pure(func() { method.Spec{}.Title() }),
		"Tally.Usage":          pure(func() { new(cost.Tally).Usage(); (*cost.Tally)(nil).Usage() }),

		"ReadPrices": pure(func() { _, _ = cost.ReadPrices(nil); _, _ = cost.ReadPrices([]byte(`{"":{}}`)) }),
		"ParseInstance": {
			func(*world) error { _, err := method.ParseInstance(""); return err },
			func(*world) error { _, err := method.ParseInstance("naive#"); return err },
		},
		"ParseSpec": {
			func(*world) error { _, err := method.ParseSpec(""); return err },
			func(*world) error { _, err := method.ParseSpec(":=,@"); return err },
		},
		"ReadParams": {
			func(*world) error { return method.ReadParams("", nil, nil).Err() },
			func(*world) error { return method.ReadParams("m", map[string]string{"k": "1"}, nil).Err() },
		},
		"NewGraphless": {
			func(*world) error { _, err := method.NewGraphless(nil); return err },
			func(*world) error { _, err := method.NewGraphless(method.ReadParams("m", nil, nil)); return err },
		},
		"NewIdentity": {
			func(w *world) error { _, err := method.NewIdentity(w.ctx, nil, nil, ""); return err },
			func(w *world) error {
				_, err := method.NewIdentity(w.ctx, nil, method.ReadParams("m", nil, nil), "m")
				return err
			},
			func(w *world) error {
				_, err := method.NewIdentity(w.ctx, w.c.Docs(), method.ReadParams("m", nil, nil), "ketrag")
				return err
			},
		},
		"Methods.Open": {
			func(w *world) error { _, err := method.Methods(nil).Open(w.ctx, w.c.Docs(), method.Spec{}); return err },
			func(w *world) error { _, err := methods.All().Open(w.ctx, nil, method.Spec{Name: "naive"}); return err },
			func(w *world) error {
				_, err := methods.All().Open(w.ctx, new(rag.Corpus).Docs(), method.Spec{Name: "ketrag"})
				return err
			},
			func(w *world) error {
				_, err := methods.All().Open(w.ctx, w.c.Docs(), method.Spec{Name: "ketrag"})
				return err
			},
		},
		"Methods.Known": {func(w *world) error {
			return errors.Join(methods.All().Known("naive"), method.Methods(nil).Known("naive"))
		}},
		"Corpus.View": {
			func(w *world) error { return w.c.View(w.ctx, func(*engine.Snapshot) error { return nil }) },
			func(w *world) error { return new(rag.Corpus).View(w.ctx, nil) },
		},
		"Corpus.AtLatest": {
			func(w *world) error { return w.c.AtLatest(w.ctx, func(*rag.Corpus) error { return nil }) },
			func(w *world) error { return new(rag.Corpus).AtLatest(w.ctx, nil) },
			func(w *world) error {
				return w.c.AtLatest(w.ctx, func(c *rag.Corpus) error {
					_, err := methods.All().OpenIndexed(w.ctx, c.Docs(), method.Spec{Name: "ketrag"})
					return err
				})
			},
		},
		"Corpus.Plan": {
			func(w *world) error {
				_, err := w.c.Plan(w.ctx, nil, nil, method.Question{Text: "Who?", Top: 1})
				return err
			},
			func(w *world) error {
				sys, err := methods.All().Open(w.open, w.c.Docs(), method.Spec{Name: "naive"})
				if err != nil {
					return err
				}
				_, err = w.c.Plan(w.ctx, sys, nil, method.Question{Text: "Who?", Top: 1})
				return err
			},
		},
		"Corpus.Settings": {
			func(w *world) error { _, err := w.c.Settings(w.ctx); return err },
			func(w *world) error { _, err := new(rag.Corpus).Settings(w.ctx); return err },
		},
		"Corpus.KeepSettings": {
			func(w *world) error { return w.c.KeepSettings(w.ctx, map[string]string{"a": "b", "c": ""}) },
			func(w *world) error { return new(rag.Corpus).KeepSettings(w.ctx, nil) },
		},
		"Methods.OpenIndexed": {
			func(w *world) error {
				_, err := method.Methods(nil).OpenIndexed(w.ctx, w.c.Docs(), method.Spec{})
				return err
			},
			func(w *world) error {
				_, err := methods.All().OpenIndexed(w.ctx, nil, method.Spec{Name: "naive"})
				return err
			},
			func(w *world) error {
				_, err := methods.All().OpenIndexed(w.ctx, w.c.Docs(), method.Spec{Name: "ketrag"})
				return err
			},
			func(w *world) error {
				_, err := methods.All().OpenIndexed(w.ctx, w.c.Docs(), method.Spec{Name: "bridge"})
				return err
			},
		},
		"OpenCorpus": {
			func(w *world) error { _, err := rag.OpenCorpus(w.ctx, nil, "", nil); return err },
			func(w *world) error { _, err := rag.OpenCorpus(w.ctx, w.c.DB(), "", nil); return err },
			func(w *world) error { _, err := rag.OpenCorpus(w.ctx, w.c.DB(), "main", nil); return err },
		},
		"Corpus.OpenLocal": {
			func(w *world) error { _, err := (*rag.Corpus)(nil).OpenLocal(w.ctx, true, rag.Parts{}); return err },
			func(w *world) error { _, err := (&rag.Corpus{}).OpenLocal(w.ctx, false, rag.Parts{}); return err },
			func(w *world) error { _, err := w.c.OpenLocal(w.ctx, true, rag.Parts{}); return err },
		},
		"Corpus.Rules": {
			func(w *world) error { _, err := (*rag.Corpus)(nil).Rules(w.ctx); return err },
			func(w *world) error { _, err := w.c.Rules(w.ctx); return err },
		},
		"FilterPoints": {
			models(func(w *world, m *rag.Models) error {
				_, err := method.FilterPoints(w.ctx, w.c.Docs(), m, w.question(), nil, nil, 0)
				return err
			}),
			models(func(w *world, m *rag.Models) error {
				_, err := method.FilterPoints(w.ctx, w.c.Docs(), m, w.question(), [][]llm.Evidence{nil, {{N: 1, Text: w.docs[1].Text}}}, nil, 100)
				return err
			}),
		},
		"Forget": {
			func(w *world) error { return ledger.Forget(nil, "") },
			updated(func(_ *world, _ *engine.Tx, v *engine.TxView) error { return ledger.Forget(v, "") }),
		},
		"Step.Count": {
			func(w *world) error { _, err := (method.Step{}).Count(w.ctx, nil); return err },
			stages(func(w *world, s *engine.Snapshot, st method.Step) error {
				_, err := st.Count(w.ctx, s)
				return err
			}),
		},
		"Step.IsDone": {
			func(*world) error { _, err := (method.Step{}).IsDone(nil, method.WorkItem{}); return err },
			stages(func(_ *world, s *engine.Snapshot, st method.Step) error {
				_, err := st.IsDone(s, method.WorkItem{})
				return err
			}),
		},
		"Step.LastWhole": {
			func(*world) error { _, err := (method.Step{Whole: &cost.Whole{}}).LastWhole(nil); return err },
			stages(func(_ *world, s *engine.Snapshot, st method.Step) error {
				if st.Stage == nil {
					_, err := st.LastWhole(nil)
					return err
				}
				_, err := st.LastWhole(s.Graph(st.Graph()))
				return err
			}),
		},
		"Embedded": {
			func(w *world) error { _, err := method.Embedded(nil, w.c.Docs(), set(), "", ""); return err },
			viewed(func(w *world, s *engine.Snapshot, _ *engine.View) error {
				_, err := method.Embedded(s, w.c.Docs(), set(), "", w.docs[0].Key+"#0")
				return err
			}),
		},
		"ForgetJobs": {
			func(*world) error { return method.ForgetJobs(nil, "") },
			updated(func(_ *world, _ *engine.Tx, v *engine.TxView) error { return method.ForgetJobs(v, "") }),
			updated(func(w *world, _ *engine.Tx, v *engine.TxView) error { return method.ForgetJobs(v, w.docs[0].Key) }),
		},
		"MakeSpace": {
			func(*world) error { return method.MakeSpace(nil, "", llm.SpaceInfo{}, 0) },
			updated(func(_ *world, _ *engine.Tx, v *engine.TxView) error {
				return method.MakeSpace(v, "", llm.SpaceInfo{}, vecindex.Metric(99))
			}),
		},
	}
	for name, calls := range corpusRows() {
		rows["Corpus."+name] = calls
	}
	for name, calls := range modelRows() {
		rows["Models."+name] = calls
	}
	for name, calls := range ledgerRows() {
		rows["Ledger."+name] = calls
	}
	for name, calls := range indexerRows() {
		rows["Indexer."+name] = calls
	}
	return rows
}

// stages calls fn with every stage of every system, and those of the base graph.
func stages(fn func(w *world, s *engine.Snapshot, st method.Step) error) call {
	return viewed(func(w *world, s *engine.Snapshot, _ *engine.View) error {
		m, err := w.c.IndexedModels(w.open)
		if err != nil {
			return err
		}
		all, err := w.c.BaseStages(w.sys, m)
		if err != nil {
			return err
		}
		for _, sys := range w.sys {
			all = append(all, sys.Stages(m)...)
		}
		for _, st := range all {
			if err := fn(w, s, st); err != nil {
				return err
			}
		}
		return nil
	})
}

// corpusRows are the methods of Corpus.
func corpusRows() map[string][]call {
	return map[string][]call{
		"Analyze": pure(func() { (&rag.Corpus{}).Analyze("a") }),
		"CutText": pure(func() { (&rag.Corpus{}).CutText("A b. C d.", -1) }),
		"Env":     pure(func() { (*rag.Corpus)(nil).Env(nil, nil, method.Question{}, nil) }),
		"Ask": {
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, err := w.c.Ask(w.ctx, sys, m, w.question())
				return err
			}),
			each(func(w *world, sys *method.System, m *rag.Models) error {
				q := w.question()
				q.Stream, q.Lang, q.WhereAny = func(string) error { return nil }, "de", true
				_, err := w.c.Ask(w.ctx, sys, m, q)
				return err
			}),
			func(w *world) error { _, err := w.c.Ask(w.ctx, nil, nil, method.Question{}); return err },
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, err := w.c.Ask(w.ctx, sys, m, method.Question{})
				return err
			}),
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, err := (&rag.Corpus{}).Ask(w.ctx, sys, m, w.question())
				return err
			}),
			func(w *world) error { _, err := (*rag.Corpus)(nil).Ask(w.ctx, nil, nil, method.Question{}); return err },
		},
		"Retrieve": {
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, err := w.c.Retrieve(w.ctx, sys, m, w.question())
				return err
			}),
			func(w *world) error { _, err := w.c.Retrieve(w.ctx, nil, nil, method.Question{}); return err },
		},
		"AnswerFrom": {
			each(func(w *world, sys *method.System, m *rag.Models) error {
				ev, err := w.c.Retrieve(w.ctx, sys, m, w.question())
				if err == nil {
					_, err = w.c.AnswerFrom(w.ctx, sys, m, w.question(), ev)
				}
				return err
			}),
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, err := w.c.AnswerFrom(w.ctx, sys, m, w.question(), oddEvidence())
				return err
			}),
			func(w *world) error { _, err := w.c.AnswerFrom(w.ctx, nil, nil, method.Question{}, nil); return err },
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, err := w.c.AnswerFrom(w.ctx, sys, m, w.question(), nil)
				return err
			}),
		},
		"AnswerInput": {
			each(func(w *world, sys *method.System, m *rag.Models) error {
				_, _, err := w.c.AnswerInput(w.ctx, sys, m, w.question(), oddEvidence())
				return err
			}),
			func(w *world) error {
				_, _, err := w.c.AnswerInput(w.ctx, nil, nil, method.Question{}, nil)
				return err
			},
		},
		"BaseStages": {
			models(func(w *world, m *rag.Models) error { _, err := w.c.BaseStages(w.sys, m); return err }),
			func(w *world) error { _, err := w.c.BaseStages([]*method.System{nil}, nil); return err },
		},
		"Failures": {
			func(w *world) error { return drain(w.c.Failures(nil)) },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { return drain(w.c.Failures(v)) }),
		},
		"CheckModel": {models(func(w *world, m *rag.Models) error { return w.c.CheckModel(w.ctx, m) })},
		"Chunk": {
			func(w *world) error { _, err := w.c.Chunk(nil, 0); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { _, err := w.c.Chunk(v, 0); return err }),
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { _, err := w.c.Chunk(v, 2); return err }),
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { _, err := w.c.Chunk(v, 1<<31); return err }),
		},
		"ChunkByKey": {
			func(w *world) error { _, err := w.c.ChunkByKey(nil, text.ChunkSet{}, ""); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.ChunkByKey(v, set(), w.docs[0].Key+"#0")
				return err
			}),
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.ChunkByKey(v, set(), "")
				return err
			}),
		},
		"ChunkNode": {
			func(w *world) error { _, err := w.c.ChunkNode(nil, text.ChunkSet{}, ""); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.ChunkNode(v, set(), "")
				return err
			}),
		},
		"Chunks": {
			func(w *world) error { return drain(w.c.Chunks(nil, set())) },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { return drain(w.c.Chunks(v, set())) }),
		},
		"ChunksOf": {
			func(w *world) error { _, err := w.c.ChunksOf(nil, corpus.Document{}); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				d, err := w.c.Document(v, w.docs[0].Key)
				if err == nil {
					_, err = w.c.ChunksOf(v, d)
				}
				return err
			}),
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.ChunksOf(v, corpus.Document{})
				return err
			}),
		},
		"CountChunks": {
			func(w *world) error { _, err := w.c.CountChunks(nil, set()); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.CountChunks(v, text.ChunkSet{})
				return err
			}),
		},
		"DocumentAt": {
			func(w *world) error { _, err := w.c.DocumentAt(nil, 0); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { _, err := w.c.DocumentAt(v, 1); return err }),
		},
		"Document": {
			func(w *world) error { _, err := w.c.Document(nil, ""); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { _, err := w.c.Document(v, ""); return err }),
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.Document(v, w.docs[0].Key)
				return err
			}),
		},
		"Documents": {
			func(w *world) error { return drain(w.c.Documents(nil)) },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { return drain(w.c.Documents(v)) }),
		},
		"EmbeddingModel": {
			func(w *world) error { _, _, err := w.c.EmbeddingModel(w.ctx); return err },
			func(w *world) error { _, _, err := (&rag.Corpus{}).EmbeddingModel(w.ctx); return err },
		},
		"Graph": {
			func(w *world) error { _, err := w.c.Graph(w.ctx, ""); return err },
			func(w *world) error { _, err := w.c.Graph(w.ctx, engine.Base); return err },
			func(w *world) error { _, err := (&rag.Corpus{}).Graph(w.ctx, "x"); return err },
		},
		"IndexedModels": {
			func(w *world) error { _, err := w.c.IndexedModels(w.ctx); return err },
			func(w *world) error { _, err := (&rag.Corpus{}).IndexedModels(w.ctx); return err },
		},
		"OpenModels": {
			func(w *world) error { _, err := w.c.OpenModels(w.ctx); return err },
			func(w *world) error { _, err := (*rag.Corpus)(nil).OpenModels(w.ctx); return err },
			func(w *world) error {
				other := w.c.With(rag.Options{Models: func(context.Context, *rag.Corpus) (*rag.Models, error) { return nil, nil }})
				_, err := other.OpenModels(w.ctx)
				return err
			},
		},
		"Instances": {
			func(w *world) error { return drain(w.c.Instances(nil)) },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { return drain(w.c.Instances(v)) }),
		},
		"KeepTrace": {
			func(w *world) error { _, err := w.c.KeepTrace(w.ctx, nil); return err },
			func(w *world) error { _, err := w.c.KeepTrace(w.ctx, &rag.Answer{}); return err },
			func(w *world) error {
				_, err := w.c.KeepTrace(w.ctx, &rag.Answer{Question: "q", Evidence: oddEvidence()})
				return err
			},
		},
		"Locate": {
			func(w *world) error { _, err := w.c.Locate(nil, "", 0, 0); return err },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.Locate(v, "", -1, -2)
				return err
			}),
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				_, err := w.c.Locate(v, w.docs[0].Key, 1<<40, -1)
				return err
			}),
		},
		"Merge": {
			func(w *world) error { _, err := w.c.Merge(w.ctx, nil, nil); return err },
			func(w *world) error {
				_, err := w.c.Merge(w.ctx, methods.All(), []link.Alias{{}, {Name: w.docs[0].Place, Into: w.docs[1].Place}})
				return err
			},
			func(w *world) error {
				_, err := w.c.Merge(w.ctx, methods.All(), []link.Alias{{Name: w.docs[0].Place, Into: w.docs[1].Place}})
				return err
			},
		},
		"MergeCandidates": {
			func(w *world) error { _, err := w.c.MergeCandidates(w.ctx, nil, link.Options{}); return err },
			func(w *world) error { _, err := w.c.MergeCandidates(w.ctx, nil, link.Options{Top: -1}); return err },
			func(w *world) error {
				_, err := w.c.MergeCandidates(w.ctx, &rag.Models{}, link.Options{Min: 2})
				return err
			},
		},
		"Merged": {
			func(w *world) error { _, err := w.c.Merged(w.ctx); return err },
		},
		"UnmergeUnsaid": {
			func(w *world) error { _, err := w.c.UnmergeUnsaid(w.ctx, nil); return err },
			func(w *world) error { _, err := w.c.UnmergeUnsaid(w.ctx, methods.All()); return err },
		},
		"Unmerge": {
			func(w *world) error { _, err := w.c.Unmerge(w.ctx, nil, nil); return err },
			func(w *world) error { _, err := w.c.Unmerge(w.ctx, methods.All(), []string{"", "x"}); return err },
		},
		"Owed": {
			func(w *world) error { _, _, _, err := w.c.Owed(w.ctx); return err },
		},
		"AskedLast": {
			func(w *world) error { _, err := w.c.AskedLast(w.ctx, nil); return err },
			func(w *world) error { _, err := w.c.AskedLast(w.ctx, []string{"", "x"}); return err },
		},
		"Purge": {
			func(w *world) error { return w.c.Purge(w.ctx) },
		},
		"RemoveAll": {
			func(w *world) error { _, err := w.c.RemoveAll(w.ctx, nil, nil, rag.RemoveOptions{}); return err },
			func(w *world) error {
				_, err := w.c.RemoveAll(w.ctx, methods.All(), []string{"", w.docs[1].Key}, rag.RemoveOptions{DryRun: true, Purge: true, Asked: []string{""}})
				return err
			},
			func(w *world) error {
				_, err := w.c.RemoveAll(w.ctx, methods.All(), nil, rag.RemoveOptions{Purge: true})
				return err
			},
		},
		"Remove": {
			func(w *world) error { _, err := w.c.Remove(w.ctx, nil, "", rag.RemoveOptions{}); return err },
			func(w *world) error {
				_, err := w.c.Remove(w.ctx, methods.All(), w.docs[1].Key, rag.RemoveOptions{DryRun: true})
				return err
			},
			func(w *world) error { _, err := w.c.Remove(w.ctx, nil, w.docs[1].Key, rag.RemoveOptions{}); return err },
			func(w *world) error {
				_, err := w.c.Remove(w.ctx, methods.All(), w.docs[1].Key, rag.RemoveOptions{})
				return err
			},
			func(w *world) error {
				_, err := (&rag.Corpus{}).Remove(w.ctx, nil, "a", rag.RemoveOptions{})
				return err
			},
		},
		"RenderChunk": {
			func(w *world) error { _, _, err := w.c.RenderChunk(w.ctx, nil, zeroItem()); return err },
			viewed(func(w *world, s *engine.Snapshot, _ *engine.View) error {
				_, _, err := w.c.RenderChunk(w.ctx, w.c.Env(s, nil, method.Question{}, nil), zeroItem())
				return err
			}),
		},
		"TextOf": {
			func(w *world) error { _, _, err := w.c.TextOf(w.ctx, nil, text.ChunkSet{}, ""); return err },
			viewed(func(w *world, s *engine.Snapshot, _ *engine.View) error {
				_, _, err := w.c.TextOf(w.ctx, s, set(), w.docs[0].Key+"#0")
				return err
			}),
		},
		"Trace": {
			func(w *world) error { _, err := w.c.Trace(w.ctx, ""); return err },
			func(w *world) error { _, err := (&rag.Corpus{}).Trace(w.ctx, "t:1"); return err },
		},
		"Traces": {
			func(w *world) error { _, err := w.c.Traces(w.ctx, -1); return err },
			func(w *world) error { _, err := (&rag.Corpus{}).Traces(w.ctx, 3); return err },
		},
	}
}

// ledgerRows are the methods of what a corpus keeps of models.
func ledgerRows() map[string][]call {
	return map[string][]call{
		"Entries": {
			func(w *world) error { return drain(w.c.Ledger().Entries(nil)) },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error {
				return drain(w.c.Ledger().Entries(v, "", llm.Extract))
			}),
		},
		"Stats": {func(w *world) error { _, err := w.c.Ledger().Stats(w.ctx); return err }},
		"Export": {
			func(w *world) error { _, err := w.c.Ledger().Export(w.ctx, nil); return err },
			func(w *world) error { _, err := w.c.Ledger().Export(w.ctx, io.Discard); return err },
		},
		"Import": {
			func(w *world) error { _, err := w.c.Ledger().Import(w.ctx, nil); return err },
			func(w *world) error { _, err := w.c.Ledger().Import(w.ctx, strings.NewReader("")); return err },
			func(w *world) error {
				var b bytes.Buffer
				if _, err := w.c.Ledger().Export(w.open, &b); err != nil {
					return err
				}
				_, err := w.c.Ledger().Import(w.ctx, &b)
				return err
			},
		},
		"KeepEntries": {
			func(w *world) error { return w.c.Ledger().KeepEntries(w.ctx, "", nil) },
			func(w *world) error { return w.c.Ledger().KeepEntries(w.ctx, "", []ledger.Kept{{}}) },
		},
		"Prune": {
			func(w *world) error { _, err := w.c.Ledger().Prune(w.ctx, ledger.PruneOptions{}); return err },
		},
		"Runs": {
			func(w *world) error { return drain(w.c.Ledger().Runs(nil)) },
			viewed(func(w *world, _ *engine.Snapshot, v *engine.View) error { return drain(w.c.Ledger().Runs(v)) }),
		},
	}
}

// modelRows are the methods of Models.
func modelRows() map[string][]call {
	return map[string][]call{
		"Do": {
			models(func(w *world, m *rag.Models) error { _, err := m.Do(w.ctx, "x", nil, task()); return err }),
			models(func(w *world, m *rag.Models) error { _, err := m.Do(w.ctx, "", nil, llm.Task{}); return ownError(err) }),
		},
		"DoJSON": {
			models(func(w *world, m *rag.Models) error {
				var out llm.KeywordSet
				return m.DoJSON(w.ctx, "x", nil, task(), &out)
			}),
			models(func(w *world, m *rag.Models) error { return m.DoJSON(w.ctx, "x", nil, task(), nil) }),
		},
		"Stream": {
			models(func(w *world, m *rag.Models) error {
				_, err := m.Stream(w.ctx, "x", nil, task(), func(string) error { return nil })
				return err
			}),
			models(func(w *world, m *rag.Models) error { _, err := m.Stream(w.ctx, "x", nil, task(), nil); return err }),
		},
		"Embed": {
			models(func(w *world, m *rag.Models) error { _, err := m.Embed(w.ctx, nil, nil); return err }),
			models(func(w *world, m *rag.Models) error {
				_, err := m.Embed(w.ctx, []string{""}, []string{"", "a ferry"})
				return err
			}),
		},
		"EmbedQuestion": {
			models(func(w *world, m *rag.Models) error { _, err := m.EmbedQuestion(w.ctx, ""); return err }),
			models(func(w *world, m *rag.Models) error { _, err := m.EmbedQuestion(w.ctx, "Who?"); return err }),
		},
		"DocumentSpace": {models(func(_ *world, m *rag.Models) error { m.DocumentSpace(); return nil })},
		"QuestionSpace": {models(func(_ *world, m *rag.Models) error { m.QuestionSpace(); return nil })},
		"Meter":         {models(func(_ *world, m *rag.Models) error { m.Meter(); return nil })},
		"Metered":       {models(func(_ *world, m *rag.Models) error { m.Metered(nil); m.Metered(&cost.Meter{}); return nil })},
		"Tallied": {models(func(w *world, m *rag.Models) error {
			_, err := m.Tallied("x", &cost.Tally{}).Do(w.ctx, "x", nil, task())
			m.Tallied("", nil)
			return err
		})},
		"Usage": {models(func(_ *world, m *rag.Models) error { m.Usage(); return nil })},
		"Parts": {models(func(_ *world, m *rag.Models) error {
			m.Parts()
			m.All()
			m.Free()
			m.Workers()
			m.Prompts()
			return nil
		})},
		"All":       {models(func(_ *world, m *rag.Models) error { m.All(); return nil })},
		"Free":      {models(func(_ *world, m *rag.Models) error { m.Free(); return nil })},
		"Workers":   {models(func(_ *world, m *rag.Models) error { m.Workers(); return nil })},
		"Prompts":   {models(func(_ *world, m *rag.Models) error { m.Prompts(); return nil })},
		"Provider":  {models(func(_ *world, m *rag.Models) error { m.Provider(); return nil })},
		"Documents": {models(func(_ *world, m *rag.Models) error { m.Documents(); return nil })},
		"Questions": {models(func(_ *world, m *rag.Models) error { m.Questions(); return nil })},
		"With":      {models(func(_ *world, m *rag.Models) error { m.With(m.Parts()); m.With(rag.Parts{}); return nil })},
	}
}

// ownError takes what the rules say of a task that is none for theirs, which is
// a sentinel of their package.
func ownError(err error) error {
	if errors.Is(err, local.ErrInput) {
		return nil
	}
	return err
}

// indexerRows are the methods of Indexer.
func indexerRows() map[string][]call {
	return map[string][]call{
		"Run": {
			func(w *world) error { _, err := (*rag.Indexer)(nil).Run(w.ctx, nil); return err },
			func(w *world) error { _, err := (&rag.Indexer{}).Run(w.ctx, nil); return err },
			func(w *world) error { _, err := (&rag.Indexer{Corpus: w.c}).Run(w.ctx, []rag.Input{{}}); return err },
			func(w *world) error { _, err := w.indexer().Run(w.ctx, []rag.Input{{}}); return err },
			func(w *world) error { _, err := w.indexer().Run(w.ctx, nil); return err },
			func(w *world) error { _, err := w.indexer().Run(w.ctx, w.inputs(5)); return err },
		},
		"Compare": {
			func(w *world) error { _, err := (&rag.Indexer{}).Compare(w.ctx, nil); return err },
			func(w *world) error { _, err := w.indexer().Compare(w.ctx, []rag.Input{{}}); return err },
			func(w *world) error { _, err := w.indexer().Compare(w.ctx, w.inputs(3)); return err },
		},
		"Sync": {
			func(w *world) error { _, err := (&rag.Indexer{}).Sync(w.ctx, nil); return err },
			func(w *world) error { _, err := w.indexer().Sync(w.ctx, []rag.Input{{}}); return err },
			func(w *world) error { _, err := w.indexer().Sync(w.ctx, w.inputs(3)); return err },
		},
		"Estimate": {
			func(w *world) error {
				_, err := (&rag.Indexer{}).Estimate(w.ctx, nil, cost.EstimateOptions{})
				return err
			},
			func(w *world) error {
				_, err := w.indexer().Estimate(w.ctx, []rag.Input{{}}, cost.EstimateOptions{})
				return err
			},
			func(w *world) error {
				_, err := w.indexer().Estimate(w.ctx, w.inputs(3), cost.EstimateOptions{})
				return err
			},
		},
	}
}

func zeroItem() query.Item { return query.Item{} }

// oddEvidence rests on nothing that there is.
func oddEvidence() *rag.Evidence {
	return &rag.Evidence{Sections: []rag.EvidenceSection{{}, {Name: "x", Items: []rag.Cited{
		{},
		{Kind: "chunk", Item: query.Item{Text: "Ada Fenn designed the ferry."}, Chunks: []string{"", "nowhere.md#0"}},
	}}}}
}
