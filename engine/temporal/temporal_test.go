package temporal_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/ragdb/ragdb/engine/temporal"
)

func parse(t *testing.T, kind temporal.Kind, text string) temporal.Value {
	t.Helper()
	v, err := kind.Parse(text, &temporal.Zones{})
	if err != nil {
		t.Fatalf("%s %q: %v", kind, text, err)
	}
	return v
}

// TestParse reads each form of ISO 8601 and compares the canonical text, which
// reads back as the same value.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       temporal.Kind
		text, want string
	}{
		{temporal.KindDate, "2024-02-29", "2024-02-29"},
		{temporal.KindDate, "20240229", "2024-02-29"},
		{temporal.KindDate, "2024-02", "2024-02-01"},
		{temporal.KindDate, "202402", "2024-02-01"},
		{temporal.KindDate, "2024", "2024-01-01"},
		{temporal.KindDate, "2024-060", "2024-02-29"},
		{temporal.KindDate, "2024060", "2024-02-29"},
		{temporal.KindDate, "2024-W09-4", "2024-02-29"},
		{temporal.KindDate, "2024W094", "2024-02-29"},
		{temporal.KindDate, "2024-W09", "2024-02-26"},
		{temporal.KindDate, "2020-W53-5", "2021-01-01"},
		{temporal.KindDate, "2024-Q1-60", "2024-02-29"},
		{temporal.KindDate, "2024Q160", "2024-02-29"},
		{temporal.KindDate, "2024-Q3", "2024-07-01"},
		{temporal.KindDate, "+12024-02-29", "+12024-02-29"},
		{temporal.KindDate, "-0001-03-01", "-0001-03-01"},
		{temporal.KindDate, "0000-02-29", "0000-02-29"},
		{temporal.KindDate, "-999999999-01-01", "-999999999-01-01"},
		{temporal.KindDate, "+999999999-12-31", "+999999999-12-31"},
		{temporal.KindLocalTime, "07", "07:00"},
		{temporal.KindLocalTime, "0705", "07:05"},
		{temporal.KindLocalTime, "07:05:09", "07:05:09"},
		{temporal.KindLocalTime, "070509,5", "07:05:09.5"},
		{temporal.KindLocalTime, "23:59:59.999999999", "23:59:59.999999999"},
		{temporal.KindTime, "07:05", "07:05Z"},
		{temporal.KindTime, "07:05-00:00", "07:05Z"},
		{temporal.KindTime, "0705+18", "07:05+18:00"},
		{temporal.KindTime, "07:05-0530", "07:05-05:30"},
		{temporal.KindTime, "07:05+01:02:03", "07:05+01:02:03"},
		{temporal.KindLocalDateTime, "2024-02-29", "2024-02-29T00:00"},
		{temporal.KindLocalDateTime, "20240229T070509", "2024-02-29T07:05:09"},
		{temporal.KindDateTime, "2024-02-29", "2024-02-29T00:00Z"},
		{temporal.KindDateTime, "2024-W09-4T07:05+01:00", "2024-02-29T07:05+01:00"},
		{temporal.KindDateTime, "2024-07-01T07:05[Europe/Vienna]", "2024-07-01T07:05+02:00[Europe/Vienna]"},
		{temporal.KindDateTime, "2024-07-01T07:05+02[Europe/Vienna]", "2024-07-01T07:05+02:00[Europe/Vienna]"},
		{temporal.KindDateTime, "2024-07-01[America/New_York]", "2024-07-01T00:00-04:00[America/New_York]"},
		// Clocks went forward from 2 to 3, and back from 3 to 2.
		{temporal.KindDateTime, "2024-03-31T02:30[Europe/Vienna]", "2024-03-31T03:30+02:00[Europe/Vienna]"},
		{temporal.KindDateTime, "2024-10-27T02:30[Europe/Vienna]", "2024-10-27T02:30+02:00[Europe/Vienna]"},
		{temporal.KindDateTime, "2024-10-27T02:30+01:00[Europe/Vienna]", "2024-10-27T02:30+01:00[Europe/Vienna]"},
		{temporal.KindDuration, "P1Y2M3W4DT5H6M7.8S", "P1Y2M25DT5H6M7.8S"},
		{temporal.KindDuration, "PT0S", "PT0S"},
		{temporal.KindDuration, "P", ""},
		{temporal.KindDuration, "PT", ""},
		{temporal.KindDuration, "P1DT", ""},
		{temporal.KindDuration, "P1D1Y", ""},
		{temporal.KindDuration, "PT1.2.3S", ""},
		{temporal.KindDuration, "-P1DT2H", "P-1DT-2H"},
		{temporal.KindDuration, "P1.5D", "P1DT12H"},
		{temporal.KindDuration, "PT-1.5S", "PT-1.5S"},
		{temporal.KindDuration, "PT-0.5S", "PT-0.5S"},
		{temporal.KindDuration, "PT1M-90S", "PT-30S"},
		{temporal.KindDuration, "P2012-02-02T14:37:21.545", "P2012Y2M2DT14H37M21.545S"},
		{temporal.KindDuration, "PT9223372036854775808S", ""},
		{temporal.KindDuration, "P300000000001Y", ""},
		{temporal.KindDate, "2023-02-29", ""},
		{temporal.KindDate, "2024-13-01", ""},
		{temporal.KindDate, "2024-00-01", ""},
		{temporal.KindDate, "2021-W53", ""},
		{temporal.KindDate, "2023-366", ""},
		{temporal.KindDate, "2024-Q5", ""},
		{temporal.KindDate, "2024-02-29T07:05", ""},
		{temporal.KindDate, "", ""},
		{temporal.KindDate, "-", ""},
		{temporal.KindDate, "2024-0229", ""},
		{temporal.KindDate, "+9999999999-01-01", ""},
		{temporal.KindLocalTime, "24:00", ""},
		{temporal.KindLocalTime, "07:60", ""},
		{temporal.KindLocalTime, "07:05Z", ""},
		{temporal.KindLocalTime, "07:0509", ""},
		{temporal.KindLocalTime, "07:05:09.1234567890", ""},
		{temporal.KindTime, "07:05+18:01", ""},
		{temporal.KindTime, "07:05+1", ""},
		{temporal.KindLocalDateTime, "2024-02-29T", ""},
		{temporal.KindDateTime, "2024-07-01T07:05+05:00[Europe/Vienna]", ""},
		{temporal.KindDateTime, "2024-07-01T07:05[Europe/Nowhere]", ""},
		{temporal.KindDateTime, "2024-07-01T07:05[../etc/passwd]", ""},
		{temporal.KindDateTime, "2024-07-01T07:05[", ""},
	} {
		v, err := c.kind.Parse(c.text, &temporal.Zones{})
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s %q is read as %s", c.kind, c.text, v)
		case c.want == "":
		case err != nil:
			t.Errorf("%s %q: %v", c.kind, c.text, err)
		case v.String() != c.want || v.Kind() != c.kind:
			t.Errorf("%s %q is read as %s, not %s", c.kind, c.text, v, c.want)
		default:
			for _, z := range []*temporal.Zones{nil, {}} {
				if again, err := c.kind.Parse(v.String(), z); again != v {
					t.Errorf("%s is read back as %v, %v", v, again, err)
				}
			}
		}
	}
}

