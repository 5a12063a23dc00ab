package pgkv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	answerTime = time.Minute     // a server that does not answer in this time is lost
	graceTime  = time.Second     // how long a call waits for the answer after its context has ended
	closeTime  = 2 * time.Second // for a connection's last message
)

// session is a connection to the server, with all statements prepared. It is for one
// goroutine at a time. It stays in pipeline mode: what was sent last may be unanswered,
// and its answer is read before the next one.
type session struct {
	conn *pgconn.PgConn
	pipe *pgconn.Pipeline
	open int // exchanges that are not answered
	born time.Time
	used time.Time
}

// step is a statement of an exchange.
type step struct {
	do     statement
	params [][]byte
	row    func(vals [][]byte) // is called for each row; vals are valid in the call
	sql    string              // is run in place of do if it is not ""
}

// dial connects.
func dial(ctx context.Context, cfg *pgconn.Config) (*session, error) {
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &session{conn: conn, pipe: conn.StartPipeline(context.Background()), born: now, used: now}, nil
}

// dialect tells the servers apart.
func (s *session) dialect() (cockroach, yugabyte bool) {
	return s.conn.ParameterStatus("crdb_version") != "", strings.Contains(s.conn.ParameterStatus("server_version"), "-YB-")
}

// prepare prepares all statements for a table in one round trip. It also sends watch,
// whose failure would change nothing but when the server notices a lost client.
func (s *session) prepare(ctx context.Context, table string) error {
	defer s.limit(ctx)()
	for st := range statements {
		s.pipe.SendPrepare(st.name(), st.sql(table), nil)
	}
	if err := s.pipe.Sync(); err != nil {
		return err
	}
	for range statements {
		if _, err := s.pipe.GetResults(); err != nil {
			return errors.Join(err, s.settle())
		}
	}
	if err := s.settle(); err != nil {
		return err
	}
	return s.send(step{sql: watch})
}

// columns describes the columns of a table.
func (s *session) columns(ctx context.Context, table string) ([]pgconn.FieldDescription, error) {
	defer s.limit(ctx)()
	s.pipe.SendPrepare("", allColumns(table), nil)
	if err := s.pipe.Sync(); err != nil {
		return nil, err
	}
	var fields []pgconn.FieldDescription
	res, err := s.pipe.GetResults()
	if d, ok := res.(*pgconn.StatementDescription); ok {
		fields = d.Fields
	}
	return fields, errors.Join(err, s.settle())
}

var binary16 = []int16{1}

// send sends steps without waiting for their answers.
func (s *session) send(steps ...step) error {
	for _, st := range steps {
		if st.sql != "" {
			s.pipe.SendQueryParams(st.sql, nil, nil, nil, binary16)
		} else {
			// SendQueryStatement would save the server a description, but loses count of the
			// statements after one that failed.
			s.pipe.SendQueryPrepared(st.do.name(), st.params, binary16, binary16)
		}
	}
	if err := s.pipe.Sync(); err != nil {
		return err
	}
	s.open++
	return nil
}

// exchange runs steps in one round trip. It returns how many of them were done, and the
// error of the next one, after which no other is done. sent is false if the server got
// none of them.
func (s *session) exchange(ctx context.Context, steps ...step) (done int, sent bool, err error) {
	defer s.limit(ctx)()
	before := s.open
	if err := s.send(steps...); err != nil {
		return 0, !pgconn.SafeToRetry(err), err
	}
	for range before {
		if err := s.settle(); err != nil {
			return 0, true, err
		}
		s.open--
	}
	for _, st := range steps {
		if err = s.answer(st); err != nil {
			break
		}
		done++
	}
	serr := s.settle()
	s.open--
	s.used = time.Now()
	if err == nil && done < len(steps) {
		err = serr
	}
	return done, true, err
}

// answer reads the answer of a step.
func (s *session) answer(st step) error {
	res, err := s.pipe.GetResults()
	if err != nil {
		return err
	}
	rr, ok := res.(*pgconn.ResultReader)
	if !ok {
		return fmt.Errorf("the server sent %T in place of a result", res)
	}
	for rr.NextRow() {
		if st.row != nil {
			st.row(rr.Values())
		}
	}
	tag, err := rr.Close()
	if err == nil && st.do == commit && st.sql == "" && tag.String() != "COMMIT" {
		err = fmt.Errorf("the server answered COMMIT with %s", tag)
	}
	return err
}

// settle reads up to the end of an exchange. It skips what failed in it.
func (s *session) settle() error {
	for {
		res, err := s.pipe.GetResults()
		var answered *pgconn.PgError
		switch {
		case err != nil && (s.conn.IsClosed() || !errors.As(err, &answered)):
			return err
		case err != nil:
			continue
		case res == nil:
			return errors.New("the server did not end an exchange")
		}
		switch res := res.(type) {
		case *pgconn.PipelineSync:
			return nil
		case *pgconn.ResultReader:
			if _, err := res.Close(); err != nil && s.conn.IsClosed() {
				return err
			}
		}
	}
}

// limit bounds the time of the calls that follow, until the returned function is called.
// If the context ends, a little time is left for the answer, so that the connection can
// be used again.
func (s *session) limit(ctx context.Context) (release func()) {
	c := s.conn.Conn()
	_ = c.SetDeadline(time.Now().Add(answerTime)) // it fails on a closed connection only
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = c.SetDeadline(time.Now().Add(graceTime))
	})
	return func() {
		if !stop() {
			<-ended
		}
		_ = c.SetDeadline(time.Time{})
	}
}

// idle reports whether a session can begin something new.
func (s *session) idle() bool {
	return !s.conn.IsClosed() && (s.open > 0 || s.conn.TxStatus() == 'I')
}

// end ends the transaction without waiting for the answer.
func (s *session) end() {
	_ = s.conn.Conn().SetDeadline(time.Now().Add(closeTime))
	if err := s.send(step{do: rollback}); err != nil {
		s.close()
		return
	}
	_ = s.conn.Conn().SetDeadline(time.Time{})
}

// close ends the connection.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = s.conn.Close(ctx) // nothing is lost with it
}
