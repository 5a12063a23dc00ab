package kv_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

func TestValidateKey(t *testing.T) {
	odd := errors.New("odd")
	all, some := &kv.Schema{}, &kv.Schema{Validate: func(k []byte) error {
		if len(k)%2 > 0 {
			return odd
		}
		return nil
	}}
	for _, c := range []struct {
		name string
		s    *kv.Schema
		key  string
		want string
	}{
		{"empty", all, "", "empty key"},
		{"empty, that Validate takes", some, "", "empty key"},
		{"any", all, "a", ""},
		{"valid", some, "ab", ""},
		{"invalid", some, "abc", "invalid key 616263: odd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			err := c.s.ValidateKey([]byte(c.key))
			if err != nil {
				got = err.Error()
			}
			if got != c.want || errors.Is(err, odd) != (c.name == "invalid") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