// instants are random values of a kind and the points in time that they are.
func randomDateTime(rng *rand.Rand, zones []*time.Location) time.Time {
	span := int64(400 * 365 * 86_400)
	return time.Unix(rng.Int64N(span)-span/2, rng.Int64N(1e9)).In(zones[rng.IntN(len(zones))])
}

func locations(t *testing.T) []*time.Location {
	t.Helper()
	var out []*time.Location
	for _, name := range []string{"UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return append(out, time.FixedZone("", -5*3600-1800))
}

// TestAgainstGo compares texts, components and arithmetic with Go's package time.
func TestAgainstGo(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	zones := locations(t)
	z := &temporal.Zones{}
	for range 20_000 {
		at := randomDateTime(rng, zones)
		v, err := temporal.KindDateTime.At(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Time(); !got.Equal(at) || got.Format(time.RFC3339Nano) != at.Format(time.RFC3339Nano) {
			t.Fatalf("%s becomes %s, then %s", at, v, got)
		}
		if again, err := temporal.KindDateTime.Parse(v.String(), z); again != v {
			t.Fatalf("%s is read back as %v, %v", v, again, err)
		}
		year, week := at.ISOWeek()
		for name, want := range map[string]int{
			"year": at.Year(), "month": int(at.Month()), "day": at.Day(), "ordinalDay": at.YearDay(),
			"weekYear": year, "week": week, "dayOfWeek": (int(at.Weekday())+6)%7 + 1,
			"hour": at.Hour(), "minute": at.Minute(), "second": at.Second(), "nanosecond": at.Nanosecond(),
			"epochSeconds": int(at.Unix()), "epochMillis": int(at.UnixMilli()),
		} {
			if got, err := v.Part(name); got != int64(want) {
				t.Fatalf("%s of %s is %v, %v, not %d", name, v, got, err, want)
			}
		}
		// Components of each calendar make the same date.
		part := func(name string) any { n, _ := v.Part(name); return n }
		date, _ := v.Convert(temporal.KindDate, z)
		for _, names := range [][]string{{"year", "month", "day"}, {"year", "ordinalDay"}, {"year", "quarter", "dayOfQuarter"}} {
			fields := map[string]any{}
			for _, name := range names {
				fields[name] = part(name)
			}
			if got, err := temporal.KindDate.Make(fields, z); got != date {
				t.Fatalf("%v makes %v, %v, not %s", fields, got, err, date)
			}
		}
		fields := map[string]any{"year": part("weekYear"), "week": part("week"), "dayOfWeek": part("dayOfWeek")}
		if got, err := temporal.KindDate.Make(fields, z); got != date {
			t.Fatalf("%v makes %v, %v, not %s", fields, got, err, date)
		}
		// Seconds are those that pass; days keep what clocks show.
		seconds, nanos := rng.Int64N(1e9)-5e8, rng.Int64N(1e9)
		d, err := temporal.NewDuration(0, 0, seconds, nanos)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := v.Add(d, z)
		if want := at.Add(time.Duration(seconds)*time.Second + time.Duration(nanos)); err != nil || !sum.Time().Equal(want) {
			t.Fatalf("%s + %s is %v, %v, not %s", v, d, sum, err, want)
		}
		if back, err := v.Until("seconds", sum, z); back != d {
			t.Fatalf("from %s to %s is %s, %v, not %s", v, sum, back, err, d)
		}
		days := rng.Int64N(2000) - 1000
		d, _ = temporal.NewDuration(0, days, 0, 0)
		sum, err = v.Add(d, z)
		want := at.AddDate(0, 0, int(days))
		if got := sum.Time(); err != nil || got.Format("15:04") == at.Format("15:04") && !got.Equal(want) && want.Add(-time.Hour) != got && want.Add(time.Hour) != got {
			t.Fatalf("%s + %s is %s, %v, not %s", v, d, sum, err, want)
		}
	}
}

// TestBetween says that an instant plus the duration between it and another is
// the other.
func TestBetween(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	zones := locations(t)
	z := &temporal.Zones{}
	for range 5000 {
		for _, kind := range []temporal.Kind{temporal.KindDate, temporal.KindLocalDateTime, temporal.KindDateTime} {
			a, _ := kind.At(randomDateTime(rng, zones))
			b, _ := kind.At(randomDateTime(rng, zones))
			for _, unit := range []string{"", "seconds"} {
				d, err := a.Until(unit, b, z)
				if err != nil {
					t.Fatal(err)
				}
				sum, err := a.Add(d, z)
				if err != nil {
					t.Fatal(err)
				}
				if left, err := sum.Until("seconds", b, z); left.String() != "PT0S" {
					t.Fatalf("%s + %s is %s, which is %s, %v from %s", a, d, sum, left, err, b)
				}
			}
		}
	}
}

// TestDurations has hand-worked values of arithmetic.
func TestDurations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind            temporal.Kind
		from, add, want string
	}{
		{temporal.KindDate, "2024-01-31", "P1M", "2024-02-29"},
		{temporal.KindDate, "2024-03-31", "P-1M", "2024-02-29"},
		{temporal.KindDate, "2024-01-31", "P1M1D", "2024-03-01"},
		{temporal.KindDate, "2024-01-01", "PT47H", "2024-01-02"},
		{temporal.KindDate, "2024-01-01", "PT-47H", "2023-12-31"},
		{temporal.KindDate, "2024-02-29", "P1Y", "2025-02-28"},
		{temporal.KindLocalTime, "23:00", "P5DT2H", "01:00"},
		{temporal.KindTime, "00:30+02:00", "PT-1H", "23:30+02:00"},
		{temporal.KindLocalDateTime, "2024-01-31T23:59:59.5", "P1MT0.5S", "2024-03-01T00:00"},
		{temporal.KindDateTime, "2024-03-30T12:00[Europe/Vienna]", "P1D", "2024-03-31T12:00+02:00[Europe/Vienna]"},
		{temporal.KindDateTime, "2024-03-30T12:00[Europe/Vienna]", "PT24H", "2024-03-31T13:00+02:00[Europe/Vienna]"},
		{temporal.KindDuration, "P1M", "P1DT1S", "P1M1DT1S"},
		{temporal.KindDate, "+999999999-12-31", "P1D", ""},
		{temporal.KindDate, "2024-01-01", "P2000000000Y", ""},
		{temporal.KindDateTime, "2024-01-01", "PT9000000000000000000S", ""},
		{temporal.KindDuration, "PT9223372036854775807S", "PT1S", ""},
	} {
		d := parse(t, temporal.KindDuration, c.add)
		sum, err := parse(t, c.kind, c.from).Add(d, &temporal.Zones{})
		if c.want == "" {
			if !errors.Is(err, temporal.ErrRange) {
				t.Errorf("%s + %s is %v, %v", c.from, c.add, sum, err)
			}
			continue
		}
		if err != nil || sum.String() != c.want {
			t.Errorf("%s + %s is %v, %v, not %s", c.from, c.add, sum, err, c.want)
		}
	}
	d := parse(t, temporal.KindDuration, "P1Y1DT1S")
	for _, c := range []struct {
		do   func(float64) (temporal.Value, error)
		by   float64
		want string
	}{
		{d.Times, 2, "P2Y2DT2S"},
		{d.Times, -0.5, "P-6MT-12H-0.5S"},
		{d.DividedBy, 24, "P15DT6H14M33.041666666S"},
		{d.DividedBy, 0, ""},
		{d.Times, 1e300, ""},
	} {
		got, err := c.do(c.by)
		if c.want == "" {
			if !errors.Is(err, temporal.ErrRange) {
				t.Errorf("%s by %v is %s, %v", d, c.by, got, err)
			}
		} else if err != nil || got.String() != c.want {
			t.Errorf("%s by %v is %s, %v, not %s", d, c.by, got, err, c.want)
		}
	}
}

