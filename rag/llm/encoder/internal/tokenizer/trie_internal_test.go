package tokenizer

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// A trie finds exactly the keys it was built of, on dense and sparse sets.
func TestTrieAsMap(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		letters := []int{2, 26, 256}[round%3]
		want := map[string]int32{}
		var p pieces
		for i := range 1 + rnd.IntN(3000) {
			key := make([]byte, rnd.IntN(8))
			for j := range key {
				key[j] = byte(rnd.IntN(letters))
			}
			p.add(key, int32(i))
			want[string(key)] = int32(i)
		}
		p.sortUnique()
		if len(p.list) != len(want) {
			t.Fatalf("%d keys, want %d", len(p.list), len(want))
		}
		tr := newTrie(&p)
		for key, id := range want {
			if got := tr.find([]byte(key)); key != "" && got != id {
				t.Fatalf("key %x: got %d, want %d", key, got, id)
			}
		}
		for range 3000 {
			key := make([]byte, 1+rnd.IntN(9))
			for j := range key {
				key[j] = byte(rnd.IntN(letters + 1))
			}
			if _, ok := want[string(key)]; !ok && tr.find(key) >= 0 {
				t.Fatalf("key %x was never added", key)
			}
		}
		if n := len(p.text); len(tr.cells) > 3*n+openBlocks*blockSize {
			t.Errorf("%d cells for %d bytes of keys", len(tr.cells), n)
		}
	}
}

// The best way is the one with the highest sum, whatever the pieces are.
func TestBestSum(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var p pieces
		scores := map[string]float64{}
		m := &unigram{worst: 0}
		for range 1 + rnd.IntN(8) {
			key := make([]byte, 1+rnd.IntN(3))
			for j := range key {
				key[j] = byte('a' + rnd.IntN(3))
			}
			s := -float64(rnd.IntN(1000)) / 64
			p.add(key, int32(len(m.scores)))
			m.scores = append(m.scores, s)
			m.worst = min(m.worst, s)
			scores[string(key)] = s
		}
		m.unknown = int32(len(m.scores))
		m.scores = append(m.scores, 0)
		p.sortUnique()
		m.pieces = newTrie(&p)
		word := make([]byte, 1+rnd.IntN(10))
		for j := range word {
			word[j] = byte('a' + rnd.IntN(3))
		}
		best := make([]float64, len(word)+1)
		for end := 1; end <= len(word); end++ {
			best[end] = math.Inf(-1)
			for start := range end {
				s, ok := scores[string(word[start:end])]
				if !ok && end-start == 1 {
					s, ok = m.worst-unknownPenalty, true
				}
				if ok {
					best[end] = max(best[end], best[start]+s)
				}
			}
		}
		sc := &scratch{}
		m.tokenize(nil, word, sc)
		if got := sc.best[:len(word)+1][len(word)].score; got != best[len(word)] {
			t.Fatalf("%s: got %v, want %v", word, got, best[len(word)])
		}
	}
}

// An unknown character costs ten more than the worst piece.
func TestUnknownPenalty(t *testing.T) {
	t.Parallel()
	var p pieces
	for i, key := range []string{"ab", "a", "bc"} {
		p.add([]byte(key), int32(i))
	}
	p.sortUnique()
	m := &unigram{pieces: newTrie(&p), worst: -5, unknown: 3}
	for score, want := range map[float64][]int32{-0.5: {1, 2}, 4.9: {1, 2}, 5.1: {0, 3}} {
		m.scores = []float64{score, -5, -5, 0}
		if got := m.tokenize(nil, []byte("abc"), &scratch{}); !slices.Equal(got, want) {
			t.Errorf("with %v: got %v, want %v", score, got, want)
		}
	}
}

// A score is within one step of the nearest float, and exact where few digits
// are given.
func TestScore(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	other := 0
	for range 20000 {
		want := -rnd.Float64() * 20
		got, err := score(strconv.AppendFloat(nil, want, 'g', -1, 64))
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			other++
			if got != math.Nextafter(want, got) {
				t.Fatalf("%v was read as %v", want, got)
			}
		}
	}
	if other < 1000 || other > 5000 {
		t.Errorf("%d of 20000 were not read as the nearest, the reference has about 2600", other)
	}
	for text, want := range map[string]float64{
		"0": 0, "-0.5": -0.5, "1e3": 1000, "-12.25E-1": -1.225, "3.4635426998138428": 3.4635426998138428,
		"100000000000000000000000": 1e23, "0.00000000000000000000000000000001e10": 1e-22, "1e-400": 0,
	} {
		if got, err := score([]byte(text)); err != nil || math.Abs(got-want) > math.Abs(want)*1e-15 {
			t.Errorf("%s was read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", "a", "null", `"1"`, "1e999", "1x", "[1]"} {
		if _, err := score([]byte(text)); err == nil {
			t.Errorf("%q was read as a score", text)
		}
	}
}

// A tree of 250,000 pieces takes the memory that the package's manual says.
func TestTrieMemory(t *testing.T) {
	root := os.Getenv("RAGDB_MODELS")
	if root == "" {
		t.Skip("RAGDB_MODELS names no directory of models (see bench/models/tokens.py)")
	}
	for name, most := range map[string]int{"minilm": 2 << 20, "e5-small": 13 << 20} {
		tok, err := Load(os.DirFS(root + "/" + name))
		if err != nil {
			t.Log(err)
			continue
		}
		var cells []cell
		switch m := tok.model.(type) {
		case *wordPiece:
			cells = m.pieces.cells
		case *unigram:
			cells = m.pieces.cells
		}
		free := 0
		for _, c := range cells {
			if c.parent == 0 {
				free++
			}
		}
		t.Logf("%s: %d cells, %d free, %d bytes", name, len(cells), free, 12*cap(cells))
		if 12*cap(cells) > most {
			t.Errorf("%s takes %d bytes", name, 12*cap(cells))
		}
	}
}

// A number that is too large to be one is refused.
func TestParseID(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "-1", "1.0", "2147483647", "4294967295", "99999999999999999999", "null"} {
		if id, err := parseID([]byte(s)); err == nil {
			t.Errorf("%q was read as %d", s, id)
		}
	}
	if id, err := parseID([]byte("2147483646")); err != nil || id != math.MaxInt32-1 {
		t.Error(id, err)
	}
}

// The visible characters of bytes are those of GPT-2: all different.
func TestVisibleBytes(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for b := range 256 {
		seen[visible(byte(b))] = true
	}
	if len(seen) != 256 || visible(' ') != 'Ġ' || visible('\n') != 'Ċ' || visible(0xAD) != 'Ń' || visible(0x7F) != 'ġ' {
		t.Errorf("%d characters", len(seen))
	}
}

// Longer runs of marks than x/text handles at once are put in order.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	var text, want []byte
	for i := range 200 {
		text = append(text, []string{"\u0301", "\u0323"}[i%2]...)
	}
	for i := range 200 {
		want = append(want, []string{"\u0323", "\u0301"}[i/100]...)
	}
	got, _ := unicodeForm{}.normalize(nil, append([]byte("e"), text...), nil)
	if !slices.Equal(got, append([]byte("e"), want...)) {
		t.Errorf("got %q", got)
	}
	got, _ = unicodeForm{compose: true}.normalize(nil, append([]byte("e"), text...), nil)
	if string(got) != "\u1eb9"+string(want[2:]) {
		t.Errorf("composed: %q", got)
	}
}
