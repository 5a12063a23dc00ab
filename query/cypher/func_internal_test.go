package cypher

import (
	"slices"
	"strings"
	"testing"
)

func TestListFunctions(t *testing.T) {
	run := evalRun{names: []string{"l", "none", "one", "s", "m"}, row: row{oneToFive, Null, Int(1), String("Ünï"), MapOf(map[string]Value{"b": Int(1), "a": Null})}}
	checkCases(t, run, []evalCase{
		{"size(l)", "5"}, {"size([])", "0"}, {"size(s)", "3"}, {"size(none)", "null"}, {"size(one)", "!TypeError"}, {"SIZE(l)", "5"},
		{"head(l)", "1"}, {"head([])", "null"}, {"head(none)", "null"}, {"head(s)", "!TypeError"},
		{"last(l)", "5"}, {"last([])", "null"}, {"last(one)", "!TypeError"},
		{"tail(l)", "[2, 3, 4, 5]"}, {"tail([])", "[]"}, {"tail([1])", "[]"}, {"tail(one)", "!TypeError"},
		{"reverse(l)", "[5, 4, 3, 2, 1]"}, {"reverse(s)", "'ïnÜ'"}, {"reverse(one)", "!TypeError"}, {"l", "[1, 2, 3, 4, 5]"},
		{"isEmpty([])", "true"}, {"isEmpty({})", "true"}, {"isEmpty('')", "true"}, {"isEmpty(l)", "false"}, {"isEmpty(none)", "null"}, {"isEmpty(one)", "!TypeError"},
		{"range(1, 3)", "[1, 2, 3]"}, {"range(3, 1)", "[]"}, {"range(0, 10, 3)", "[0, 3, 6, 9]"},
		{"range(3, 1, -1)", "[3, 2, 1]"}, {"range(2, -5, -3)", "[2, -1, -4]"}, {"range(1, 3, -1)", "[]"}, {"range(1, 1)", "[1]"},
		{"range(1, 1, -1)", "[1]"}, {"range(1, 3, 0)", "!ArgumentError"}, {"range(1.0, 3)", "!ArgumentError"}, {"range(1, none)", "null"},
		{"range(9223372036854775806, 9223372036854775807)", "[9223372036854775806, 9223372036854775807]"},
		{"range(-9223372036854775808, 9223372036854775807, 9223372036854775807)", "[-9223372036854775808, -1, 9223372036854775806]"},
		{"range(9223372036854775807, -9223372036854775808, -9223372036854775808)", "[9223372036854775807, -1]"},
		{"keys(m)", "['a', 'b']"}, {"keys(none)", "null"}, {"keys(one)", "!TypeError"}, {"properties(m)", "{a: null, b: 1}"},
		{"coalesce(none, 2)", "2"}, {"coalesce(none, none)", "null"}, {"coalesce(1, 1 / (one - 1))", "1"}, {"coalesce(none, 1 / (one - 1))", "!ArithmeticError"},
		{"exists(m.b)", "true"}, {"exists(m.a)", "false"}, {"exists(m.z)", "false"}, {"exists(m['b'])", "true"}, {"exists(one)", "!InvalidArgumentExpression"},
	})
}

