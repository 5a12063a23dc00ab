package api

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Role is what a request may do. Each role may do what those before it may.
type Role int

// The roles.
const (
	// Read asks, searches and looks.
	Read Role = iota + 1
	// Write adds and removes documents, and runs statements that write.
	Write
	// Admin makes and removes namespaces.
	Admin
)

// String names the role.
func (r Role) String() string {
	switch r {
	case Read:
		return "read"
	case Write:
		return "write"
	case Admin:
		return "admin"
	}
	return "none"
}

// Tokens are the secrets that requests show, with what they may do. The texts
// themselves are not kept.
type Tokens struct {
	all []secret
}

type secret struct {
	sum  [sha256.Size]byte
	role Role
	// namespaces are database/namespace, none for all.
	namespaces []string
}

// leastToken is the length of the shortest token that is taken.
const leastToken = 16

// ReadTokens reads tokens, one a line: TOKEN ROLE [DATABASE/NAMESPACE...]. Empty lines
// and those that begin with # say nothing. Errors name the line and not the token.
func ReadTokens(r io.Reader) (*Tokens, error) {
	t := &Tokens{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words[0]) < leastToken {
			return nil, fmt.Errorf("line %d: a token has at least %d characters", n, leastToken)
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("line %d: a role is missing: read, write or admin", n)
		}
		own := secret{sum: sha256.Sum256([]byte(words[0])), namespaces: words[2:]}
		for _, role := range []Role{Read, Write, Admin} {
			if words[1] == role.String() {
				own.role = role
			}
		}
		if own.role == 0 {
			return nil, fmt.Errorf("line %d: %q is not one of the roles read, write and admin", n, words[1])
		}
		for _, ns := range own.namespaces {
			if db, name, ok := strings.Cut(ns, "/"); !ok || db == "" || name == "" {
				return nil, fmt.Errorf("line %d: %q is not DATABASE/NAMESPACE", n, ns)
			}
		}
		if own.role == Admin && len(own.namespaces) > 0 {
			return nil, fmt.Errorf("line %d: an admin is not bound to namespaces", n)
		}
		t.all = append(t.all, own)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(t.all) == 0 {
		return nil, fmt.Errorf("there is no token")
	}
	return t, nil
}

// Grant is what a request may do.
type Grant struct {
	Role       Role
	namespaces []string
}

// Everything is the grant of a request that needs no token.
func everything() Grant { return Grant{Role: Admin} }

// Sees reports whether a namespace exists for the request.
func (g Grant) Sees(db, ns string) bool {
	return len(g.namespaces) == 0 || slices.Contains(g.namespaces, db+"/"+ns)
}

// seesAll reports whether the request is bound to no namespace.
func (g Grant) seesAll() bool { return len(g.namespaces) == 0 }

// Grant returns what a request may do. Every token is compared, each in the same time.
// A nil Tokens grants everything.
func (t *Tokens) Grant(r *http.Request) (Grant, error) {
	if t == nil {
		return everything(), nil
	}
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if shown == "" || !strings.EqualFold(scheme, "Bearer") {
		return Grant{}, refuse("unauthorized", "send it as Authorization: Bearer TOKEN", "the request shows no token")
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(shown)))
	found := -1
	for i := range t.all {
		if subtle.ConstantTimeCompare(t.all[i].sum[:], sum[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Grant{}, refuse("unauthorized", "", "the token is not known")
	}
	return Grant{Role: t.all[found].role, namespaces: t.all[found].namespaces}, nil
}

// seesSome reports whether any namespace of a database exists for the request.
func (g Grant) seesSome(db string) bool {
	return slices.ContainsFunc(g.namespaces, func(ns string) bool { return strings.HasPrefix(ns, db+"/") })
}
