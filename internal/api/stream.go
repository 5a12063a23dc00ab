package api

import (
	"context"
	"errors"
	"mime"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
)

// The media types of streams.
const (
	eventStream = "text/event-stream"
	jsonLines   = "application/x-ndjson"
)

// wants reports whether the client asks for a media type before JSON.
func (c *call) wants(media string) bool {
	for part := range strings.SplitSeq(c.r.Header.Get("Accept"), ",") {
		t, _, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if t == media {
			return true
		}
		if t == "application/json" {
			return false
		}
	}
	return false
}

// stream begins an answer that comes in parts. The caller calls leave at its end.
func (c *call) stream(media string) (leave func(), err error) {
	if leave, err = c.s.streams.enter(c.r.Context()); err != nil {
		return nil, err
	}
	h := c.w.Header()
	h.Set("Content-Type", media)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	return leave, nil
}

// event sends a server-sent event.
func (c *call) event(name string, v any) error {
	b, err := service.Encode(v)
	if err != nil {
		return err
	}
	return c.send([]byte("event: " + name + "\ndata: " + string(b) + "\n\n"))
}

// send sends a part of a stream. Meanwhile another request may run in place of this one.
func (c *call) send(b []byte) error {
	return c.place.outside(c.r.Context(), func() error {
		if _, err := c.w.Write(b); err != nil {
			return err
		}
		return c.w.flush()
	})
}

// endEvents ends a stream of events, with an error if there is one.
func (c *call) endEvents(err error) error {
	if err == nil {
		return errStreamed
	}
	if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		record(c.r.Context()).gone()
		return errStreamed
	}
	p := problemOf(err)
	record(c.r.Context()).failed(p, err)
	return streamed(c.event("error", p))
}
