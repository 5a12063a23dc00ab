package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The size of a plot and of its margins, in units of its picture.
const (
	plotWidth, plotHeight = 620.0, 400.0
	plotLeft, plotRight   = 44.0, 604.0
	plotTop, plotBottom   = 30.0, 356.0
)

// plot is a picture of methods by two figures, as the page's template draws it.
type plot struct {
	Title, X, Y              string
	Width, Height            float64
	Left, Right, Top, Bottom float64
	YText, XText             float64 // where the axes' numbers are
	XName, YName             float64
	LevelText                float64
	XTicks, YTicks, Levels   []tick
	Points                   []point
	Ways                     []way
	Labels                   []label
}

// tick is a line across the plot; Text is where its name stands.
type tick struct {
	At, Text float64
	Name     string
}

// point is a method.
type point struct {
	About, Path string
	Color       int

	name string // to be written beside it, "" for none
	x, y float64
}

// way joins the points of one method with different parameters.
type way struct {
	Path  string
	Color int
}

// label names a point.
type label struct {
	X, Y   float64
	Anchor string
	Name   string
}

// dot is a method to be drawn: its two figures, and the method that it is a
// variant of. The dots of one group and line are joined in their order.
type dot struct {
	name, group string
	x, y        float64
	line        string
}

// colors are the methods that have a colour and a shape of their own; the last
// of each is everybody else's.
func colors() []string { return []string{"ketrag", "noderag", "erarag", "archrag", "hirag", "bridge"} }

func colorOf(group string) int {
	if i := slices.Index(colors(), group); i >= 0 {
		return i
	}
	return len(colors())
}

// newPlot draws dots by a figure in percent over a cost of more than 0, which
// has a logarithmic scale. levels are drawn across it: figures without a cost.
func newPlot(title, x, y string, dots, levels []dot) *plot {
	p := &plot{
		Title: title, X: x, Y: y, Width: plotWidth, Height: plotHeight,
		Left: plotLeft, Right: plotRight, Top: plotTop, Bottom: plotBottom,
		YText: plotLeft - 6, XText: plotBottom + 16, XName: plotBottom + 34, YName: plotTop - 12, LevelText: plotRight - 4,
	}
	low, high := math.Inf(1), math.Inf(-1)
	least, most := math.Inf(1), math.Inf(-1)
	for _, d := range dots {
		low, high = min(low, d.x), max(high, d.x)
		least, most = min(least, d.y), max(most, d.y)
	}
	for _, d := range levels {
		least, most = min(least, d.y), max(most, d.y)
	}
	low, high = low/1.3, high*1.3
	step := stepOf(most - least)
	least, most = math.Floor(least/step)*step, math.Ceil(most/step)*step
	if least == most {
		least, most = least-step, most+step
	}
	atX := func(v float64) float64 {
		return round1(plotLeft + (plotRight-plotLeft)*(math.Log(v)-math.Log(low))/(math.Log(high)-math.Log(low)))
	}
	atY := func(v float64) float64 { return round1(plotBottom - (plotBottom-plotTop)*(v-least)/(most-least)) }
	for v := least; v < most+step/2; v += step {
		p.YTicks = append(p.YTicks, tick{atY(v), atY(v) + 4, strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)})
	}
	for _, v := range decades(low, high) {
		p.XTicks = append(p.XTicks, tick{At: atX(v), Name: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	for _, d := range levels {
		p.Levels = append(p.Levels, tick{atY(d.y), atY(d.y) - 3, d.name})
	}
	// A sweep is drawn in the order of its values.
	slices.SortStableFunc(dots, func(a, b dot) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.line, b.line))
	})
	for i, d := range dots {
		c := colorOf(d.group)
		at := point{
			About: fmt.Sprintf("%s: %s %.1f, %s %s", d.name, y, d.y, x, threeDigits(d.x)),
			Color: c, name: d.name, x: atX(d.x), y: atY(d.y),
		}
		if i+1 < len(dots) && d.line != "" && dots[i+1].group == d.group && dots[i+1].line == d.line {
			at.name = "" // the last of a line names it
		}
		at.Path = shape(c, at.x, at.y)
		p.Points = append(p.Points, at)
		if i > 0 && dots[i-1].group == d.group && dots[i-1].line == d.line {
			from := p.Points[i-1]
			p.Ways = append(p.Ways, way{fmt.Sprintf("M%.1f %.1fL%.1f %.1f", from.x, from.y, at.x, at.y), c})
		}
	}
	p.name()
	return p
}

