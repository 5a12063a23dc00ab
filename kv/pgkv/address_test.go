package pgkv_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv/pgkv"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://h/d":                              "postgres://h/d",
		"postgres://u@h/d":                            "postgres://u@h/d",
		"postgres://u:secret@h:1,h2:2/d?table=a":      "postgres://u:xxxxx@h:1,h2:2/d?table=a",
		"postgresql://u:secret@h/d?password=secret":   "postgresql://u:xxxxx@h/d?password=xxxxx",
		"postgres://h/d?sslpassword=secret&a=b":       "postgres://h/d?sslpassword=xxxxx&a=b",
		"postgres://h/d?pass%77ord=secret":            "postgres://h/d?pass%77ord=xxxxx",
		"postgres://h/d?Password=secret":              "postgres://h/d?Password=xxxxx",
		"postgres://u:sec:ret@h/d":                    "postgres://u:xxxxx@h/d",
		"postgres://u:sec/secret@h/d":                 "postgres://u:xxxxx@h/d",
		"postgres://u:sec@secret/x@h/d":               "postgres://u:xxxxx@h/d",
		"postgres://u:sec?secret@h/d?a=b":             "postgres://u:xxxxx@h/d?a=b",
		"postgres://:secret@h":                        "postgres://:xxxxx@h",
		"postgres://u/secret:x@h":                     "postgres://xxxxx@h",
		"host=h password=secret":                      "xxxxx",
		"postgres://u:%zz-secret@h/d":                 "postgres://u:xxxxx@h/d",
		"postgres://h/d?password=secret@x&table=none": "postgres://xxxxx@x&table=none",
	} {
		got := pgkv.Redact(address)
		if got != want || strings.Contains(got, "secret") {
			t.Errorf("%s: %s, not %s", address, got, want)
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"postgres://h": true, "postgresql://h/d": true, "postgres": false, "postgres:h": false, "mysql://h": false, "a/postgres://h": false,
	} {
		if pgkv.Is(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}

// secrets are what may not be shown of pgtest's password: parts of it too, as a URL that
// is taken apart at the wrong place would show.
var secrets = []string{pgtest.Password, url.QueryEscape(pgtest.Password), url.PathEscape(pgtest.Password), "tiptop", "Secret"}

func hidden(t *testing.T, what, text string) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(text, s) {
			t.Errorf("%s shows a password: %s", what, text)
		}
	}
}

// No error and no form of printing shows a password.
func TestPasswordIsSecret(t *testing.T) {
	t.Parallel()
	url := shared.Server(t).NewDatabase(t)
	tab := open(t, url, pgkv.Options{})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		hidden(t, verb, fmt.Sprintf(verb, tab))
		hidden(t, verb, fmt.Sprintf(verb, struct{ T any }{tab}))
	}
	for what, bad := range map[string]string{
		"another port":      strings.Replace(url, "127.0.0.1:", "127.0.0.1:1", 1),
		"no port":           strings.Replace(url, "127.0.0.1:", "127.0.0.1:x", 1),
		"another host":      strings.Replace(url, "127.0.0.1:", "127.0.0.2:", 1),
		"no host":           strings.Replace(url, "127.0.0.1:", "none.invalid:", 1),
		"another user":      strings.Replace(url, "postgres:", "other:", 2),
		"no such user":      strings.Replace(url, "//postgres:", "//other:", 1),
		"another password":  strings.Replace(url, "@127", "-and-more@127", 1),
		"raw password":      "postgres://postgres:" + pgtest.Password + "@127.0.0.1:1/d",
		"no such database":  strings.Replace(url, "?", "x?", 1),
		"no such parameter": url + "&password_of=" + pgtest.Password,
		"bad parameter":     url + "&pool_max_conns=" + pgtest.Password,
		"bad sslmode":       url + "&sslmode=none",
		"bad timeout":       url + "&connect_timeout=x",
		"bad escape":        strings.Replace(url, "@127", "%zz@127", 1),
		"bad table":         url + "&table=a.b.c",
		"another scheme":    strings.Replace(url, "postgres:", "mysql:", 1),
		"needs TLS":         strings.Replace(url, "sslmode=disable", "sslmode=verify-full", 1),
		"no such schema":    url + "&table=none.a",
		"unknown setting":   url + "&no_such_setting=1",
	} {
		other, err := pgkv.Open(t.Context(), bad, pgkv.Options{})
		if err == nil {
			t.Errorf("%s: it was opened", what)
			other.Close()
			continue
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
			hidden(t, what+" "+verb, fmt.Sprintf(verb, err))
		}
		for e := err; e != nil; {
			hidden(t, what, fmt.Sprintf("%+v %#v", e, e))
			u, ok := e.(interface{ Unwrap() error })
			if !ok {
				break
			}
			e = u.Unwrap()
		}
	}
}
