package eval

import (
	"fmt"
	"testing"
)

func TestPlot(t *testing.T) {
	t.Parallel()
	p := newPlot("t", "cost", "recall %", []dot{
		{"bm25", "bm25", 1, 70}, {"a", "ketrag", 10, 60}, {"b", "ketrag", 10, 80}, {"c", "ketrag", 100, 90},
	}, []dot{{name: "other", y: 95}})
	if p.YTicks[0].Name+" "+p.YTicks[len(p.YTicks)-1].Name != "60 95" || len(p.XTicks) != 7 || p.XTicks[0].Name != "1" || p.XTicks[6].Name != "100" {
		t.Errorf("scales %+v, %+v", p.YTicks, p.XTicks)
	}
	mid := (p.Points[0].x + p.Points[3].x) / 2 // 10 is halfway between 1 and 100
	if d := p.Points[1].x - mid; d > 0.1 || d < -0.1 || p.Points[1].x != p.Points[2].x || p.Points[1].y <= p.Points[2].y {
		t.Errorf("points %+v", p.Points)
	}
	if len(p.Ways) != 2 || len(p.Labels) != 4 || len(p.Levels) != 1 || p.Levels[0].At < plotTop || p.Levels[0].At >= p.Points[3].y {
		t.Errorf("ways %+v, labels %+v, levels %+v", p.Ways, p.Labels, p.Levels)
	}
	for i, a := range p.Labels {
		if a.X < plotLeft || a.X > plotRight || a.Y < plotTop-14 || a.Y > plotBottom+2 {
			t.Errorf("label %d is at %v, %v", i, a.X, a.Y)
		}
	}
	// One point alone, and many at one place, make a plot too.
	one := newPlot("t", "x", "y", []dot{{"a", "a", 3, 0}}, nil)
	if len(one.YTicks) < 2 || len(one.Labels) != 1 {
		t.Errorf("%+v", one)
	}
	var same []dot
	for i := range 30 {
		same = append(same, dot{fmt.Sprint("method ", i), "m", 5, 50})
	}
	if p := newPlot("t", "x", "y", same, nil); len(p.Points) != 30 || len(p.Labels) > 4 || len(p.Labels) == 0 {
		t.Errorf("%d points with %d names", len(p.Points), len(p.Labels))
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"0": "0", "999": "999", "1000": "1,000", "1234567.8": "1,234,567.8"} {
		if got := grouped(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
