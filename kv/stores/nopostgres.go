//go:build nopostgres

package stores

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/kv"
)

// Shown returns a name without its passwords.
func Shown(name string) string {
	if !OnServer(name) {
		return name
	}
	scheme, _, _ := strings.Cut(name, "://")
	return scheme + "://..."
}

func openServer(context.Context, string, *kv.Schema, Options) (kv.Store, error) {
	return nil, phase.At("", fmt.Errorf("%w: this program was built without PostgreSQL", errors.ErrUnsupported))
}
