package openai_test

import (
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// FuzzReplies reads any bytes as the answer to a request of each kind. What comes of
// them does not depend on the pieces that they come in, an error is one short line, and
// a stream ends with the text that the same reply has where none was asked for.
func FuzzReplies(f *testing.F) {
	for _, list := range [][]reply{wholeReplies(), partReplies(), streamReplies(), formReplies(), errorReplies(), vectorReplies(), scoreReplies()} {
		for _, r := range list {
			f.Add([]byte(r.body), r.coding, r.status, len(r.body)/2)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, coding string, status, at int) {
		if len(body) > 1<<16 || len(coding) > 20 || status < 200 || status > 599 {
			status, coding = 200, ""
			body = body[:min(len(body), 1<<16)]
		}
		at = max(0, min(at, len(body)))
		r := reply{body: string(body), coding: coding, status: status}
		texts := map[string]string{}
		for _, way := range []string{"plain", "stream", "embed", "rerank"} {
			got, u, err := use(t, way+" of any reply", &server{reply: r}, -1)
			switch {
			case err == nil && got == "":
				t.Errorf("%s: nothing, without an error", way)
			case err == nil:
				texts[way] = got
			case len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\r\n\x00") || !utf8.ValidString(err.Error()):
				t.Errorf("%s: %q", way, err)
			}
			two, u2, err2 := use(t, way+" of any reply", &server{reply: r, pieces: borders(at)}, -1)
			bytes, u3, err3 := use(t, way+" of any reply", &server{reply: r, pieces: iotest.OneByteReader}, -1)
			if said := message(err); two != got || bytes != got || message(err2) != said || message(err3) != said || u2 != u || u3 != u {
				t.Errorf("%s: %q %+v %v\nin two pieces %q %+v %v\nbyte by byte %q %+v %v", way, got, u, err, two, u2, err2, bytes, u3, err3)
			}
		}
		if plain, ok := texts["plain"]; ok && texts["stream"] != plain {
			t.Errorf("%q, as a stream %q", plain, texts["stream"])
		}
	})
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
