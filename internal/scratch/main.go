package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

func main() {
	data := flag.String("data", "", "")
	m := flag.String("methods", "bm25,dense,naive,ketrag", "")
	join := flag.Bool("join", false, "")
	db := flag.String("db", "", "")
	prof := flag.String("prof", "", "")
	budget := flag.Int("budget", 0, "")
	flag.Parse()
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	var specs []rag.Spec
	for _, s := range rag.SplitSpecs(*m) {
		sp, err := rag.ParseSpec(s)
		if err != nil {
			panic(err)
		}
		specs = append(specs, sp)
	}
	last := ""
	t := time.Now()
	rep, err := eval.Run(context.Background(), eval.Options{Data: *data, Specs: specs, Methods: methods.All(), Join: *join, DB: *db, Budget: *budget, Notify: func(e rag.Event) {
		if e.Stage != last {
			fmt.Fprintf(os.Stderr, "%6.1f %s %d\n", time.Since(t).Seconds(), e.Stage, e.Total)
			last = e.Stage
		}
		if e.Message != "" {
			fmt.Fprintln(os.Stderr, e.Message)
		}
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, f := range rep.Methods {
		b, _ := json.Marshal(f)
		fmt.Println(string(b))
	}
}