// threeDigits writes a number with three digits, or with all before the point if these are
// more.
func threeDigits(x float64) string {
	if x >= 1000 {
		return grouped(strconv.FormatFloat(x, 'f', 0, 64))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func round1(x float64) float64 { return math.Round(x*10) / 10 }

// stepOf returns the distance of the lines of a scale that spans so much.
func stepOf(span float64) float64 {
	for _, s := range []float64{1, 2, 5, 10} {
		if span/s <= 7 {
			return s
		}
	}
	return 20
}

// decades returns 1, 2 and 5 times the powers of ten between two numbers, or the
// powers alone if those are many.
func decades(low, high float64) []float64 {
	var out []float64
	of := []float64{1, 2, 5}
	if math.Log10(high/low) > 3 {
		of = of[:1]
	}
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, m := range of {
			v := m * math.Pow(10, e)
			if v >= low && v <= high {
				out = append(out, v)
			}
		}
	}
	return out
}

// shape returns the path of a method's mark: a circle, square, triangle up,
// diamond, triangle down or cross, and a small circle for everybody else.
func shape(c int, x, y float64) string {
	const r = 6
	switch c {
	case 1:
		return fmt.Sprintf("M%.1f %.1fh%dv%dh%dz", x-r+1, y-r+1, 2*r-2, 2*r-2, -2*r+2)
	case 2:
		return fmt.Sprintf("M%.1f %.1fl%d %dh%dz", x, y-r, r, 2*r-1, -2*r)
	case 3:
		return fmt.Sprintf("M%.1f %.1fl%d %dl%d %dl%d %dz", x, y-r-1, r+1, r+1, -r-1, r+1, -r-1, -r-1)
	case 4:
		return fmt.Sprintf("M%.1f %.1fl%d %dh%dz", x, y+r, r, -2*r+1, -2*r)
	case 5:
		return fmt.Sprintf("M%.1f %.1fh4v4h4v4h-4v4h-4v-4h-4v-4h4z", x-2, y-r)
	case 0:
		return circle(x, y, r)
	}
	return circle(x, y, r-2)
}

func circle(x, y, r float64) string {
	return fmt.Sprintf("M%.1f %.1fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z", x-r, y, r, r, 2*r, r, r, -2*r)
}

// box is a part of the picture that is taken.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

// name writes the points' names if there is room for them; a point without a
// name tells it when it is pointed at.
func (p *plot) name() {
	var taken []box
	for _, pt := range p.Points {
		taken = append(taken, box{pt.x - 6, pt.y - 6, pt.x + 6, pt.y + 6})
	}
	for _, l := range p.Levels {
		taken = append(taken, box{plotRight - textWidth(l.Name) - 4, l.Text - 10, plotRight, l.Text + 3})
	}
	for _, pt := range p.Points {
		if pt.name == "" {
			continue
		}
		name := shorten(pt.name)
		w := textWidth(name)
		for _, try := range []struct {
			l label
			b box
		}{
			{label{pt.x + 9, pt.y + 4, "start", name}, box{pt.x + 8, pt.y - 6, pt.x + 9 + w, pt.y + 7}},
			{label{pt.x - 9, pt.y + 4, "end", name}, box{pt.x - 9 - w, pt.y - 6, pt.x - 8, pt.y + 7}},
			{label{pt.x, pt.y - 10, "middle", name}, box{pt.x - w/2, pt.y - 20, pt.x + w/2, pt.y - 7}},
			{label{pt.x, pt.y + 18, "middle", name}, box{pt.x - w/2, pt.y + 8, pt.x + w/2, pt.y + 21}},
		} {
			free := try.b.x0 > plotLeft && try.b.x1 < plotWidth && try.b.y0 > plotTop-14 && try.b.y1 < plotBottom+2
			if free && !slices.ContainsFunc(taken, try.b.meets) {
				try.l.X, try.l.Y = round1(try.l.X), round1(try.l.Y)
				p.Labels, taken = append(p.Labels, try.l), append(taken, try.b)
				break
			}
		}
	}
}

// textWidth is about how wide a name is.
func textWidth(s string) float64 { return 6.1 * float64(len([]rune(s))) }

func shorten(s string) string {
	if r := []rune(s); len(r) > 26 {
		return string(r[:25]) + "…"
	}
	return s
}
