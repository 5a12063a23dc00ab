package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
)

// Sizes of the plot in pixels: panels stand in two columns, with a legend above.
const (
	plotColumns = 2
	panelWidth  = 440.0
	panelHeight = 320.0
	marginLeft  = 58.0
	marginRight = 16.0
	marginTop   = 30.0
	marginUnder = 42.0
	legendRow   = 20.0
)

// plotColors are those of Okabe and Ito, which people who see few colours tell
// apart.
var plotColors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"}

// plotSets draws recall against speed, a panel for each set, as SVG. Speed is
// on a logarithmic axis.
func plotSets(sets [][]*vectorResult) []byte {
	var engines []string
	for _, set := range sets {
		for _, run := range set {
			if !slices.Contains(engines, run.Engine) {
				engines = append(engines, run.Engine)
			}
		}
	}
	columns := min(plotColumns, len(sets))
	rows := (len(sets) + columns - 1) / columns
	top := 12 + legendRow*float64(len(engines))
	width, height := panelWidth*float64(columns), top+panelHeight*float64(rows)
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
		width, height, width, height)
	fmt.Fprintf(&b, "<title>Recall against searches a CPU-second</title>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width, height)
	for i, e := range engines {
		y := 12 + legendRow*(float64(i)+0.5)
		fmt.Fprintf(&b, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"2\"/><circle cx=\"%g\" cy=\"%g\" r=\"3\" fill=\"%[5]s\"/>",
			marginLeft, y, marginLeft+28, y, plotColor(i), marginLeft+14, y)
		fmt.Fprintf(&b, "<text x=\"%g\" y=\"%g\">%s</text>\n", marginLeft+36, y+4, html.EscapeString(e))
	}
	for i, set := range sets {
		fmt.Fprintf(&b, "<g transform=\"translate(%g %g)\">\n", panelWidth*float64(i%columns), top+panelHeight*float64(i/columns))
		plotPanel(&b, set, engines)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func plotColor(i int) string { return plotColors[i%len(plotColors)] }

// plotPanel draws one set.
func plotPanel(b *bytes.Buffer, set []*vectorResult, engines []string) {
	least, slow, fast := 1.0, math.Inf(1), 0.0
	for _, run := range set {
		for _, p := range run.Points {
			least, slow, fast = min(least, p.Recall), min(slow, p.QPS), max(fast, p.QPS)
		}
	}
	// At least one hundredth of recall and whole steps of 1, 2, 5.
	step := recallStep(1 - least)
	left := math.Min(math.Floor(least/step)*step, 1-step)
	ticks := qpsTicks(slow, fast)
	low, high := math.Log(ticks[0]), math.Log(ticks[len(ticks)-1])
	x := func(recall float64) float64 {
		return marginLeft + (recall-left)/(1-left)*(panelWidth-marginLeft-marginRight)
	}
	y := func(qps float64) float64 {
		return panelHeight - marginUnder - (math.Log(qps)-low)/(high-low)*(panelHeight-marginTop-marginUnder)
	}
	bottom := panelHeight - marginUnder
	first := set[0]
	fmt.Fprintf(b, "<text x=\"%g\" y=\"%g\" font-weight=\"bold\">%s</text>\n", marginLeft, marginTop-10,
		html.EscapeString(fmt.Sprintf("%s: %d × %d, %s", first.Set, first.N, first.Dim, first.Metric)))
	for _, q := range ticks {
		fmt.Fprintf(b, "<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			marginLeft, y(q), panelWidth-marginRight, y(q), marginLeft-6, y(q)+4, number(q))
	}
	for i := 0; ; i++ {
		r := left + float64(i)*step
		if r > 1+step/2 {
			break
		}
		fmt.Fprintf(b, "<line x1=\"%.1f\" y1=\"%g\" x2=\"%.1f\" y2=\"%g\" stroke=\"#eee\"/><text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.4g</text>\n",
			x(r), marginTop, x(r), bottom, x(r), bottom+15, r)
	}
	fmt.Fprintf(b, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">recall@%d</text>\n", (marginLeft+panelWidth-marginRight)/2, bottom+32, recallAt)
	fmt.Fprintf(b, "<text transform=\"translate(12 %g) rotate(-90)\" text-anchor=\"middle\">searches a CPU-second</text>\n", (marginTop+bottom)/2)
	for _, run := range set {
		color := plotColor(slices.Index(engines, run.Engine))
		b.WriteString("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + color + "\" points=\"")
		for _, p := range run.Points {
			fmt.Fprintf(b, "%.1f,%.1f ", x(p.Recall), y(p.QPS))
		}
		b.WriteString("\"/>\n")
		for _, p := range run.Points {
			fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s, ef %d: recall %.4f, %s/s</title></circle>\n",
				x(p.Recall), y(p.QPS), color, html.EscapeString(run.Engine), p.Ef, p.Recall, number(p.QPS))
		}
	}
}

// recallStep returns a step of 1, 2 or 5 times a power of ten that divides a
// span of recall into five parts or fewer, 0.002 at least.
func recallStep(span float64) float64 {
	for _, s := range []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
		if span <= 5*s {
			return s
		}
	}
	return 0.2
}

// qpsTicks returns numbers 1, 2 or 5 times a power of ten, the first not above
// slow and the last not below fast, two at least.
func qpsTicks(slow, fast float64) []float64 {
	slow = max(slow, 1)
	unit := math.Pow(10, math.Floor(math.Log10(slow)))
	var out []float64
	for ; ; unit *= 10 {
		for _, m := range []float64{1, 2, 5} {
			tick := m * unit
			if tick <= slow {
				out = out[:0] // the greatest that is not above slow is the first
			}
			out = append(out, tick)
			if tick >= fast && len(out) > 1 {
				return out
			}
		}
	}
}
