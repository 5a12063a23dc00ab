package pgkv

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ragdb/ragdb/kv"
)

// The codes of errors (SQLSTATE) that mean something here.
const (
	divisionByZero      = "22012" // a guard that does not hold
	completionUnknown   = "40003" // CockroachDB does not know whether it committed
	readOnlyTransaction = "25006" // a standby, or a server that takes no writes
	tooManyConnections  = "53300"
	lockNotAvailable    = "55P03"
	snapshotTooOld      = "72000"
	uniqueViolation     = "23505"
	duplicateTable      = "42P07"
	duplicateObject     = "42710"
	undefinedTable      = "42P01"
	invalidSchema       = "3F000"
	noUniqueKey         = "42P10"
	internalError       = "XX000"
)

// code returns the code of the server's answer, "" if err is none.
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// describe says what an error of pgx says. The error itself is not passed on: it may
// hold the settings of the connection, with the password.
func describe(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return fmt.Sprintf("%s (SQLSTATE %s)", e.Message, e.Code)
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && connect.Unwrap() != nil {
		err = connect.Unwrap() // it has an error for each address of the host
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSpace(first)
}

// lost reports whether the server ended the session, so that the state of a transaction
// that was to be committed is not known from the answer.
func lost(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P")
}

// passing reports whether the call may succeed a moment later: the transaction met
// another, the server starts, ends or follows another, or has no connection free.
func passing(code string) bool {
	switch code {
	case readOnlyTransaction, tooManyConnections, lockNotAvailable:
		return true
	}
	return lost(code) || strings.HasPrefix(code, "40")
}

// ended returns the error of a context, with what came of the call.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// connecting returns the error of a session that was not made.
func connecting(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c := code(err)
	var (
		dns      *net.DNSError
		cert     *tls.CertificateVerificationError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
	)
	switch {
	case c == undefinedTable, c == invalidSchema:
		return fmt.Errorf("%w: %s", fs.ErrNotExist, describe(err))
	case c != "" && !passing(c),
		errors.As(err, &dns) && dns.IsNotFound,
		errors.As(err, &cert), errors.As(err, &unknown), errors.As(err, &hostname):
		return errors.New(describe(err))
	}
	return fmt.Errorf("%w: %s", kv.ErrRefused, describe(err))
}

// opening returns the error of a view that was not opened.
func opening(ctx context.Context, err error) error {
	c := code(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c == "" || passing(c) || c == snapshotTooOld:
		return fmt.Errorf("%w: %s", kv.ErrRefused, describe(err))
	}
	return errors.New(describe(err))
}

// reading returns the error of a view's read. A transaction that met an error is over:
// what it saw is gone.
func reading(ctx context.Context, err error) error {
	return ended(ctx, fmt.Errorf("%w: %s", kv.ErrExpired, describe(err)))
}

// writing returns the error of a transaction. inCommit says that all was done but the
// commit, sent that the server may have got it.
func writing(ctx context.Context, err error, inCommit, sent bool) error {
	c := code(err)
	switch {
	case c == completionUnknown,
		c == "" && sent,
		inCommit && (lost(c) || c == internalError):
		return ended(ctx, fmt.Errorf("%w: %s", kv.ErrUncertain, describe(err)))
	case c == divisionByZero:
		return kv.ErrGuard
	case c == noUniqueKey:
		return phase.Mark(kv.ErrForeign, "the table is not one of ragdb: its column key is not its primary key")
	case !sent, passing(c):
		return ended(ctx, fmt.Errorf("%w: %s", kv.ErrRefused, describe(err)))
	}
	return ended(ctx, errors.New(describe(err)))
}
