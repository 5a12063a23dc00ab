package metric_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/eval/metric"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 5e-5 {
		t.Errorf("%s: %.5f, want %.5f", name, got, want)
	}
}

// TestOverlap has values computed by hand from the definition of SQuAD's and
// HotpotQA's scripts.
func TestOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, reply      string
		answers          []string
		acc, em, f1, rcl float64
	}{
		{"same", "Paris", []string{"Paris"}, 1, 1, 1, 1},
		{"case, articles, punctuation", "the  PARIS!", []string{"A \"Paris\"."}, 1, 1, 1, 1},
		{"typographic punctuation", "“St. John’s”", []string{"St Johns"}, 1, 1, 1, 1},
		{"longer reply", "The Eiffel Tower in Paris", []string{"Eiffel Tower"}, 1, 0, 4. / 6, 1},
		{"shorter reply", "Hall", []string{"G. Stanley Hall"}, 0, 0, 2. / 4, 1. / 3},
		{"alias", "Stanley Hall", []string{"G. Stanley Hall", "Stanley Hall"}, 1, 1, 1, 1},
		{"best alias of each", "Hall of Clark", []string{"Granville Stanley Hall", "Clark"}, 1, 0, 2. / 4, 1},
		{"a token counts as often as both have it", "new new york", []string{"New York"}, 1, 0, 4. / 5, 1},
		{"and no more", "york", []string{"York, York"}, 0, 0, 2. / 3, 1. / 2},
		{"within a word", "It was in 19541.", []string{"1954"}, 1, 0, 0, 0},
		{"order", "France, Paris", []string{"Paris, France"}, 0, 0, 1, 1},
		{"bars and breaks", "Rome|Paris\nFrance", []string{"Paris France"}, 1, 0, 1. / 2, 1. / 2},
		{"yes", "Yes.", []string{"yes"}, 1, 1, 1, 1},
		{"more than yes", "yes, it is", []string{"yes"}, 1, 0, 0, 0},
		{"yes is no part of an answer", "no", []string{"there is no bridge"}, 0, 0, 0, 0},
		{"no answer", "", []string{"Paris"}, 0, 0, 0, 0},
		{"nothing but an article", "the", []string{"A"}, 0, 1, 1, 1},
		{"accents stay", "Malmo", []string{"Malmö"}, 0, 0, 0, 0},
		{"decomposed", "Malmo\u0308", []string{"Malm\u00f6"}, 1, 1, 1, 1},
		{"Chinese", "北京是首都。", []string{"北京"}, 1, 0, 4. / 7, 1},
		{"Chinese and Latin", "iPhone手机", []string{"iPhone 手机"}, 1, 1, 1, 1},
		{"Japanese", "コーヒー", []string{"コーヒー豆"}, 0, 0, 8. / 9, 4. / 5},
		{"Korean particles", "서울은", []string{"서울"}, 1, 0, 4. / 5, 1},
		{"Thai marks", "ที่", []string{"ที่"}, 1, 1, 1, 1},
		{"no answers", "Paris", nil, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		near(t, tt.name+": accuracy", metric.Accuracy(tt.reply, tt.answers), tt.acc)
		near(t, tt.name+": exact match", metric.ExactMatch(tt.reply, tt.answers), tt.em)
		near(t, tt.name+": F1", metric.F1(tt.reply, tt.answers), tt.f1)
		near(t, tt.name+": recall", metric.Recall(tt.reply, tt.answers), tt.rcl)
	}
}

// TestBLEU1 has the example of Papineni et al., section 2.1, and brevity
// penalties computed by hand.
func TestBLEU1(t *testing.T) {
	t.Parallel()
	mat := []string{"The cat is on the mat."}
	tests := []struct {
		name, reply string
		answers     []string
		want        float64
	}{
		{"clipped", "the the the the the the the", mat, 2. / 7},
		{"same", "the cat is on the mat", mat, 1},
		{"short", "The cat", mat, math.Exp(1 - 6./2)},
		{"short and half wrong", "a cat", mat, 0.5 * math.Exp(-2)},
		{"the best of several", "a cat", []string{mat[0], "A cat!"}, 1},
		{"Chinese", "北京市", []string{"北京"}, 2. / 3},
		{"nothing", " .", mat, 0},
	}
	for _, tt := range tests {
		near(t, tt.name, metric.BLEU1(tt.reply, tt.answers), tt.want)
	}
}

