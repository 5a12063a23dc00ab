package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
)

type queryIn struct {
	corpusPath
	// Statement is one of the query language.
	Statement string `json:"statement" schema:"minlen=1,maxlen=1000000"`
	// Params are the values of its parameters.
	Params map[string]any `json:"params,omitempty"`
	// Graph is where the statement begins; without it the graph of the documents.
	Graph string `json:"graph,omitempty"`
	// Rows bounds the rows; the server has a bound of its own.
	Rows int `json:"rows,omitempty" schema:"min=0,max=10000000"`
	// Write allows the statement to write, if the token does.
	Write bool `json:"write,omitempty"`
}

// Rows is what a statement gives.
type Rows struct {
	V int `json:"v"`
	// Columns are the names in their order, none if the statement returns nothing.
	Columns []string `json:"columns"`
	// Rows are objects keyed by column.
	Rows []json.RawMessage `json:"rows"`
	// More says that there were more rows than were asked for.
	More bool `json:"more,omitempty"`
	// Counts are of what the statement wrote.
	Counts *service.Counts `json:"counts,omitempty"`
	// Notices tell what is odd about the statement, such as a label or a property that no node has.
	Notices []string `json:"notices,omitempty"`
	// Plan is that of EXPLAIN and PROFILE.
	Plan []service.PlanRow `json:"plan,omitempty"`
	Ms   float64           `json:"ms"`
}

func (c *call) query(ctx context.Context, in *queryIn) (*Rows, error) {
	_, corpus, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	if in.Write && c.grant.Role < Write {
		return nil, refuse("forbidden", "", "the token may read, and the statement is to write")
	}
	record(ctx).text = in.Statement
	most := c.s.o.Limits.Rows
	if in.Rows > 0 {
		most = min(most, in.Rows)
	}
	params, err := parameters(in.Params)
	if err != nil {
		return nil, err
	}
	session, err := corpus.NewSession(ctx, service.SessionOptions{ReadOnly: !in.Write, NamespaceOnly: !c.grant.seesAll(), Limits: cypher.Limits{Timeout: c.s.o.Limits.Time}})
	if err != nil {
		return nil, err
	}
	if in.Graph != "" {
		if err := session.Use(ctx, in.Graph); err != nil {
			return nil, err
		}
	}
	res, err := session.Run(ctx, in.Statement, params)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if c.wants(jsonLines) {
		return nil, c.lines(res, most, in.Rows == most)
	}
	out := &Rows{V: 1, Columns: append([]string{}, res.Columns...), Rows: []json.RawMessage{}}
	var bytes int
	for row, err := range res.Rows() {
		if err != nil {
			return nil, err
		}
		if len(out.Rows) == most {
			out.More = true
			break
		}
		b, err := service.AppendRow(nil, res.Columns, row)
		if err != nil {
			return nil, err
		}
		if bytes += len(b); bytes > mostAnswer {
			return nil, refuse("limit", "ask for fewer rows, or for a stream of them", "the rows are too large for one answer")
		}
		if err := record(ctx).memory.Grow(ctx, answerShare*int64(len(b))); err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, b)
	}
	out.Notices = res.Notices
	out.Counts, out.Ms = service.CountsOf(res.Counts), float64(res.Elapsed().Microseconds())/1000
	if res.Plan != nil {
		out.Plan = service.PlanRows(res.Plan)
	}
	return out, nil
}

// mostAnswer bounds the bytes of rows that are gathered for one answer. A byte of them
// takes answerShare bytes of memory until it is sent: as a row, and in the answer, which
// grows by doubling.
const (
	mostAnswer  = 64 << 20
	answerShare = 4
)

// flushEvery is how long a row may wait to be sent.
const flushEvery = 50 * time.Millisecond

// lines streams rows, each as a line. If there are more than most, the stream ends with an
// error, unless the client asked for no more.
func (c *call) lines(res *cypher.Result, most int, asked bool) error {
	leave, err := c.stream(jsonLines)
	if err != nil {
		return err
	}
	defer leave()
	var buf []byte
	sent, n := time.Now(), 0
	send := func() error {
		if err := c.send(buf); err != nil {
			return err
		}
		buf, sent = buf[:0], time.Now()
		return nil
	}
	for row, err := range res.Rows() {
		if err == nil && n == most {
			if asked {
				break
			}
			err = refuse("limit", "ask for fewer rows, or start the server with more --max-rows", fmt.Sprintf("the statement gives more than %d rows", most))
		}
		if err == nil {
			buf, err = service.AppendRow(buf, res.Columns, row)
			buf = append(buf, '\n')
			n++
		}
		if err != nil {
			p := problemOf(err)
			record(c.r.Context()).failed(p, err)
			b, _ := service.Encode(map[string]*Problem{"error": p}) // strings and a number
			buf = append(append(buf, b...), '\n')
			return streamed(send())
		}
		if len(buf) > 32<<10 || time.Since(sent) > flushEvery {
			if err := send(); err != nil {
				return streamed(err)
			}
		}
	}
	return streamed(send())
}

// parameters turns values of JSON into those of the query language. Whole numbers are
// integers.
func parameters(in map[string]any) (map[string]cypher.Value, error) {
	out := map[string]cypher.Value{}
	if len(in) == 0 {
		return out, nil
	}
	b, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	exact := map[string]any{}
	if err := d.Decode(&exact); err != nil {
		return nil, err
	}
	for name, v := range exact {
		if out[name], err = cypher.ValueOf(numbers(v)); err != nil {
			return nil, refuse("usage", "", "the parameter "+fault.Cut(name)+" cannot be used: "+err.Error())
		}
	}
	return out, nil
}

// numbers turns the numbers of a value into integers and floats.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // it was one before
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}