// TestTruncate truncates one instant to each unit.
func TestTruncate(t *testing.T) {
	t.Parallel()
	v := parse(t, temporal.KindDateTime, "2024-10-27T02:31:14.645876123+01:00[Europe/Vienna]")
	for unit, want := range map[string]string{
		"millennium": "2000-01-01T00:00+01:00", "century": "2000-01-01T00:00+01:00", "decade": "2020-01-01T00:00+01:00",
		"year": "2024-01-01T00:00+01:00", "weekYear": "2024-01-01T00:00+01:00", "quarter": "2024-10-01T00:00+02:00",
		"month": "2024-10-01T00:00+02:00", "week": "2024-10-21T00:00+02:00", "day": "2024-10-27T00:00+02:00",
		"hour": "2024-10-27T02:00+01:00", "minute": "2024-10-27T02:31+01:00", "second": "2024-10-27T02:31:14+01:00",
		"millisecond": "2024-10-27T02:31:14.645+01:00", "microsecond": "2024-10-27T02:31:14.645876+01:00",
	} {
		got, err := v.Truncate(temporal.KindDateTime, unit, nil, &temporal.Zones{})
		if err != nil || got.String() != want+"[Europe/Vienna]" {
			t.Errorf("%s is %v, %v, not %s", unit, got, err, want)
		}
	}
	for _, bad := range []struct {
		kind temporal.Kind
		unit string
	}{{temporal.KindDate, "hour"}, {temporal.KindLocalTime, "year"}, {temporal.KindDateTime, "moon"}} {
		if got, err := v.Truncate(bad.kind, bad.unit, nil, nil); err == nil {
			t.Errorf("a %s truncated to %s is %s", bad.kind, bad.unit, got)
		}
	}
}

