package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/ragdb/ragdb/internal/plain"
)

// cells measures texts in the columns of a terminal: two for letters of East Asian
// scripts, none for marks above others. It does not ask the environment.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// columns is the width of a text on one line.
func columns(s string) int { return cells.StringWidth(s) }

// pad fills a text up to a number of columns with blanks, before it if right.
func pad(s string, width int, right bool) string {
	if right {
		return cells.FillLeft(s, width)
	}
	return cells.FillRight(s, width)
}

// cut shortens a text to a number of columns, with an ellipsis at its end.
func cut(s string, width int) string { return cells.Truncate(s, width, "…") }

// oneLine returns a text without line breaks and runs of blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// wrap breaks a text into lines of a number of columns, at blanks if it can,
// and keeps its own line breaks.
func wrap(s string, width int, indent string) string {
	room := max(10, width-columns(indent))
	var b strings.Builder
	for _, par := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		line := ""
		flush := func() {
			b.WriteString(strings.TrimRight(indent+line, " "))
			b.WriteByte('\n')
			line = ""
		}
		for _, w := range strings.Fields(par) {
			if line != "" && columns(line)+1+columns(w) <= room {
				line += " " + w
				continue
			}
			if line != "" {
				flush()
			}
			for columns(w) > room {
				line = cells.Truncate(w, room, "")
				w = w[len(line):]
				flush()
			}
			line = w
		}
		flush()
	}
	return b.String()
}

// number writes a count with commas between thousands.
func number[N int | int64 | uint64](n N) string { return plain.Number(n) }

// plural writes a count with its noun: 1 document, 2 documents.
func plural[N int | int64 | uint64](n N, noun string) string { return plain.Plural(n, noun) }

// size writes a number of bytes.
func size[N int | int64 | uint64](n N) string {
	x := float64(n)
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if x < 1000 {
			if unit == "B" || x >= 99.95 {
				return fmt.Sprintf("%.0f %s", x, unit)
			}
			return fmt.Sprintf("%.1f %s", x, unit)
		}
		x /= 1000
	}
	return fmt.Sprintf("%.1f TB", x)
}

// duration writes a time as people read it.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// score writes a score with as many digits as tell something.
func score(x float64) string { return plain.Score(x) }

// quote writes an argument as a shell reads it back.
func quote(s string) string { return plain.Quote(s) }

// money writes an amount of dollars.
func money(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// ms writes a time in milliseconds.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
