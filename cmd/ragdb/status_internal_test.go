package main

import (
	"fmt"
	"testing"
)

func TestBegunStages(t *testing.T) {
	stage := func(name string, done, pending, failed int) stageStatus {
		return stageStatus{Stage: name, Done: done, Pending: pending, Failed: failed}
	}
	for _, c := range []struct {
		all  []stageStatus
		want string
	}{
		{nil, "[]"},
		{[]stageStatus{stage("a", 0, 0, 0), stage("b", 0, 0, 0)}, "[a]"},
		{[]stageStatus{stage("a", 3, 0, 0), stage("b", 0, 2, 0), stage("c", 0, 0, 0), stage("d", 0, 0, 0)}, "[a b c]"},
		{[]stageStatus{stage("a", 3, 0, 0), stage("b", 0, 0, 0), stage("c", 0, 0, 1)}, "[a c]"},
	} {
		names := []string{}
		for _, s := range begunStages(c.all) {
			names = append(names, s.Stage)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("%v of %v, want %s", got, c.all, c.want)
		}
	}
}
