package text_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ want, text string }{
		{"", ""},
		{"", "42 + 1"},
		{"", "Orsk"},
		{"", "Mira Voss, Ada Kestrel"},
		{"en", "The mill was drawn by Mira Voss and it ground flour for the town."},
		{"de", "Die Mühle wurde von Mira Voss gebaut und mahlte das Mehl für die Stadt."},
		{"de", "Wer hat die Mühle gebaut?"},
		{"fr", "Le moulin a été dessiné par Mira Voss et il a moulu la farine de la ville."},
		{"es", "El molino fue diseñado por Mira Voss y molía la harina del pueblo con el agua de la marea."},
		{"it", "Il mulino è stato disegnato da Mira Voss e macinava la farina della città con gli ingranaggi."},
		{"pt", "O moinho foi desenhado pela Mira Voss e não moía a farinha da cidade com as pedras do rio."},
		{"nl", "De molen werd door Mira Voss getekend en maalde het meel voor de stad, dat is zeker."},
		{"ru", "Мельница была построена в городе, и она молола муку для людей."},
		{"uk", "Млин був збудований у місті, і він молов борошно для людей."},
		{"zh", "潮汐磨坊由工程师米拉设计。"},
		{"zh", "來自 Stardew Valley Wiki 的硬木圍欄是一件可打造物品，可以讓玩家在農場中隔開某些區域。"},
		{"ja", "潮汐水車は技師が設計した。"},
		{"ja", "カメラのレンズ"},
		{"ko", "조석 방앗간은 기술자가 설계했다."},
		{"ar", "صممت المهندسة طاحونة المد في المدينة."},
		{"fa", "آسیاب جزر و مدی را مهندس در شهر ساخت و گچ آن از کوه بود."},
		{"ur", "یہ چکی شہر میں ہے اور لوگوں کے لیے آٹا پیستی ہے۔"},
		{"he", "את טחנת הגאות תכננה המהנדסת."},
		{"el", "Ο μύλος της πόλης."},
		{"th", "โรงสีน้ำขึ้นน้ำลง"},
		{"hi", "चक्की शहर में है।"},
	} {
		if got := text.Language(c.text); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
	// Only the beginning is read, and a cut inside a character does no harm.
	if got := text.Language(strings.Repeat("磨坊", 1<<16)); got != "zh" {
		t.Errorf("a long text is %q", got)
	}
}

func TestTopic(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"鹈鹕镇在哪里？", "鹈鹕镇"},
		{"硬木围栏是什么？", "硬木围栏"},
		{"有关养猪你能告诉我什么？", "养猪"},
		{"File:Peach.png是什么？", "File:Peach.png"},
		{"誰が潮汐水車を設計しましたか？", "潮汐水車を設計し"},
		{"조석 방앗간은 누가 설계했습니까?", "조석 방앗간은 설계했"},
		{"Wer hat die Mühle gebaut?", "Mühle gebaut"},
		{"أين تقع طاحونة المد؟", "تقع طاحونة المد"},
		{"Who built the mill?", "Who built the mill"},
		{"是什么？", "是什么"},
		{"", ""},
	} {
		got := strings.Join(strings.Fields(strings.Trim(text.Topic(c.question), "?？؟ ")), " ")
		if got != c.want {
			t.Errorf("%q is about %q, want %q", c.question, got, c.want)
		}
	}
}

// TestSentencesOfLanguages cuts texts at a mark | that is put where a sentence
// must end.
func TestSentencesOfLanguages(t *testing.T) {
	for _, marked := range []string{
		"磨坊由米拉设计。|她问：“潮水来了吗？”|没有人回答……|大家都在等！|然后水来了。",
		"水車は佐藤が設計した。|「潮が来た！」|と彼女は言った。",
		"조석 방앗간은 김미라가 설계했다. |그녀는 1891년에 왔다.",
		"صممت ميرا الطاحونة. |هل جاء المد؟ |نعم، جاء.",
		"את הטחנה תכננה מירה. |האם בא הגאות? |כן.",
		"Die Mühle wurde am 16. Juni 1891 gebaut, z. B. nach Plänen des 19. Jahrhunderts. |Sie kostete ca. 3 Mio. Kronen bzw. Taler. |Das war viel.",
		"There were 16. |Then the rest came.",
	} {
		s := strings.ReplaceAll(marked, "|", "")
		var want []string
		for part := range strings.SplitSeq(marked, "|") {
			want = append(want, strings.TrimSpace(part))
		}
		var got []string
		for _, sp := range text.Sentences(s) {
			got = append(got, s[sp.Start:sp.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("sentences\n%q\nwant\n%q", got, want)
		}
	}
}

// TestChunksOfLanguages: what has no blanks is cut at its commas, and never
// inside of what stands between them if that fits.
func TestChunksOfLanguages(t *testing.T) {
	clause := "潮汐磨坊由工程师米拉设计并且建造，"
	s := strings.Repeat(clause, 20) + "完。"
	tok := text.NewCL100K()
	c, err := text.NewChunker(tok, text.ChunkSet{Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := c.Chunks(t.Context(), s)
	if err != nil || len(chunks) < 3 {
		t.Fatalf("%d chunks, error %v", len(chunks), err)
	}
	for _, ch := range chunks {
		if ch.Tokens > 100 || ch.Start%len(clause) != 0 || ch.End != len(s) && ch.End%len(clause) != 0 {
			t.Errorf("a chunk of %d tokens, bytes %d to %d", ch.Tokens, ch.Start, ch.End)
		}
	}
}

func keysOf(names []text.Name) (out []string) {
	for _, n := range names {
		out = append(out, n.Surface)
	}
	return out
}

func TestNamesAndTermsOfLanguages(t *testing.T) {
	for _, c := range []struct {
		text         string
		names, terms []string
	}{
		{"磨坊\n米拉于1891年来到Karrow镇，写了《潮之歌》。磨坊由工程师设计。",
			[]string{"磨坊", "1891", "Karrow", "潮之歌"}, []string{"米拉", "工程师设计"}},
		{"水車\n港町の潮汐水車は技師の佐藤花子がカメラで見た。",
			[]string{"水車"}, []string{"港町", "潮汐水車", "技師", "佐藤花子", "カメラ"}},
		{"조석 방앗간은 기술자 김미라가 설계했다.", nil, []string{"조석 방앗간", "기술자 김미라"}},
		{"Die Mühle wurde am 16. Juni 1891 von der Ingenieurin Mira Voss gebaut. Sie und der Müller mahlten das Mehl.",
			[]string{"Juni 1891", "Mira Voss"}, []string{"Mühle", "Ingenieurin", "Müller", "Mehl"}},
	} {
		names := text.Names(c.text, nil)
		if got := keysOf(names); !slices.Equal(got, c.names) {
			t.Errorf("names of %s\n%q, want\n%q", c.text, got, c.names)
		}
		got := slices.DeleteFunc(keysOf(text.Terms(c.text, names)), func(s string) bool { return !slices.Contains(c.terms, s) })
		if !slices.Equal(got, c.terms) {
			t.Errorf("terms of %s\n%q, want\n%q", c.text, keysOf(text.Terms(c.text, names)), c.terms)
		}
	}
}