// TestRefused lists components that make no value.
func TestRefused(t *testing.T) {
	t.Parallel()
	one := int64(1)
	for _, c := range []struct {
		kind   temporal.Kind
		fields map[string]any
	}{
		{temporal.KindDate, map[string]any{}},
		{temporal.KindDate, map[string]any{"month": one}},
		{temporal.KindDate, map[string]any{"year": one, "day": one}},
		{temporal.KindDate, map[string]any{"year": one, "month": one, "week": one}},
		{temporal.KindDate, map[string]any{"year": one, "hour": one}},
		{temporal.KindDate, map[string]any{"year": 1.5}},
		{temporal.KindDate, map[string]any{"year": int64(1e10)}},
		{temporal.KindDate, map[string]any{"year": int64(2023), "month": int64(2), "day": int64(29)}},
		{temporal.KindLocalTime, map[string]any{"minute": one}},
		{temporal.KindLocalTime, map[string]any{"hour": int64(24)}},
		{temporal.KindLocalTime, map[string]any{"hour": one, "minute": one, "second": one, "millisecond": int64(1000)}},
		{temporal.KindTime, map[string]any{"hour": one, "timezone": "Europe/Vienna"}},
		{temporal.KindDateTime, map[string]any{"year": one, "timezone": "Nowhere"}},
		{temporal.KindDateTime, map[string]any{"year": one, "timezone": "+19:00"}},
		{temporal.KindDateTime, map[string]any{"epochSeconds": one, "year": one}},
		{temporal.KindDateTime, map[string]any{"epochSeconds": int64(1) << 60}},
		{temporal.KindDuration, map[string]any{"fortnights": one}},
		{temporal.KindDuration, map[string]any{"days": "1"}},
	} {
		if v, err := c.kind.Make(c.fields, nil); err == nil {
			t.Errorf("%s of %v is %s", c.kind, c.fields, v)
		}
	}
}

