package methods_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/pdftest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

var long = flag.Bool("long", false, "run the long versions of the tests")

// asked is a corpus that one method has indexed.
type asked struct {
	*rag.Corpus
	sys    *method.System
	models *rag.Models
}

// index indexes files by a method, in memory.
func index(t *testing.T, called string, files fs.FS, root string) asked {
	t.Helper()
	ctx := t.Context()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	corpus, err := rag.OpenCorpus(ctx, db, "main", nil)
	all := methods.All()
	spec, err2 := method.ParseSpec(called)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	sys, err := all.Open(ctx, corpus.Docs(), spec)
	if err != nil {
		t.Fatal(err)
	}
	x := rag.Indexer{Corpus: corpus, Methods: all, Systems: []*method.System{sys}}
	if _, err := x.Run(ctx, []rag.Input{{FS: files, Root: root}}); err != nil {
		t.Fatal(err)
	}
	models, err := corpus.OpenLocal(ctx, false, rag.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return asked{corpus, sys, models}
}

func (a asked) ask(t *testing.T, question string) *rag.Answer {
	t.Helper()
	answer, err := a.Ask(t.Context(), a.sys, a.models, method.Question{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// invented are texts of several languages about things that do not exist; all
// stand in one corpus.
var invented = map[string]string{
	"zh-mill.txt":  "潮汐磨坊\n奥尔斯克的潮汐磨坊由工程师米拉设计。她于1891年来到这座港口小镇。磨坊磨了六十年面粉，后来改成了博物馆。",
	"zh-tower.txt": "钟楼\n卡罗镇的钟楼高四十二米。钟楼的大钟由铜匠韩立铸造。每年冬至，镇上的居民在钟楼下点灯。",
	"zh-ferry.txt": "渡船\n渡船每天早上六点从卡罗镇出发，开往斯卡岛。一张船票要十二枚银币。",
	"ja-mill.txt":  "潮汐水車\n港町の潮汐水車は技師の佐藤花子が設計した。水車は六十年のあいだ粉をひいた。今は博物館である。",
	"ja-tower.txt": "時計塔\n丘の時計塔は高さ四十二メートルである。鐘は銅細工師の黒田健が鋳造した。冬至の夜に町の人は灯をともす。",
	"ko-mill.txt":  "조석 방앗간\n조석 방앗간은 기술자 김미라가 설계했다. 방앗간은 육십 년 동안 밀가루를 빻았다. 지금은 박물관이다.",
	"ko-tower.txt": "시계탑\n언덕의 시계탑은 높이가 사십이 미터이다. 시계탑의 종은 구리 장인 한지훈이 만들었다.",
	"ar-mill.txt":  "طاحونة المد\nصممت المهندسة ميرا طاحونة المد في مدينة أورسك. طحنت الطاحونة الدقيق ستين عاما. ثم أصبحت متحفا للبحر.",
	"ar-tower.txt": "برج الساعة\nيبلغ ارتفاع برج الساعة اثنين وأربعين مترا. صنع النحاس كريم جرس البرج في الشتاء.",
	"he-mill.txt":  "טחנת הגאות\nאת טחנת הגאות תכננה המהנדסת מירה. הטחנה טחנה קמח במשך שישים שנה. היום היא מוזאון של הים.",
	"he-tower.txt": "מגדל השעון\nגובה מגדל השעון ארבעים ושניים מטרים. את פעמון המגדל יצק חרש הנחושת דניאל.",
	"de-mill.txt":  "Die Gezeitenmühle\nDie Gezeitenmühle von Orsk wurde am 16. Juni 1891 nach Plänen der Ingenieurin Mira Voß gebaut. Sie mahlte sechzig Jahre lang Mehl. Heute ist sie ein Museum.",
	"de-tower.txt": "Der Uhrturm\nDer Uhrturm von Karrow ist zweiundvierzig Meter hoch. Seine Glocke goss der Kupferschmied Jonas Brandt. Zur Wintersonnenwende zünden die Bürger dort Lichter an.",
	"en-mill.txt":  "The paper mill\nThe paper mill of Tarn was built by Ada Kestrel. It made paper for books.",
}

// TestLanguages asks in several languages. The sentence that answers must be in
// the answer, and its source be cited first, with bytes that hold it.
func TestLanguages(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range invented {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, called := range []string{"bm25", "naive", "ketrag"} {
		t.Run(called, func(t *testing.T) {
			a := index(t, called, files, ".")
			for _, q := range []struct{ question, doc, sentence string }{
				{"潮汐磨坊是谁设计的？", "zh-mill.txt", "奥尔斯克的潮汐磨坊由工程师米拉设计。"},
				{"钟楼有多高？", "zh-tower.txt", "卡罗镇的钟楼高四十二米。"},
				{"一张船票多少钱？", "zh-ferry.txt", "一张船票要十二枚银币。"},
				{"渡船什么时候出发？", "zh-ferry.txt", "渡船每天早上六点从卡罗镇出发，开往斯卡岛。"},
				{"潮汐水車は誰が設計しましたか？", "ja-mill.txt", "港町の潮汐水車は技師の佐藤花子が設計した。"},
				{"鐘は誰が鋳造しましたか。", "ja-tower.txt", "鐘は銅細工師の黒田健が鋳造した。"},
				{"조석 방앗간은 누가 설계했습니까?", "ko-mill.txt", "조석 방앗간은 기술자 김미라가 설계했다."},
				{"시계탑의 종은 누가 만들었나요?", "ko-tower.txt", "시계탑의 종은 구리 장인 한지훈이 만들었다."},
				{"من صممت طاحونة المد؟", "ar-mill.txt", "صممت المهندسة ميرا طاحونة المد في مدينة أورسك."},
				{"كم يبلغ ارتفاع برج الساعة؟", "ar-tower.txt", "يبلغ ارتفاع برج الساعة اثنين وأربعين مترا."},
				{"מי תכננה את טחנת הגאות?", "he-mill.txt", "את טחנת הגאות תכננה המהנדסת מירה."},
				{"מה גובה מגדל השעון?", "he-tower.txt", "גובה מגדל השעון ארבעים ושניים מטרים."},
				{"Wann wurde die Gezeitenmühle gebaut?", "de-mill.txt", "Die Gezeitenmühle von Orsk wurde am 16. Juni 1891 nach Plänen der Ingenieurin Mira Voß gebaut."},
				{"Wer goss die Glocke des Uhrturms?", "de-tower.txt", "Seine Glocke goss der Kupferschmied Jonas Brandt."},
				{"WER WAR MIRA VOSS?", "de-mill.txt", "Die Gezeitenmühle von Orsk wurde am 16. Juni 1891 nach Plänen der Ingenieurin Mira Voß gebaut."},
			} {
				answer := a.ask(t, q.question)
				if !strings.Contains(answer.Text, q.sentence) || !strings.HasSuffix(answer.Text, " [1]") || len(answer.Sources) == 0 || answer.Sources[0].Doc != q.doc {
					t.Errorf("%s\n  %s\n  of %v, want %s of %s", q.question, answer.Text, answer.Sources, q.sentence, q.doc)
					continue
				}
				at := answer.Sources[0].Bytes
				if body := invented[q.doc][at[0]:at[1]]; !strings.Contains(body, q.sentence) {
					t.Errorf("%s: the bytes %v of %s are %q", q.question, at, q.doc, body)
				}
			}
			err := a.DB().View(t.Context(), func(s *engine.Snapshot) error {
				for d, err := range a.Documents(s.Graph(a.Base())) {
					if err != nil {
						return err
					}
					if want := d.Key[:2]; d.Lang != want {
						t.Errorf("the language of %s is %q", d.Key, d.Lang)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestChinese asks the questions of a Chinese corpus whose answers stand in it:
// all answers must be among the evidence, and seven of ten first in what is
// cited. Methods but bm25 are tried with -long.
func TestChinese(t *testing.T) {
	dir := filepath.Dir(evaldata.Shared(t, "stardew_zh/corpus.jsonl.gz"))
	type question struct {
		Question   string   `json:"question"`
		Supporting []string `json:"supporting"`
	}
	questions := slices.DeleteFunc(evaldata.Lines[question](t, "stardew_zh/questions.jsonl.gz"),
		func(q question) bool { return len(q.Supporting) == 0 })
	tried := []string{"bm25"}
	if *long {
		tried = append(tried, "naive", "ketrag")
	}
	for _, called := range tried {
		t.Run(called, func(t *testing.T) {
			a := index(t, called, os.DirFS(dir), "corpus.jsonl.gz")
			first, evidence := 0, 0
			for _, q := range questions {
				answer := a.ask(t, q.Question)
				right := func(chunk string) bool { return slices.Contains(q.Supporting, method.DocOf(chunk)) }
				if len(answer.Sources) > 0 && right(answer.Sources[0].Chunk) {
					first++
				} else {
					t.Logf("%s: %s", q.Question, answer.Text)
				}
				if slices.ContainsFunc(answer.Evidence.Items(), func(c rag.Cited) bool { return slices.ContainsFunc(c.Chunks, right) }) {
					evidence++
				}
			}
			t.Logf("%d questions: first source right %d, right source in the evidence %d", len(questions), first, evidence)
			if evidence < len(questions) || 10*first < 7*len(questions) {
				t.Errorf("%d questions: first source right %d, right source in the evidence %d", len(questions), first, evidence)
			}
		})
	}
}

// TestCitationsHavePages asks of a PDF file; the answer names the page.
func TestCitationsHavePages(t *testing.T) {
	file := pdftest.Document("The mill of Orsk", pdftest.Helvetica,
		pdftest.Lines("The tide mill of Orsk was drawn by Mira Voss. It ground flour for sixty years,", "until the flood came."),
		pdftest.Lines("The bell of the mill hangs in the harbour of Karrow and is rung by every ship", "that comes home."))
	a := index(t, "bm25:chunks=cl100k/30/0/paragraph", fstest.MapFS{"mill.pdf": {Data: file}}, ".")
	for question, page := range map[string]int{"Who drew the tide mill?": 1, "Where does the bell hang?": 2} {
		answer := a.ask(t, question)
		if len(answer.Sources) == 0 || answer.Sources[0].Page != page || answer.Sources[0].Doc != "mill.pdf" {
			t.Errorf("%s: %s %v, want page %d", question, answer.Text, answer.Sources, page)
		}
	}
}
