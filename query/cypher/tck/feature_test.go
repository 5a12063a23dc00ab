package tck_test

import (
	"fmt"
	"strings"
)

// scenario is one scenario of the kit. An outline gives one for each example.
type scenario struct {
	file    string // below features, with slashes
	name    string
	example int // from 1; 0 if the scenario is no outline
	steps   []step
}

// id names a scenario in messages.
func (s *scenario) id() string {
	if s.example == 0 {
		return s.file + ": " + s.name
	}
	return fmt.Sprintf("%s: %s #%d", s.file, s.name, s.example)
}

// step is a line such as "When executing query:" with what stands below it.
type step struct {
	text  string // without its first word
	doc   string
	table [][]string
}

// featureParser reads the part of Gherkin that the kit uses.
type featureParser struct {
	file  string
	lines []string
	i     int

	background []step
	scenarios  []*scenario
	err        error
}

// parseFeature returns the scenarios of a feature file, with outlines expanded.
func parseFeature(file, text string) ([]*scenario, error) {
	p := &featureParser{file: file, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for p.skip() {
		line := strings.TrimSpace(p.lines[p.i])
		p.i++
		switch word, rest, _ := strings.Cut(line, ":"); word {
		case "Feature":
		case "Background":
			p.background = p.steps()
		case "Scenario":
			p.scenarios = append(p.scenarios, &scenario{file: file, name: strings.TrimSpace(rest), steps: p.withBackground(p.steps())})
		case "Scenario Outline":
			p.outline(strings.TrimSpace(rest))
		default:
			return nil, fmt.Errorf("%s:%d: unknown line %q", file, p.i, line)
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	return p.scenarios, nil
}

// skip moves to the next line that is neither empty, a comment nor a tag.
func (p *featureParser) skip() bool {
	for ; p.i < len(p.lines); p.i++ {
		line := strings.TrimSpace(p.lines[p.i])
		if line != "" && line[0] != '#' && line[0] != '@' {
			return true
		}
	}
	return false
}

func (p *featureParser) withBackground(steps []step) []step {
	return append(p.background[:len(p.background):len(p.background)], steps...)
}

var stepWords = []string{"Given ", "When ", "Then ", "And ", "But ", "* "}

// steps reads the steps up to a line that is none.
func (p *featureParser) steps() []step {
	var steps []step
next:
	for p.skip() {
		line := strings.TrimSpace(p.lines[p.i])
		for _, word := range stepWords {
			if text, ok := strings.CutPrefix(line, word); ok {
				p.i++
				steps = append(steps, p.step(strings.TrimSpace(text)))
				continue next
			}
		}
		return steps
	}
	return steps
}

// step reads the argument of a step.
func (p *featureParser) step(text string) step {
	s := step{text: text}
	if !p.skip() {
		return s
	}
	switch line := strings.TrimSpace(p.lines[p.i]); {
	case line == `"""`:
		s.doc = p.doc()
	case line[0] == '|':
		s.table = p.table()
	}
	return s
}

// doc reads a text between """ without the indentation of the first of them.
func (p *featureParser) doc() string {
	indent := strings.Index(p.lines[p.i], `"""`)
	var out []string
	for p.i++; p.i < len(p.lines); p.i++ {
		line := p.lines[p.i]
		if strings.TrimSpace(line) == `"""` {
			p.i++
			return strings.Join(out, "\n")
		}
		n := 0
		for n < len(line) && n < indent && (line[n] == ' ' || line[n] == '\t') {
			n++
		}
		out = append(out, line[n:])
	}
	p.err = fmt.Errorf(`%s: a text without a closing """`, p.file)
	return ""
}

// table reads rows of cells.
func (p *featureParser) table() [][]string {
	var rows [][]string
	for p.skip() {
		line := strings.TrimSpace(p.lines[p.i])
		if line[0] != '|' {
			break
		}
		p.i++
		rows = append(rows, cells(line[1:]))
	}
	return rows
}

// cells splits a row at its bars; a backslash escapes a bar, itself and n.
func cells(line string) []string {
	var out []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line) && (line[i+1] == '|' || line[i+1] == '\\'):
			i++
			cell.WriteByte(line[i])
		case c == '\\' && i+1 < len(line) && line[i+1] == 'n':
			i++
			cell.WriteByte('\n')
		case c == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(c)
		}
	}
	return out
}

// outline reads an outline and its examples.
func (p *featureParser) outline(name string) {
	steps := p.withBackground(p.steps())
	n := 0
	for p.skip() && strings.HasPrefix(strings.TrimSpace(p.lines[p.i]), "Examples:") {
		p.i++
		rows := p.table()
		if len(rows) == 0 {
			p.err = fmt.Errorf("%s: examples without a table", p.file)
			return
		}
		for _, row := range rows[1:] {
			n++
			var pairs []string
			for i, h := range rows[0] {
				if i < len(row) {
					pairs = append(pairs, "<"+h+">", row[i])
				}
			}
			fill := strings.NewReplacer(pairs...)
			s := &scenario{file: p.file, name: name, example: n}
			for _, st := range steps {
				filled := step{text: fill.Replace(st.text), doc: fill.Replace(st.doc)}
				for _, cells := range st.table {
					line := make([]string, len(cells))
					for i, c := range cells {
						line[i] = fill.Replace(c)
					}
					filled.table = append(filled.table, line)
				}
				s.steps = append(s.steps, filled)
			}
			p.scenarios = append(p.scenarios, s)
		}
	}
}