func TestStringFunctions(t *testing.T) {
	run := evalRun{names: []string{"s", "none", "one"}, row: row{String("Größe"), Null, Int(1)}}
	checkCases(t, run, []evalCase{
		{"toUpper('abc')", "'ABC'"}, {"upper('abc')", "'ABC'"}, {"toLower('ABC')", "'abc'"}, {"lower('ÄB')", "'äb'"}, {"toLower(none)", "null"}, {"toLower(one)", "!TypeError"},
		{"trim('  a b ')", "'a b'"}, {"ltrim('  a ')", "'a '"}, {"rtrim('  a ')", "'  a'"}, {"btrim(' a ')", "'a'"}, {"trim(one)", "!TypeError"},
		{"left(s, 3)", "'Grö'"}, {"left(s, 0)", "''"}, {"left(s, 99)", "'Größe'"}, {"left(none, 1)", "null"}, {"left(s, none)", "null"}, {"left(s, -1)", "!ArgumentError"}, {"left(s, 1.0)", "!TypeError"}, {"left(one, 1)", "!TypeError"},
		{"right(s, 2)", "'ße'"}, {"right(s, 0)", "''"}, {"right(s, 99)", "'Größe'"}, {"right(s, -1)", "!ArgumentError"},
		{"substring(s, 2)", "'öße'"}, {"substring(s, 1, 2)", "'rö'"}, {"substring(s, 9)", "''"}, {"substring(s, 2, 0)", "''"}, {"substring(s, 2, 9223372036854775807)", "'öße'"}, {"substring(s, -1)", "!ArgumentError"}, {"substring(s, 0, -1)", "!ArgumentError"}, {"substring(none, 0, 1)", "null"},
		{"replace('abcabc', 'b', 'xx')", "'axxcaxxc'"}, {"replace('abc', 'z', 'x')", "'abc'"}, {"replace('ab', '', '-')", "'-a-b-'"}, {"replace('ab', none, '-')", "null"}, {"replace('ab', one, '-')", "!TypeError"},
		{"split('a,b,,c', ',')", "['a', 'b', '', 'c']"}, {"split('', ',')", "['']"}, {"split('abc', '')", "['a', 'b', 'c']"}, {"split(none, ',')", "null"}, {"split(one, ',')", "!TypeError"},
		{"char_length(s)", "5"}, {"character_length('')", "0"}, {"char_length(one)", "!TypeError"},
	})
}

func TestMathFunctions(t *testing.T) {
	run := evalRun{names: []string{"min", "none", "s"}, row: row{Int(-1 << 63), Null, String("1")}}
	checkCases(t, run, []evalCase{
		{"abs(-3)", "3"}, {"abs(-3.5)", "3.5"}, {"abs(min)", "!ArithmeticError"}, {"abs(s)", "!TypeError"}, {"abs(none)", "null"},
		{"sign(-3)", "-1"}, {"sign(0.0)", "0"}, {"sign(0.1)", "1"}, {"sign(s)", "!TypeError"},
		{"ceil(1.2)", "2.0"}, {"ceil(-1.2)", "-1.0"}, {"floor(1.8)", "1.0"}, {"floor(-1.2)", "-2.0"}, {"floor(3)", "3.0"}, {"ceil(s)", "!TypeError"},
		{"round(1.5)", "2.0"}, {"round(-1.5)", "-1.0"}, {"round(2.5)", "3.0"}, {"round(1.4)", "1.0"}, {"round(3)", "3.0"}, {"round(0.49999999999999994)", "0.0"}, {"round(4503599627370497.5)", "4503599627370498.0"},
		{"round(1.249, 1)", "1.2"}, {"round(1.25, 1)", "1.3"}, {"round(-1.25, 1)", "-1.3"}, {"round(2.675, 2)", "2.68"}, {"round(9.99, 1)", "10.0"}, {"round(0.96, 1)", "1.0"}, {"round(99.999, 2)", "100.0"}, {"round(5, 2)", "5.0"}, {"round(-1.5, 0)", "-1.0"},
		{"round(1.5, -1)", "!ArgumentError"}, {"round(1.5, 1.0)", "!TypeError"}, {"round(1.5, 1, 'UP')", "!InvalidArgumentExpression"}, {"round(none, 1)", "null"}, {"round(1.23, 1000)", "1.23"},
		{"sqrt(16)", "4.0"}, {"sqrt(-1)", "NaN"}, {"exp(0)", "1.0"}, {"log(e())", "1.0"}, {"log(0)", "-Infinity"}, {"log10(1000)", "3.0"},
		{"sin(0)", "0.0"}, {"cos(0)", "1.0"}, {"tan(0)", "0.0"}, {"asin(1) * 2 = pi()", "true"}, {"acos(1)", "0.0"}, {"atan(0)", "0.0"}, {"atan2(0, -1) = pi()", "true"},
		{"cot(pi() / 4) > 0.999", "true"}, {"haversin(0)", "0.0"}, {"degrees(pi())", "180.0"}, {"radians(180) = pi()", "true"},
		{"isNaN(0.0 / 0.0)", "true"}, {"isNaN(1)", "false"}, {"isNaN(s)", "!TypeError"}, {"sqrt(none)", "null"},
		{"toString(pi())", "'3.141592653589793'"}, {"toString(e())", "'2.718281828459045'"},
	})
}

