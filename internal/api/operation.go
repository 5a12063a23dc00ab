package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
)

// operation is a row of the table of what the server does.
type operation struct {
	method, path string
	segments     []string
	// id names the operation for clients, tag the group that it is listed in.
	id, tag, summary, about string
	role                    Role
	// in and out are the structs that are read and written; out is nil if the answer has
	// another form.
	in, out reflect.Type
	status  int
	// streams is the media type of the answer if it can be streamed.
	streams string
	// upload says that the body is a form with files.
	upload bool
	// lenient bodies may have fields that are not known.
	lenient bool
	// heavy operations run only so many at once.
	heavy bool
	body  *schema // nil if there is none
	serve func(s *Server, c *call) error
}

// call is a request to an operation.
type call struct {
	s     *Server
	op    *operation
	w     *patientWriter
	r     *http.Request
	grant Grant
	path  map[string]string
	place *place // among those that run at once; nil if it needs none
}

// errStreamed says that an operation has written its answer itself.
var errStreamed = errors.New("the answer is written")

// define makes an operation of a function that takes and gives structs.
func define[In, Out any](op operation, fn func(c *call, ctx context.Context, in *In) (Out, error)) *operation {
	op.in, op.out = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	op.segments = strings.Split(strings.Trim(op.path, "/"), "/")
	if op.status == 0 {
		op.status = http.StatusOK
	}
	strict := &schemas{strict: true, lenient: op.lenient}
	if p := strict.fields(op.in); len(p.Properties) > 0 {
		op.body = p
	}
	op.serve = func(s *Server, c *call) error {
		in := new(In)
		// A body that comes slowly, and an answer that nobody reads, take no place.
		if err := c.read(in); err != nil {
			return err
		}
		var out Out
		err := s.bounded(c.r, c.op.heavy, func(r *http.Request, p *place) (err error) {
			c.r, c.place = r, p
			out, err = fn(c, r.Context(), in)
			return err
		})
		if err != nil {
			return err
		}
		return c.write(c.op.status, out)
	}
	return &op
}

// read reads the request into a struct.
func (c *call) read(in any) error {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return refuse("usage", "", "the query of the address is not encoded as it should be")
	}
	if err := c.parameters(reflect.ValueOf(in).Elem(), query); err != nil {
		return err
	}
	for name := range query {
		return refuse("usage", "", "there is no parameter "+strconv.Quote(fault.Cut(name)))
	}
	if c.op.body == nil || c.op.upload {
		return nil
	}
	media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return refuse("media_type", "send application/json", "the body is not of the type that is taken")
	}
	b, err := io.ReadAll(c.r.Body)
	if err != nil {
		return bodyError(err)
	}
	return c.op.body.decode(b, in)
}

// parameters fills in the fields that stand in the address, and takes them out of query.
func (c *call) parameters(v reflect.Value, query url.Values) error {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			if err := c.parameters(v.Field(i), query); err != nil {
				return err
			}
			continue
		}
		if name := f.Tag.Get("path"); name != "" {
			v.Field(i).SetString(c.path[name])
			continue
		}
		name := f.Tag.Get("query")
		if name == "" {
			continue
		}
		values := query[name]
		delete(query, name)
		p := constrain(&schema{}, f.Tag.Get("schema"))
		if len(values) == 0 {
			if f.Tag.Get("need") != "" {
				return refuse("usage", "", "the parameter "+name+" is missing")
			}
			continue
		}
		if err := setParameter(v.Field(i), name, values, p); err != nil {
			return err
		}
	}
	return nil
}

// setParameter sets a field to a parameter.
func setParameter(v reflect.Value, name string, values []string, p *schema) error {
	for _, s := range values {
		if !utf8.ValidString(s) {
			return refuse("usage", "", "the parameter "+name+" is not UTF-8")
		}
	}
	if v.Kind() == reflect.Slice {
		if p.MaxItems != nil && int64(len(values)) > *p.MaxItems {
			return refuse("usage", "", "the parameter "+name+" is there too often")
		}
		v.Set(reflect.ValueOf(values))
		return nil
	}
	if len(values) > 1 {
		return refuse("usage", "", "the parameter "+name+" is there twice")
	}
	s := values[0]
	switch v.Kind() {
	case reflect.String:
		if p.MinLength != nil && s == "" {
			return refuse("usage", "", "the parameter "+name+" is empty")
		}
		if p.MaxLength != nil && int64(utf8.RuneCountInString(s)) > *p.MaxLength {
			return refuse("usage", "", "the parameter "+name+" is too long")
		}
		v.SetString(s)
	case reflect.Int:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || p.Minimum != nil && n < *p.Minimum || p.Maximum != nil && n > *p.Maximum {
			return refuse("usage", "", "the parameter "+name+" is no number that can be")
		}
		v.SetInt(n)
	case reflect.Bool:
		if s != "true" && s != "false" {
			return refuse("usage", "", "the parameter "+name+" is neither true nor false")
		}
		v.SetBool(s == "true")
	}
	return nil
}

// write answers with a value.
func (c *call) write(status int, v any) error {
	b, err := service.Encode(v)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(b)+1))
	c.w.WriteHeader(status)
	_, err = c.w.Write(append(b, '\n'))
	return streamed(err)
}

// streamed marks an error as one that comes too late to be told.
func streamed(err error) error {
	if err != nil {
		return errors.Join(errStreamed, err)
	}
	return errStreamed
}

// database returns a database by its name, if the request may see any of it.
func (c *call) database(name string) (*service.Database, error) {
	for _, d := range c.s.o.Databases {
		if d.Name == name && (c.grant.seesAll() || c.grant.seesSome(name)) {
			return d.Database, nil
		}
	}
	return nil, service.NotFound("", "there is no database %q", name)
}

// corpus returns a namespace that the request may see.
func (c *call) corpus(ctx context.Context, at corpusPath) (*service.Database, *service.Corpus, error) {
	d, err := c.database(at.DB)
	if err != nil {
		return nil, nil, err
	}
	if !c.grant.Sees(at.DB, at.NS) {
		return nil, nil, service.NotFound("", "there is no namespace %q", at.NS)
	}
	corpus, err := d.Corpus(ctx, at.NS)
	if err != nil {
		var e *service.Error
		if errors.As(err, &e) && e.Code == "not_found" {
			e.Hint = "" // it names other namespaces
		}
		return nil, nil, err
	}
	return d, corpus, nil
}
