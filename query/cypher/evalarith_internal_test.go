package cypher

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func nan() float64 { return math.NaN() }

func TestArithmetic(t *testing.T) {
	run := evalRun{
		names: []string{"zero", "min", "none", "s", "t"},
		row:   row{Int(0), Int(math.MinInt64), Null, String("s"), Bool(true)},
	}
	checkCases(t, run, []evalCase{
		{"1 + 2", "3"},
		{"1 + 2.0", "3.0"},
		{"7 / 2", "3"},
		{"-7 / 2", "-3"},
		{"7.0 / 2", "3.5"},
		{"7 % 3", "1"},
		{"-7 % 3", "-1"},
		{"7.5 % 2", "1.5"},
		{"2 ^ 3", "8.0"},
		{"2 ^ -1", "0.5"},
		{"2 ^ 0.5 > 1.414", "true"},
		{"1 - 2 * 3", "-5"},
		{"12 / 4 * 3", "9"},
		{"-(3)", "-3"},
		{"+(3)", "3"},
		{"- - 3", "3"},
		{"1 / zero", "!ArithmeticError"},
		{"1 % zero", "!ArithmeticError"},
		{"1 / 0", "!ArithmeticError"},
		{"1.0 / zero", "Infinity"},
		{"-1 / 0.0", "-Infinity"},
		{"0 / 0.0", "NaN"},
		{"1 % 0.0", "NaN"},
		{"9223372036854775807 + 1", "!ArithmeticError"},
		{"min - 1", "!ArithmeticError"},
		{"min * -1", "!ArithmeticError"},
		{"min / -1", "!ArithmeticError"},
		{"min % -1", "0"},
		{"-min", "!ArithmeticError"},
		{"4611686018427387904 * 2", "!ArithmeticError"},
		{"4611686018427387904 * -2", "-9223372036854775808"},
		{"9223372036854775807 + 1.0", "9223372036854776000.0"},
		{"none + 1", "null"},
		{"1 + none", "null"},
		{"-none", "null"},
		{"none / zero", "null"},
		{"t + 1", "!TypeError"},
		{"t * 2", "!TypeError"},
		{"-s", "!TypeError"},
		{"s - 1", "!TypeError"},
		{"s * 2", "!TypeError"},
		{"{} + 1", "!TypeError"},
		{"t + none", "null"},
	})
}

// TestPlusJoins checks + on strings and lists.
func TestPlusJoins(t *testing.T) {
	run := evalRun{names: []string{"none", "list", "t"}, row: row{Null, ListOf([]Value{Int(1), Int(2)}), Bool(true)}}
	checkCases(t, run, []evalCase{
		{"'a' + 'b'", "'ab'"},
		{"'a' + 1", "'a1'"},
		{"1 + 'a'", "'1a'"},
		{"'a' + 1.0", "'a1.0'"},
		{"'a' + none", "null"},
		{"'a' + t", "!TypeError"},
		{"list + [3]", "[1, 2, 3]"},
		{"list + 3", "[1, 2, 3]"},
		{"0 + list", "[0, 1, 2]"},
		{"list + [[3]]", "[1, 2, [3]]"},
		{"list + 'a'", "[1, 2, 'a']"},
		{"'a' + list", "['a', 1, 2]"},
		{"list + t", "[1, 2, true]"},
		{"list + none", "null"},
		{"list + [none]", "[1, 2, null]"},
		{"list + {a: 1}", "[1, 2, {a: 1}]"},
		{"list", "[1, 2]"},
	})
}

// TestIntArithmetic compares integer arithmetic with that of big integers.
func TestIntArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, -1, 2, -2, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, 1 << 32, -1 << 32, 3037000500}
	pick := func() int64 {
		if r.IntN(2) == 0 {
			return edges[r.IntN(len(edges))]
		}
		return int64(r.Uint64()) >> r.IntN(64)
	}
	for range 20000 {
		a, b := pick(), pick()
		x, y := big.NewInt(a), big.NewInt(b)
		for op, f := range map[binaryOp]func(z, x, y *big.Int) *big.Int{
			opAdd: (*big.Int).Add, opSubtract: (*big.Int).Sub, opMultiply: (*big.Int).Mul,
			opDivide: (*big.Int).Quo, opModulo: (*big.Int).Rem,
		} {
			if b == 0 && (op == opDivide || op == opModulo) {
				continue
			}
			want := f(new(big.Int), x, y)
			got, err := intArithmetic(op, 0, a, b)
			if (err == nil) != want.IsInt64() || err == nil && got.AsInt() != want.Int64() {
				t.Fatalf("%d %s %d = %v, %v; want %v", a, binaryOps[op].text, b, got, err, want)
			}
		}
	}
}
