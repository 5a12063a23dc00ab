package pebblekv

import (
	"context"
	"fmt"
	"log/slog"
)

// logger implements pebble.Logger. It never ends the process: fatal is told
// of what Pebble calls fatal.
type logger struct {
	log   *slog.Logger
	fatal func(error)
}

func (l logger) Infof(format string, args ...any)  { l.print(slog.LevelDebug, format, args) }
func (l logger) Errorf(format string, args ...any) { l.print(slog.LevelWarn, format, args) }

func (l logger) Fatalf(format string, args ...any) {
	l.print(slog.LevelError, format, args)
	l.fatal(fmt.Errorf(format, args...))
}

func (l logger) print(level slog.Level, format string, args []any) {
	if l.log != nil && l.log.Enabled(context.Background(), level) {
		l.log.Log(context.Background(), level, fmt.Sprintf(format, args...))
	}
}