func TestConversions(t *testing.T) {
	run := evalRun{names: []string{"none", "l", "big", "nan"}, row: row{Null, oneToFive, Float(1e300), Float(nan())}}
	checkCases(t, run, []evalCase{
		{"toInteger(3)", "3"}, {"toInteger(82.9)", "82"}, {"toInteger(-82.9)", "-82"}, {"toInteger('42')", "42"}, {"toInteger(' 42 ')", "42"}, {"toInteger('1.7')", "1"}, {"toInteger('1e3')", "1000"},
		{"toInteger('foo')", "null"}, {"toInteger('')", "null"}, {"toInteger('0x1F')", "null"}, {"toInteger('1_000')", "null"}, {"toInteger('inf')", "null"}, {"toInteger(true)", "1"}, {"toInteger(none)", "null"},
		{"toInteger(l)", "!TypeError"}, {"toInteger({})", "!TypeError"}, {"toInteger(big)", "!ArithmeticError"}, {"toInteger(nan)", "!ArithmeticError"}, {"toInteger('9223372036854775808')", "!ArithmeticError"}, {"toInteger('9223372036854775807')", "9223372036854775807"},
		{"toIntegerOrNull(l)", "null"}, {"toIntegerOrNull(big)", "null"}, {"toIntegerOrNull('7')", "7"},
		{"toFloat(3)", "3.0"}, {"toFloat(3.5)", "3.5"}, {"toFloat('3.5')", "3.5"}, {"toFloat('3')", "3.0"}, {"toFloat('x')", "null"}, {"toFloat('NaN')", "NaN"}, {"toFloat('-Infinity')", "-Infinity"}, {"toFloat('1e999')", "Infinity"}, {"toFloat('infinity')", "null"},
		{"toFloat(true)", "!TypeError"}, {"toFloat(l)", "!TypeError"}, {"toFloatOrNull(true)", "null"}, {"toFloatOrNull('1')", "1.0"},
		{"toBoolean(true)", "true"}, {"toBoolean('true')", "true"}, {"toBoolean('FALSE')", "false"}, {"toBoolean(' tru ')", "null"}, {"toBoolean('')", "null"}, {"toBoolean(0)", "false"}, {"toBoolean(2)", "true"}, {"toBoolean(1.0)", "!TypeError"}, {"toBoolean(l)", "!TypeError"}, {"toBooleanOrNull(1.0)", "null"},
		{"toString(1)", "'1'"}, {"toString(1.0)", "'1.0'"}, {"toString(true)", "'true'"}, {"toString('a')", "'a'"}, {"toString(1e21)", "'1e21'"}, {"toString(1.5e-8)", "'1.5e-8'"}, {"toString(0.1)", "'0.1'"}, {"toString(none)", "null"}, {"toString(l)", "!TypeError"}, {"toStringOrNull(l)", "null"}, {"toStringOrNull(1)", "'1'"},
		{"toFloat(toString(0.1 + 0.2)) = 0.1 + 0.2", "true"},
	})
}

