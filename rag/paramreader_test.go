package rag_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/ragdb/ragdb/rag/method"
)

// TestReadParams reads parameters over those of a profile over defaults.
func TestReadParams(t *testing.T) {
	t.Parallel()
	const window = "cl100k/600/100/window"
	profile := method.Profiles{"paper": {"chunks": window, "b": "7"}}
	type params = map[string]string
	for _, x := range []struct {
		name     string
		given    params
		profile  method.Profiles
		all      params
		instance string
		err      string
	}{
		{"defaults", nil, profile, params{}, "m", ""},
		{"shortest form", params{"a": "01", "c": ".50", "d": "on"}, profile, params{"d": "on"}, "m#d=on", ""},
		{"of a question", params{"c": ".25"}, profile, params{"c": "0.25"}, "m", ""},
		{"in order", params{"d": "on", "a": "2"}, profile, params{"a": "2", "d": "on"}, "m#a=2,d=on", ""},
		{"profile", params{"profile": "paper"}, profile, params{"chunks": window, "b": "7"}, "m#b=7,chunks=" + window, ""},
		{"the default profile", params{"profile": "default", "b": "4"}, profile, params{"b": "4"}, "m#b=4", ""},
		{"over a profile", params{"profile": "paper", "b": "3"}, profile, params{"chunks": window}, "m#chunks=" + window, ""},
		{"no such profile", params{"profile": "x", "z": "1"}, profile, nil, "", `m: profile "x": there are default, paper`},
		{"no profiles", params{"profile": "paper"}, nil, nil, "", `m: no parameter "profile"; there are a, b, c, chunks, d, style`},
		{"unknown", params{"z": "1", "y": "1"}, profile, nil, "", `m: no parameter "y"; there are profile, a, b, c, chunks, d, style`},
		{"the first of two", params{"d": "1", "b": "x"}, profile, nil, "", "m: b=x: a number from 0 to 9"},
		{"no chunk set", params{"chunks": "0", "a": "x"}, nil, nil, "", `m: chunks=0: invalid chunk set: ` +
			`"0" is not like "cl100k/300/0/paragraph" or "cl100k/1200/100/window/150"`},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			defaults := params{"a": "1", "b": "3", "c": "0.5", "d": "off"}
			r := method.ReadParams("m", x.given, x.profile)
			r.Int("a", 1, 0, 9)
			r.Int("b", 3, 0, 9)
			r.Flag("d", false)
			r.Indexed()
			r.Float("c", 0.5, 0, 1)
			if err := r.Err(); err != nil || x.err != "" {
				if !errors.Is(err, method.ErrMethod) || err.Error() != x.err {
					t.Errorf("error %v, want %s", err, x.err)
				}
				return
			}
			want := params{"chunks": "cl100k/300/0/paragraph"}
			maps.Copy(want, defaults)
			maps.Copy(want, x.all)
			if !maps.Equal(r.All, want) || r.ChunkSet().String() != want["chunks"] {
				t.Errorf("read %v and %s, want %v", r.All, r.ChunkSet(), want)
			}
			if got := r.Instance("m"); got != x.instance {
				t.Errorf("instance %s, want %s", got, x.instance)
			}
		})
	}
}
