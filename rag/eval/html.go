package eval

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/method"
)

//go:embed page/page.html
var pageMarkup string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// htmlPage is what the template fills in.
type htmlPage struct {
	Title, About string
	Sets         []htmlSet
	Style        template.CSS
	Data, Script template.JS
}

// htmlSet is the part of the page about one data set.
type htmlSet struct {
	Number         int
	Title, About   string
	Methods        htmlTable
	Plots          []*plot
	Tables, Folded []htmlTable
	QuestionsAbout string
	Manifest       string
}

// WriteHTML writes reports as one page that needs nothing else and asks for
// nothing: tables, plots of quality over tokens, cost and latency, and every question.
// The reports are in it as JSON. Texts of questions and names are escaped.
func WriteHTML(w io.Writer, reports []*Report) error {
	t, err := template.New("page").Parse(pageMarkup)
	if err != nil {
		return phase.Errorf("page: %w", err)
	}
	data, err := json.Marshal(struct { // escapes <, > and &
		V    int        `json:"v"`
		Sets []htmlData `json:"sets"`
	}{1, dataOf(reports)})
	if err != nil {
		return phase.Errorf("page: %w", err)
	}
	page := htmlPage{Title: "Retrieval methods compared", Style: template.CSS(pageStyle), Data: template.JS(data), Script: template.JS(pageScript)}
	for i, rep := range reports {
		set, err := setOf(rep)
		if err != nil {
			return phase.Errorf("page: %w", err)
		}
		set.Number = i
		page.Sets = append(page.Sets, set)
	}
	if len(reports) > 0 {
		m := reports[0].Manifest
		page.About = fmt.Sprintf("ragdb %s · %s · %s/%s · vector kernels %s", strings.TrimSpace(m.Version+" "+m.Revision), m.Go, m.OS, m.Arch, m.Kernels)
	}
	if err := t.Execute(w, page); err != nil {
		return phase.Errorf("page: %w", err)
	}
	return nil
}

// htmlData is what a script reads of one data set.
type htmlData struct {
	Report    *Report      `json:"report"`
	Questions []htmlAsked  `json:"questions"`
	Methods   []htmlMethod `json:"methods"`
}

type htmlAsked struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Type     string `json:"type"`
}

// htmlMethod are a method's rows: main figure, reciprocal rank of the first gold
// record, tokens, milliseconds.
type htmlMethod struct {
	Name string `json:"name"`
	Rows []any  `json:"rows"`
}

func dataOf(reports []*Report) []htmlData {
	out := make([]htmlData, len(reports))
	for i, rep := range reports {
		d := htmlData{Report: rep, Questions: []htmlAsked{}, Methods: []htmlMethod{}}
		for _, q := range rep.Asked {
			d.Questions = append(d.Questions, htmlAsked{q.ID, q.Text, q.Type})
		}
		for j := range rep.Methods {
			m := htmlMethod{Name: rep.Methods[j].Title(), Rows: []any{}}
			for _, row := range rep.Methods[j].Rows {
				if row == nil {
					m.Rows = append(m.Rows, nil)
					continue
				}
				figure := row.Coverage
				if rep.Methods[j].Coverage == nil {
					figure = row.Recall5
				}
				m.Rows = append(m.Rows, []any{figure, row.RR, row.Tokens, row.Ms})
			}
			d.Methods = append(d.Methods, m)
		}
		out[i] = d
	}
	return out
}

// Title is the name of a row, of another system said to be one.
func (f *Figure) Title() string {
	if f.Recorded {
		return f.Name + " (recorded)"
	}
	return f.Name
}