// randomValue returns a value of any kind.
func randomValue(rng *rand.Rand, zones []*time.Location) temporal.Value {
	kind := temporal.Kind(1 + rng.IntN(6))
	if kind == temporal.KindDuration {
		d, err := temporal.NewDuration(rng.Int64N(100)-50, rng.Int64N(3000)-1500, rng.Int64N(1e8)-5e7, rng.Int64N(3)*4e8)
		if err != nil {
			panic(err)
		}
		return d
	}
	at := randomDateTime(rng, zones)
	if rng.IntN(2) == 0 { // instants at one point in time
		at = time.Unix(rng.Int64N(3)*1800, 0).In(at.Location())
	}
	v, err := kind.At(at)
	if err != nil {
		panic(err)
	}
	return v
}

// TestOrder compares the order of bytes with that of values.
func TestOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	zones := locations(t)
	for range 50_000 {
		a, b := randomValue(rng, zones), randomValue(rng, zones)
		if a.Kind() != b.Kind() {
			continue
		}
		x, y := a.Append(nil), b.Append(nil)
		c := a.Compare(b)
		if bytes.Compare(x, y) != c || b.Compare(a) != -c || (c == 0) != (a == b) {
			t.Fatalf("%s and %s compare as %d, their bytes %x and %x", a, b, c, x, y)
		}
		if again, err := a.Kind().Decode(x); again != a {
			t.Fatalf("%s is read back as %v, %v", a, again, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"2024-02-29", "2024W094", "21:40:32.1+01:00", "2024-07-01T07:05[Europe/Vienna]", "P1Y2M3W4DT5H6M7.8S", "P2012-02-02T14:37:21.545"} {
		f.Add(s)
	}
	z := &temporal.Zones{}
	f.Fuzz(func(t *testing.T, text string) {
		for kind := temporal.KindDate; kind <= temporal.KindDuration; kind++ {
			v, err := kind.Parse(text, z)
			if err != nil {
				continue
			}
			if again, err := kind.Parse(v.String(), z); again != v {
				t.Fatalf("%s of %q is %s, read back as %v, %v", kind, text, v, again, err)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for kind, s := range map[temporal.Kind]string{
		temporal.KindDate: "2024-02-29", temporal.KindLocalTime: "21:40", temporal.KindTime: "21:40+01:00",
		temporal.KindLocalDateTime: "2024-02-29T21:40", temporal.KindDateTime: "2024-02-29T21:40+01:00", temporal.KindDuration: "P1M2DT3S",
	} {
		v, err := kind.Parse(s, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(kind), v.Append(nil))
	}
	f.Fuzz(func(t *testing.T, kind uint8, b []byte) {
		v, err := temporal.Kind(kind).Decode(b)
		if err != nil {
			return
		}
		if again := v.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x is %s, written as %x", b, v, again)
		}
		if again, err := v.Kind().Parse(v.String(), nil); again != v {
			t.Fatalf("%s is read back as %v, %v", v, again, err)
		}
	})
}

func Example() {
	start, _ := temporal.KindDate.Parse("2024-01-31", nil)
	month, _ := temporal.NewDuration(1, 0, 0, 0)
	due, _ := start.Add(month, nil)
	fmt.Println(due)
	// Output: 2024-02-29
}
