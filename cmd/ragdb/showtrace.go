package main

import (
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
)

func (a *app) printStoredTrace(t *service.Trace) {
	o := a.out
	o.print("%s %s\n", o.bold(t.ID), o.dim(fmt.Sprintf("· trace · %s · commit %s", t.Method, number(int(t.Epoch)))))
	a.field("question", t.Question)
	a.list("documents", t.Docs)
	o.print("\n%s\n", o.bold("answer"))
	if t.Answer == "" {
		a.printNearest(t.Nearest, len(t.Items))
	} else {
		o.print("%s\n", wrap(escape(t.Answer), o.width, ""))
		a.printSources(t.Sources)
	}
	o.print("\n%s\n", o.bold("plan"))
	for _, op := range t.Trace.Ops {
		o.print("%s\n", escape(strings.Repeat("  ", op.Depth)+op.Explanation.String()))
	}
	a.printOps(t.Trace.Ops)
	o.print("\n%s\n", o.bold("evidence"))
	for i := range t.Items {
		it := &t.Items[i]
		a.printWay(i+1, service.StoredName(it), service.NewWay(service.StoredPath(it.Why)))
		if t.Texts[i] != "" {
			o.print("%s", o.dim(wrap(escape(t.Texts[i]), o.width, "    ")))
		}
	}
}
