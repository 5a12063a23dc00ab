package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/graphops"
)

// graphTask is an algorithm that can be measured.
type graphTask struct {
	name  string
	about string // of what follows the colon, "" if nothing may
	needs bool   // it must be there
	// weights says that the projection has weights; undirected that the task
	// has no meaning on edges with a direction.
	weights, undirected bool
	// parse refuses what follows the colon; nil if nothing may.
	parse func(arg string) error
	// store runs it on the database.
	store func(ctx context.Context, b *graphBench, d *database) error
	// measure runs it on a projection instead.
	measure func(ctx context.Context, b *graphBench, d *database, p *graphops.Projection) error
	// cluster runs it on vectors instead.
	cluster func(ctx context.Context, b *graphBench, m graphops.Matrix) error
}

func (t *graphTask) onVectors() bool { return t.cluster != nil }

// graphTasks returns the tasks in the order in which they are listed.
func graphTasks() []graphTask {
	return []graphTask{
		{name: "load", store: measureLoad},
		{name: "hop", about: "ends", parse: parseEnds, store: measureHop},
		{name: "project", store: measureProject},
		{name: "kcore", measure: measureKCore},
		{name: "components", measure: measureComponents},
		{name: "clustering", undirected: true, measure: measureClustering},
		{name: "pagerank", about: "TOLERANCE", parse: parsePositive, measure: measurePageRank},
		{name: "bc", about: "K or bc:exact", needs: true, parse: parseCountOrExact, measure: measureBetweenness},
		{name: "leiden", about: "ITERATIONS", undirected: true, parse: parseCount, measure: measureLeiden},
		{name: "leiden_w", about: "ITERATIONS", undirected: true, weights: true, parse: parseCount, measure: measureLeiden},
		{name: "ppr", measure: measurePPR},
		{name: "ppr_bound", measure: measurePPRBound},
		{name: "path", measure: measurePath},
		{name: "wpath", weights: true, measure: measureWeightedPath},
		{name: "kmeans", about: "K", needs: true, parse: parseCount, cluster: measureKMeans},
		{name: "gmm", about: "K or gmm:sweep", needs: true, parse: parseCountOrSweep, cluster: measureGMM},
	}
}

// taskList names all tasks.
func taskList() string {
	var names []string
	for _, t := range graphTasks() {
		switch name := t.name; {
		case t.about == "":
			names = append(names, name)
		case t.needs:
			names = append(names, name+":"+t.about)
		default:
			names = append(names, name+"[:"+t.about+"]")
		}
	}
	return strings.Join(names, ", ")
}

// findTask returns the task of a name and what follows the colon.
func findTask(task string) (*graphTask, string, error) {
	name, arg, has := strings.Cut(task, ":")
	tasks := graphTasks()
	i := slices.IndexFunc(tasks, func(t graphTask) bool { return t.name == name })
	if i < 0 {
		return nil, "", fmt.Errorf("task %q is none of %s", task, taskList())
	}
	t := &tasks[i]
	switch {
	case !has && t.needs:
		return nil, "", fmt.Errorf("task %s needs %s:%s", name, name, t.about)
	case has && t.parse == nil:
		return nil, "", fmt.Errorf("task %s takes nothing after it, as in %q", name, task)
	case has:
		if err := t.parse(arg); err != nil {
			return nil, "", fmt.Errorf("task %q: %w", task, err)
		}
	}
	return t, arg, nil
}

func parsePositive(arg string) error {
	if x, err := strconv.ParseFloat(arg, 64); err != nil || !(x > 0 && x < 1) {
		return fmt.Errorf("%q is not between 0 and 1", arg)
	}
	return nil
}

func parseCount(arg string) error {
	if k, err := strconv.Atoi(arg); err != nil || k < 1 {
		return fmt.Errorf("%q is not a number of at least 1", arg)
	}
	return nil
}

// countOf returns the number after the colon, otherwise if there is none.
func (b *graphBench) countOf(otherwise int) int {
	if k, err := strconv.Atoi(b.arg); err == nil {
		return k
	}
	return otherwise
}