func TestTimes(t *testing.T) {
	run := evalRun{names: []string{"t", "none"}, row: row{at(mustTime(t, "2026-08-09T10:11:12.123456789Z")), Null}}
	checkCases(t, run, []evalCase{
		{"datetime('2026-01-31')", "2026-01-31T00:00Z"}, {"datetime('2026-01-31T09:30:15.5')", "2026-01-31T09:30:15.5Z"}, {"datetime('20260131T0930+0100')", "2026-01-31T09:30+01:00"},
		{"datetime('2026-02-30')", "!ArgumentError"}, {"datetime('')", "!ArgumentError"}, {"datetime('yesterday')", "!ArgumentError"}, {"datetime('2026-01-31T25:00')", "!ArgumentError"}, {"datetime(5)", "!TypeError"}, {"datetime(none)", "null"},
		{"t", "2026-08-09T10:11:12.123456789Z"}, {"toString(t)", "'2026-08-09T10:11:12.123456789Z'"}, {"datetime(toString(t)) = t", "true"},
		{"[t.year, t.quarter, t.month, t.day, t.hour, t.minute, t.second]", "[2026, 3, 8, 9, 10, 11, 12]"},
		{"[t.millisecond, t.microsecond, t.nanosecond]", "[123, 123456, 123456789]"},
		{"[t.week, t.weekYear, t.dayOfWeek, t.ordinalDay]", "[32, 2026, 7, 221]"},
		{"[t.epochSeconds, t.epochMillis]", "[1786270272, 1786270272123]"}, {"t.timezone", "'Z'"}, {"t['year']", "2026"}, {"t.era", "!ArgumentError"},
		{"t + 1", "!TypeError"}, {"t - t", "!TypeError"}, {"t > datetime('2026-08-09')", "true"}, {"t > date('2026-08-09')", "null"}, {"t = date('2026-08-09')", "false"},
		{"date('2024-01-31') + duration('P1M')", "2024-02-29"}, {"duration('P1D') + date('2024-01-31')", "2024-02-01"}, {"date('2024-01-31') - duration({days: 1})", "2024-01-30"},
		{"duration('P1D') * 1.5", "P1DT12H"}, {"2 * duration('P1D')", "P2D"}, {"duration('P1D') / 2", "PT12H"}, {"duration('P1D') / 0", "!ArithmeticError"}, {"2 / duration('P1D')", "!TypeError"},
		{"duration('P1D') < duration('P2D')", "null"}, {"duration('P1D') = duration('PT24H')", "false"}, {"date('2024-01-31') + none", "null"},
		{"[date('2024-01-31')] + date('2024-02-01')", "[2024-01-31, 2024-02-01]"},
		{"date('+999999999-12-31') + duration('P1D')", "!ArithmeticError"}, {"date({year: 2024, month: 13})", "!ArgumentError"}, {"date({})", "!ArgumentError"}, {"date({year: none})", "!ArgumentError"},
		{"date(t)", "2026-08-09"}, {"localtime(t)", "10:11:12.123456789"}, {"date(localtime(t))", "!ArgumentError"},
		{"date.truncate('month', t)", "2026-08-01"}, {"datetime.truncate('hour', t, {minute: 5})", "2026-08-09T10:05Z"}, {"date.truncate('hour', t)", "!ArgumentError"}, {"date.truncate(1, t)", "!TypeError"},
		{"duration.between(date('2024-01-31'), date('2024-03-01'))", "P1M1D"}, {"duration.inDays(date('2024-01-31'), date('2024-03-01')).days", "30"}, {"duration.between(1, t)", "!TypeError"},
		{"datetime.fromepoch(1, 5)", "1970-01-01T00:00:01.000000005Z"}, {"datetime.fromepochmillis(1500)", "1970-01-01T00:00:01.5Z"},
		{"datetime() = datetime.realtime()", "true"}, {"date() = date(datetime())", "true"}, {"timestamp() = datetime().epochMillis", "true"}, {"datetime({timezone: '+02:00'}).offsetMinutes", "120"},
		{"datetime.statement('+02:00').timezone", "'+02:00'"}, {"datetime.statement('Nowhere')", "!ArgumentError"}, {"datetime.statement(1)", "!TypeError"},
		{"duration('PT9000000000000S').nanoseconds", "!ArithmeticError"}, {"duration('P1Y').months", "12"}, {"toString(duration('P1Y'))", "'P1Y'"},
	})
}

func TestPoints(t *testing.T) {
	checkCases(t, evalRun{names: []string{"none"}, row: row{Null}}, []evalCase{
		{"point({x: 1, y: 2.5})", "point({x: 1.0, y: 2.5, crs: 'cartesian'})"}, {"point({x: 1, y: 2, z: 3}).crs", "'cartesian-3d'"}, {"point({longitude: 15, latitude: 47}).latitude", "47.0"},
		{"point({latitude: 47, longitude: 15, height: 100}).srid", "4979"}, {"point({x: 15, y: 47, crs: 'WGS-84'}).longitude", "15.0"}, {"point({x: 15, y: 47, srid: 4326}).crs", "'wgs-84'"},
		{"point({x: 1, y: 2}).longitude", "!ArgumentError"}, {"point({x: 1})", "!ArgumentError"}, {"point({x: 1, y: none})", "null"}, {"point({x: 1, y: 'a'})", "!ArgumentError"}, {"point(1)", "!TypeError"},
		{"point({longitude: 15, latitude: 91})", "!ArgumentError"}, {"point({x: 1, y: 2, crs: 'moon'})", "!ArgumentError"}, {"point({x: 1, y: 2, z: 3, crs: 'cartesian'})", "!ArgumentError"},
		{"point({x: 1, longitude: 2, y: 1})", "!ArgumentError"}, {"point({longitude: 1, latitude: 1, crs: 'cartesian'})", "!ArgumentError"}, {"point({x: 1, y: 1, crs: 'cartesian', srid: 4326})", "!ArgumentError"},
		{"point({x: 1, y: 2}) = point({x: 1, y: 2})", "true"}, {"point({x: 1, y: 2}) = point({x: 1, y: 2, z: 0})", "false"}, {"point({x: 1, y: 2}) < point({x: 2, y: 2})", "null"},
		{"point.distance(point({x: 0, y: 0}), point({x: 3, y: 4}))", "5.0"}, {"point.distance(point({x: 0, y: 0}), point({longitude: 3, latitude: 4}))", "null"}, {"point.distance(1, 2)", "!TypeError"},
		{"point.withinBBox(point({x: 1, y: 1}), point({x: 0, y: 0}), point({x: 2, y: 1}))", "true"}, {"point.withinBBox(point({x: 3, y: 1}), point({x: 0, y: 0}), point({x: 2, y: 1}))", "false"},
		{"point.withinBBox(point({longitude: 179, latitude: 0}), point({longitude: 170, latitude: -1}), point({longitude: -170, latitude: 1}))", "true"},
	})
}

