package main

import (
	"slices"
	"strings"
)

// grid prints rows in columns, as a table, a box or Markdown, one batch after the
// other: columns only grow from one batch to the next.
type grid struct {
	out    *output
	format format
	head   []string
	// right says which columns are set flush right: numbers.
	right []bool
	// room is how many columns of the terminal a line may take, 0 for any number.
	room   int
	widths []int // nil before the first batch
}

// add prints a batch, the head before the first.
func (g *grid) add(cells [][]string) {
	first := g.widths == nil
	g.settle(cells)
	switch g.format {
	case asMarkdown:
		if first {
			g.markdown([][]string{g.head, g.dashes()})
		}
		g.markdown(cells)
		return
	case asBox:
		if first {
			g.rule("┌", "┬", "┐")
			g.out.print("%s\n", g.line(g.head))
			g.rule("├", "┼", "┤")
		}
	default:
		if first {
			g.out.print("%s\n", g.out.dim(g.line(g.head)))
		}
	}
	for _, row := range cells {
		g.out.print("%s\n", g.line(row))
	}
}

// end prints what follows the last batch.
func (g *grid) end() {
	if g.format == asBox {
		g.rule("└", "┴", "┘")
	}
}

func (g *grid) flush(j int) bool { return j < len(g.right) && g.right[j] }

// line sets cells into their columns, the long ones cut.
func (g *grid) line(cells []string) string {
	out := make([]string, len(cells))
	for j, c := range cells {
		out[j] = pad(cut(c, g.widths[j]), g.widths[j], g.flush(j))
	}
	if g.format == asBox {
		return "│ " + strings.Join(out, " │ ") + " │"
	}
	return strings.TrimRight(strings.Join(out, "  "), " ")
}

// rule prints a line of a box.
func (g *grid) rule(left, mid, right string) {
	parts := make([]string, len(g.widths))
	for j, n := range g.widths {
		parts[j] = strings.Repeat("─", n+2)
	}
	g.out.print("%s%s%s\n", left, strings.Join(parts, mid), right)
}

// dashes is the row below the head in Markdown.
func (g *grid) dashes() []string {
	out := make([]string, len(g.head))
	for j := range out {
		out[j] = "---"
		if g.flush(j) {
			out[j] = "--:"
		}
	}
	return out
}

func (g *grid) markdown(rows [][]string) {
	escaped := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, row := range rows {
		out := make([]string, len(row))
		for j, c := range row {
			out[j] = escaped.Replace(c)
		}
		g.out.print("| %s |\n", strings.Join(out, " | "))
	}
}

// settle gives each column the width of its longest cell; if the lines would be too
// long it takes from the widest.
func (g *grid) settle(cells [][]string) {
	if g.widths == nil {
		g.widths = make([]int, len(g.head))
	}
	for _, row := range append([][]string{g.head}, cells...) {
		for j, c := range row {
			g.widths[j] = max(g.widths[j], columns(c))
		}
	}
	room := g.room
	if room == 0 || g.format == asMarkdown {
		return
	}
	between := 2
	if g.format == asBox {
		between = 3
		room -= 4
	}
	narrow(g.widths, room-between*(len(g.widths)-1))
}

// narrow cuts the widest of some widths down to one that makes their sum fit,
// but none below leastColumn.
func narrow(widths []int, room int) {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for sum > room {
		widest := slices.Max(widths)
		if widest <= leastColumn {
			return
		}
		// All of the widest shrink together, to the next width below them or as
		// far as they must.
		next, count := leastColumn, 0
		for _, w := range widths {
			switch {
			case w == widest:
				count++
			case w > next:
				next = w
			}
		}
		need := (sum - room + count - 1) / count
		to := max(next, widest-need)
		for i, w := range widths {
			if w == widest {
				widths[i] = to
			}
		}
		sum -= count * (widest - to)
	}
}
