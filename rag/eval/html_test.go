package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

// hostile is a text that would end a script, begin one, or leave an attribute.
const hostile = `</script><script>document.title="caught"</script>"><img src=x onerror='document.title="caught"'> & {{.}} <!--`

// page makes a page with hostile texts in every place that takes some.
func page(t *testing.T) string {
	t.Helper()
	corpus, questions := townsOf(8)
	questions[0].Question, questions[0].ID = hostile+" Where was "+questions[0].Question, hostile
	data := dataSet(t, corpus, questions)
	writeFile(t, filepath.Join(data, "recorded.jsonl"), `{"system":"</script><b>other","question_id":"q1","retrieved":["p1"]}`)
	list := specs(t, "bm25", "naive", "ketrag", "ketrag:theta=0", "ketrag:theta=1")
	list[1].Label = hostile
	growth, err := eval.ParseGrowth("0.5,2")
	check(t, err)
	rep, err := eval.Run(t.Context(), eval.Options{Data: data, Specs: list, Methods: methods.All(), Engine: inMemory(), Growth: growth, At: []int{200, 800}})
	check(t, err)
	var b bytes.Buffer
	check(t, eval.WriteHTML(&b, []*eval.Report{rep}))
	return b.String()
}

func TestWriteHTML(t *testing.T) {
	t.Parallel()
	html := page(t)
	if n := strings.Count(html, "<script"); n != 2 || strings.Count(html, "</script>") != 2 || strings.Contains(html, "<img") || strings.Contains(html, "<b>") {
		t.Errorf("%d scripts, or a hostile text came through", n)
	}
	if m := regexp.MustCompile(`(?i)https?://|//[a-z0-9-]+\.[a-z]|src=|href=|@import|url\(`).FindString(strings.ReplaceAll(html, "src=x", "")); m != "" {
		t.Errorf("the page asks for something: %q", m)
	}
	if n := strings.Count(html, "<svg"); n != 4 {
		t.Errorf("%d plots", n)
	}
	for _, want := range []string{"ketrag:theta=1", "Quality over latency", "growth", "at once", "Sizes of the indexes", `aria-label="ketrag: coverage`,
		"Coverage over tokens", "Recall over tokens", `aria-label="ketrag:theta=1: recall %`, "At equal tokens", "gain less cost", "Recall by section"} {
		if !strings.Contains(strings.ToLower(html), strings.ToLower(want)) {
			t.Errorf("no %q", want)
		}
	}
	// The data is JSON that says what the report says.
	_, data, _ := strings.Cut(html, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var back struct {
		Sets []struct {
			Report    eval.Report
			Questions []struct{ ID, Question string }
			Methods   []struct {
				Name string
				Rows [][]*float64
			}
		}
	}
	check(t, json.Unmarshal([]byte(data), &back))
	set := back.Sets[0]
	if len(set.Questions) != 8 || set.Questions[0].ID != hostile || !strings.HasPrefix(set.Questions[0].Question, hostile) {
		t.Errorf("%+v", set.Questions)
	}
	if len(set.Methods) != 6 || len(set.Methods[0].Rows) != 8 || *set.Methods[0].Rows[0][0] != 1 || set.Methods[5].Rows[0] != nil {
		t.Errorf("%+v", set.Methods)
	}
	if *set.Report.Methods[0].Coverage == 0 || len(set.Report.Methods[5].At) != 0 || len(set.Report.Methods[2].At) != 2 || *set.Report.Methods[2].At[1].Recall == 0 || len(set.Report.Growth.Steps) != 3 {
		t.Errorf("%+v", set.Report)
	}
}

// TestWriteHTMLOfLittle writes pages of reports that have hardly anything.
func TestWriteHTMLOfLittle(t *testing.T) {
	t.Parallel()
	for _, reports := range [][]*eval.Report{nil, {{}}, {{Methods: []eval.Figure{{Name: "a"}}}}, {{}, {Join: "yes", Data: "x"}}} {
		var b bytes.Buffer
		if check(t, eval.WriteHTML(&b, reports)); !strings.Contains(b.String(), "</html>") {
			t.Errorf("%s", &b)
		}
	}
}

// TestPageInBrowser opens a page in a real browser: it must show all questions,
// sort, and not run what is in their texts.
func TestPageInBrowser(t *testing.T) {
	if !*long {
		t.Skip("opens a browser; give -long")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium is installed")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	html := page(t)
	// What a reader does: opens the questions, and sorts by the last column.
	html = strings.Replace(html, "</body>", `<script>addEventListener("load", () => {
  document.querySelector("details.questions").open = true;
  const heads = document.querySelectorAll("table.sortable")[0].tHead.rows[0].cells;
  heads[2].querySelector("button").click();
  setTimeout(() => { document.body.dataset.questions = document.querySelectorAll("details.questions tbody tr").length; }, 100);
});</script></body>`, 1)
	check(t, os.WriteFile(file, []byte(html), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--virtual-time-budget=3000", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+file).Output()
	check(t, err)
	dom := string(out)
	if !strings.Contains(dom, "<title>Retrieval methods compared</title>") {
		t.Error("a text was run")
	}
	if !strings.Contains(dom, `data-questions="8"`) || !strings.Contains(dom, `aria-sort="descending"`) {
		t.Error("the page does not show its questions, or does not sort")
	}
}
