package main

import (
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/internal/service"
)

func TestBegunStages(t *testing.T) {
	stage := func(name string, done, pending, failed int) service.StageStatus {
		return service.StageStatus{Stage: name, Done: done, Pending: pending, Failed: failed}
	}
	for _, c := range []struct {
		all  []service.StageStatus
		want string
	}{
		{nil, "[]"},
		{[]service.StageStatus{stage("a", 0, 0, 0), stage("b", 0, 0, 0)}, "[a]"},
		{[]service.StageStatus{stage("a", 3, 0, 0), stage("b", 0, 2, 0), stage("c", 0, 0, 0), stage("d", 0, 0, 0)}, "[a b c]"},
		{[]service.StageStatus{stage("a", 3, 0, 0), stage("b", 0, 0, 0), stage("c", 0, 0, 1)}, "[a c]"},
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