// TestROUGEL has the examples of Lin 2004, section 3.1, where stems make
// "killed" and "kill" the same, and the one of the package rouge_score.
func TestROUGEL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, reply, answer string
		want                float64
	}{
		{"Lin's S2", "police kill the gunman", "police killed the gunman", 1},
		{"Lin's S3", "the gunman kill police", "police killed the gunman", 0.5},
		{"Lin's S4", "the gunman police killed", "police killed the gunman", 0.5},
		{"rouge_score", "The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog", 2 * (5. / 8) * (5. / 9) / (5./8 + 5./9)},
		{"short words have no stem", "uses", "use", 0},
		{"Chinese", "首都北京", "北京首都", 0.5},
		{"nothing", "", "police", 0},
	}
	for _, tt := range tests {
		near(t, tt.name, metric.ROUGEL(tt.reply, []string{tt.answer}), tt.want)
	}
}

// TestMETEOR has the example of NLTK's documentation, the three of the
// metric's article in Wikipedia, and one of the stem stage computed by hand.
func TestMETEOR(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, reply, answer string
		want                float64
	}{
		{"NLTK", "It is a guide to action which ensures that the military always obeys the commands of the party",
			"It is a guide to action that ensures that the military will forever heed Party commands", 0.6944},
		{"same", "the cat sat on the mat", "the cat sat on the mat", 0.9977},
		{"one word more", "the cat was sat on the mat", "the cat sat on the mat", 0.9654},
		{"another order", "on the mat sat the cat", "the cat sat on the mat", 0.5},
		// 2 of 2 and of 3 words in one piece: P = 1, R = 2/3, mean = 2/3 / (0.9 + 0.1*2/3).
		{"stems", "cats jumped", "the cat jumps", (2. / 3) / (0.9 + 0.2/3) * (1 - 0.5/8)},
		{"nothing in common", "this is a cat", "non matching", 0},
		{"nothing", "", "cat", 0},
	}
	for _, tt := range tests {
		near(t, tt.name, metric.METEOR(tt.reply, []string{tt.answer}), tt.want)
	}
}

func TestChoice(t *testing.T) {
	t.Parallel()
	cities := []string{"Paris", "Rome", "New York", "York", "A town"}
	tests := []struct {
		reply string
		want  int
	}{
		{"B", 1}, {" b. ", 1}, {"**C**", 2}, {"(D)", 3}, {"B) Rome", 1}, {"B: it is the capital", 1}, {"C、罗马", 2},
		{"The answer is B.", 1}, {"Answer: C", 2}, {"It is (A), not elsewhere.", 0}, {"I choose option D because of York.", 3},
		{"F", -1},                 // there are five
		{"It is (A) or (B).", -1}, // not told
		{"Rome", 1}, {"It must be Rome!", 1},
		{"It is New York.", 2}, // which contains York
		{"York", 3}, {"Either Rome or York.", -1},
		{"A town in the north", 4}, // an article is not a letter
		{"A nice place", -1}, {"", -1}, {"I do not know.", -1},
	}
	for _, tt := range tests {
		if got := metric.Choice(tt.reply, cities); got != tt.want {
			t.Errorf("%q chooses %d, want %d", tt.reply, got, tt.want)
		}
	}
	if got := metric.Choice("A", nil); got != -1 {
		t.Errorf("of no options %d", got)
	}
	if got := strings.Join(metric.Lettered(cities[:2]), "|"); got != "A. Paris|B. Rome" {
		t.Error(got)
	}
}

// TestBounds holds every score within 0 and 1, with 1 for an answer that is its
// own, METEOR's penalty aside.
func TestBounds(t *testing.T) {
	t.Parallel()
	scores := map[string]func(string, []string) float64{
		"accuracy": metric.Accuracy, "exact match": metric.ExactMatch, "F1": metric.F1, "recall": metric.Recall,
		"BLEU-1": metric.BLEU1, "ROUGE-L": metric.ROUGEL, "METEOR": metric.METEOR,
	}
	pieces := []string{"the ", "cats", "cat ", "\u0301", "北", "京 ", "!", "ที่", "|", "\n", "\xff", "Yes ", "42", "ー"}
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 3000 {
		a, b := text(), text()
		for name, score := range scores {
			if x := score(a, []string{b}); !(x >= 0 && x <= 1) {
				t.Fatalf("%s of %q against %q is %v", name, a, b, x)
			}
			if x := score(b+" cat", []string{b + " cat"}); name != "METEOR" && x != 1 || x < 0.49 {
				t.Fatalf("%s of %q against itself is %v", name, b+" cat", x)
			}
		}
	}
}
