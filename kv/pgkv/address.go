package pgkv

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ragdb/ragdb/kv"
)

const (
	defaultTable = "ragdb"
	hidden       = "xxxxx" // stands for a password
)

// Is reports whether an address names a database of this package: a URL that begins with
// postgres:// or postgresql://.
func Is(address string) bool {
	scheme, _, ok := strings.Cut(address, "://")
	return ok && (scheme == "postgres" || scheme == "postgresql")
}

// Redact returns an address without its passwords. If it is not clear where a password
// ends, more than the password is hidden.
func Redact(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return hidden
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		name, _, secret := strings.Cut(rest[:at], ":")
		switch {
		case strings.ContainsAny(name, "/?#@"):
			name = hidden
		case secret:
			name += ":" + hidden
		}
		rest = name + rest[at:]
	}
	path, query, ok := strings.Cut(rest, "?")
	if !ok {
		return scheme + "://" + rest
	}
	params := strings.Split(query, "&")
	for i, p := range params {
		if raw, _, ok := strings.Cut(p, "="); ok && isSecret(raw) {
			params[i] = raw + "=" + hidden
		}
	}
	return scheme + "://" + path + "?" + strings.Join(params, "&")
}

// isSecret reports whether a query parameter is a password.
func isSecret(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	return strings.Contains(strings.ToLower(name), "password")
}

// parse returns the settings of an address, and the quoted name of its table.
func parse(address string) (*pgxpool.Config, string, error) {
	if !Is(address) {
		return nil, "", fmt.Errorf("%w: an address begins with postgres:// or postgresql://", kv.ErrForeign)
	}
	table := defaultTable
	base, query, _ := strings.Cut(address, "?")
	var rest []string
	for p := range strings.SplitSeq(query, "&") {
		raw, val, _ := strings.Cut(p, "=")
		if raw != "table" {
			rest = append(rest, p)
			continue
		}
		name, err := url.QueryUnescape(val)
		if err != nil || name == "" {
			return nil, "", phase.Errorf("the parameter table of the address has no valid name")
		}
		table = name
	}
	quoted, err := quote(table)
	if err != nil {
		return nil, "", err
	}
	cfg, err := pgxpool.ParseConfig(base + "?" + strings.Join(rest, "&"))
	if err != nil {
		// What pgx says may have parts of the password.
		return nil, "", phase.Errorf("the address is not a valid URL of PostgreSQL, or has a parameter that is not valid")
	}
	return cfg, quoted, nil
}

// quote returns a table's name, which may have a schema before a dot, as SQL has it.
func quote(table string) (string, error) {
	parts := strings.Split(table, ".")
	for _, p := range parts {
		if p == "" || len(p) > 63 || strings.ContainsRune(p, 0) || len(parts) > 2 {
			return "", phase.Errorf("%q is no name of a table: it is name or schema.name, of 1 to 63 bytes each", table)
		}
	}
	return pgx.Identifier(parts).Sanitize(), nil
}

// hasParam reports whether an address has a query parameter.
func hasParam(address, name string) bool {
	_, query, _ := strings.Cut(address, "?")
	for p := range strings.SplitSeq(query, "&") {
		if raw, _, _ := strings.Cut(p, "="); raw == name {
			return true
		}
	}
	return false
}