func TestVectorFunctions(t *testing.T) {
	checkCases(t, evalRun{names: []string{"none"}, row: row{Null}}, []evalCase{
		{"vector.similarity.cosine([1, 0], [2, 0])", "1.0"}, {"vector.similarity.cosine([1, 0], [-3.0, 0])", "0.0"}, {"vector.similarity.cosine([1, 0], [0, 1])", "0.5"},
		{"vector.similarity.cosine([1], [1, 2])", "!ArgumentError"}, {"vector.similarity.cosine([], [])", "!ArgumentError"}, {"vector.similarity.cosine([0], [1])", "!ArgumentError"}, {"vector.similarity.cosine(['a'], [1])", "!TypeError"}, {"vector.similarity.cosine(1, [1])", "!TypeError"}, {"vector.similarity.cosine(none, [1])", "null"},
		{"vector.similarity.euclidean([0, 0], [0, 3])", "0.1"}, {"vector.similarity.euclidean([1], [1])", "1.0"},
	})
}

// TestRefusedFunctions checks what is said of functions that there are not.
func TestRefusedFunctions(t *testing.T) {
	for expr, want := range map[string]string{
		"distance(1, 2)":      "not supported: distance() (write point.distance())",
		"round(1.5, 0, 'UP')": "not supported: round() with a mode; write ceil() or floor()",
		"lenght([1])":         "there is no function lenght(); did you mean length()?",
		"colect(1)":           "there is no function colect(); did you mean collect()?",
		"whatever(1)":         "there is no function whatever()",
		"apoc.text.join([])":  "not supported: apoc.text.join() (a library of another database; see CALL db.procedures())",
		"size()":              "size() has 0 arguments here; it is written size(list or string)",
		"left('a')":           "left() has 1 argument here; it is written left(string, length)",
		"size(DISTINCT [1])":  "DISTINCT stands only in an aggregate, which size() is not",
	} {
		_, err := evalRun{}.eval(expr)
		e, ok := err.(*SyntaxError)
		if !ok || e.Message != want || e.Column != len("RETURN ")+1 {
			t.Errorf("%s: %v, want %s", expr, err, want)
		}
		if ok && e.Unsupported != strings.HasPrefix(want, "not supported: ") {
			t.Errorf("%s: Unsupported is %v", expr, e.Unsupported)
		}
	}
	for name := range refusedFunctions {
		if functionsByName[name] != nil || aggregates[name] != nil {
			t.Errorf("%s is refused and there", name)
		}
	}
}

// TestFunctionNames checks that no two functions have one name.
func TestFunctionNames(t *testing.T) {
	n := len(lazyFunctions) + len(graphFunctions) + len(listFunctions) + len(stringFunctions) +
		len(mathFunctions) + len(conversionFunctions) + len(vectorFunctions) + len(randomFunctions) + len(temporalFunctions()) + len(pointFunctions)
	if n != len(functionsByName) {
		t.Errorf("%d functions have %d names", n, len(functionsByName))
	}
	for name, a := range aggregates {
		if functionsByName[name] != nil || strings.ToLower(a.name) != name {
			t.Errorf("%s is %s, or also a function", name, a.name)
		}
	}
	if all := Functions(); len(all) != n+len(aggregates) || !slices.Contains(all, "substring(string, start [, length])") {
		t.Error(all)
	}
}