func setOf(rep *Report) (htmlSet, error) {
	manifest, err := json.MarshalIndent(rep.Manifest, "", "  ")
	if err != nil {
		return htmlSet{}, err
	}
	set := htmlSet{Title: rep.Data, Manifest: string(manifest), Methods: methodsTable(rep), Plots: plotsOf(rep)}
	apart := "apart"
	if rep.Join == "yes" {
		set.Title, apart = rep.Data+" joined", "joined"
	}
	set.About = fmt.Sprintf("%d questions · %d documents, %d chunks · records %s · budget %d tokens · chunks %s · extraction %s",
		len(rep.Asked), rep.Manifest.Documents, rep.Manifest.Chunks, apart, rep.Budget, rep.Chunks, rep.Extract)
	if len(rep.At) > 0 {
		set.Tables = append(set.Tables, equalTable(rep), graphTable(rep))
		set.Folded = append(set.Folded, sectionsTable(rep))
	}
	for _, j := range rep.Judging {
		set.Tables = append(set.Tables, judgingTable("Answers judged by "+j.Judge, j.Pairs))
		for _, at := range j.At {
			title := fmt.Sprintf("Answers from %s tokens, judged by %s", grouped(strconv.Itoa(at.Budget)), j.Judge)
			set.Folded = append(set.Folded, judgingTable(title, at.Pairs))
		}
	}
	if rep.Growth != nil {
		set.Tables = append(set.Tables, growthTable(rep))
	}
	set.Folded = append(set.Folded, opsTable(rep), sizesTable(rep))
	_, what := mainFigure(rep)
	set.QuestionsAbout = "For each method: " + what + " of the question, in percent."
	return set, nil
}

// mainFigure returns what methods are compared by, and its name.
func mainFigure(rep *Report) (of func(f *Figure) *float64, name string) {
	for i := range rep.Methods {
		if rep.Methods[i].Coverage != nil {
			return func(f *Figure) *float64 { return f.Coverage }, "coverage"
		}
	}
	return func(f *Figure) *float64 { return f.Recall5 }, "recall@5"
}

// plotsOf draws quality over tokens, over the cost of the index and over latency.
func plotsOf(rep *Report) []*plot {
	quality, name := mainFigure(rep)
	var cost, price, latency, levels, cover, recall, exact, f1 []dot
	// Recorded systems come after the instances, which are in the same order.
	for i := range rep.Methods {
		f := &rep.Methods[i]
		q := quality(f)
		if q == nil {
			continue
		}
		d := dot{name: f.Name, group: f.Name, y: 100 * *q}
		if i < len(rep.Manifest.Instances) {
			if spec, err := method.ParseSpec(rep.Manifest.Instances[i].Spec); err == nil {
				d.group = spec.Name
			}
		}
		if f.Recorded {
			d.name = f.Title()
			levels = append(levels, d)
			continue
		}
		for k := range f.At {
			x := &f.At[k]
			at := dot{name: d.name, group: d.group, line: f.Title(), x: x.Tokens}
			if at.x <= 0 {
				continue
			}
			add := func(to *[]dot, y *float64) {
				if y != nil {
					at.y = 100 * *y
					*to = append(*to, at)
				}
			}
			add(&cover, x.Coverage)
			add(&recall, x.Recall)
			if x.Answers != nil {
				add(&exact, x.Answers.EM)
				add(&f1, x.Answers.F1)
			}
		}
		if d.x = f.IndexCPU; d.x > 0 {
			cost = append(cost, d)
		}
		if f.Index != nil && f.Index.USD != nil && *f.Index.USD > 0 {
			d.x = *f.Index.USD
			price = append(price, d)
		}
		if d.x = f.Ms.P50; d.x > 0 {
			latency = append(latency, d)
		}
	}
	var out []*plot
	const tokens = "mean tokens of the evidence"
	if len(cover) > 0 {
		out = append(out, newPlot("Coverage over tokens", tokens, "coverage %", cover, nil))
	}
	if len(recall) > 0 {
		out = append(out, newPlot("Recall over tokens", tokens, "recall %", recall, nil))
	}
	if len(exact) > 0 {
		out = append(out, newPlot("Exact answers over tokens", tokens, "EM %", exact, nil))
	}
	if len(f1) > 0 {
		out = append(out, newPlot("F1 of answers over tokens", tokens, "F1 %", f1, nil))
	}
	if len(cost) > 0 {
		out = append(out, newPlot("Quality over the cost of the index", "CPU seconds of the index", name+" %", cost, levels))
	}
	if len(price) > 0 {
		out = append(out, newPlot("Quality over the price of the index", "dollars for the index", name+" %", price, levels))
	}
	if len(latency) > 0 {
		out = append(out, newPlot("Quality over latency", "median milliseconds of a retrieval", name+" %", latency, levels))
	}
	return out
}
