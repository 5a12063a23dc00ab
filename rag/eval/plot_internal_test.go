package eval

import (
	"fmt"
	"testing"
)

func TestPlot(t *testing.T) {
	t.Parallel()
	p := newPlot("t", "cost", "recall %", []dot{
		{name: "bm25", group: "bm25", x: 1, y: 70}, {name: "a", group: "ketrag", x: 10, y: 60}, {name: "b", group: "ketrag", x: 10, y: 80}, {name: "c", group: "ketrag", x: 100, y: 90},
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
	one := newPlot("t", "x", "y", []dot{{name: "a", group: "a", x: 3}}, nil)
	if len(one.YTicks) < 2 || len(one.Labels) != 1 {
		t.Errorf("%+v", one)
	}
	var same []dot
	for i := range 30 {
		same = append(same, dot{name: fmt.Sprint("method ", i), group: "m", x: 5, y: 50})
	}
	if p := newPlot("t", "x", "y", same, nil); len(p.Points) != 30 || len(p.Labels) > 4 || len(p.Labels) == 0 {
		t.Errorf("%d points with %d names", len(p.Points), len(p.Labels))
	}
}

// TestPlotLines holds that two rows of one method are two lines, each named once, at
// its last point.
func TestPlotLines(t *testing.T) {
	t.Parallel()
	p := newPlot("t", "tokens", "recall %", []dot{
		{"one", "ketrag", 1000, 40, "one"}, {"two", "ketrag", 1000, 70, "two"}, {"one", "ketrag", 4000, 50, "one"}, {"two", "ketrag", 4000, 90, "two"},
	}, nil)
	var names []string
	for _, l := range p.Labels {
		names = append(names, l.Name)
	}
	if fmt.Sprint(names) != "[one two]" || len(p.Points) != 4 || p.Points[1].name != "one" || p.Points[1].About != "one: recall % 50.0, tokens 4,000" {
		t.Errorf("%q of %+v", names, p.Points)
	}
	if len(p.Ways) != 2 || p.Ways[0].Path != fmt.Sprintf("M%.1f %.1fL%.1f %.1f", p.Points[0].x, p.Points[0].y, p.Points[1].x, p.Points[1].y) {
		t.Errorf("ways %+v", p.Ways)
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
