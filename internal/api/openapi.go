package api

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
)

// comments are what the source says of the types and fields that are read and written,
// by package, type and field. TestComments writes them.
//
//go:embed comments.json
var comments []byte

// object is a part of the document.
type object map[string]any

// openAPI returns the document of all operations.
func (s *Server) openAPI() ([]byte, error) {
	types := &schemas{named: map[string]*schema{}, types: map[string]reflect.Type{}}
	if err := json.Unmarshal(comments, &types.comments); err != nil {
		return nil, err
	}
	problem := types.of(reflect.TypeFor[Problem]())
	paths := map[string]object{}
	for _, op := range s.operations {
		if paths[op.path] == nil {
			paths[op.path] = object{}
		}
		paths[op.path][strings.ToLower(op.method)] = op.describe(types, problem)
	}
	doc := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "ragdb", "version": s.o.Version,
			"description": "Documents, questions, graphs and vectors of the databases that this server holds. Errors are problem details (RFC 9457) with the code of the command's errors.",
		},
		"paths": paths,
		"components": object{
			"schemas":         types.named,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "A line of the server's token file. A server on a loopback address may want none."}},
		},
	}
	if s.o.Tokens != nil {
		doc["security"] = []object{{"token": []string{}}}
	}
	return service.Encode(doc)
}

// describe returns an operation as the document has it.
func (op *operation) describe(types *schemas, problem *schema) object {
	out := object{"operationId": op.id, "summary": op.summary, "tags": []string{op.tag}}
	about := op.about
	if op.role > 0 {
		about = strings.TrimSpace(about + " Wants the role " + op.role.String() + ".")
	} else {
		out["security"] = []object{}
	}
	out["description"] = about
	if p := op.parameters(types, op.in); len(p) > 0 {
		out["parameters"] = p
	}
	strict := &schemas{strict: true, lenient: op.lenient, comments: types.comments}
	if op.body != nil {
		media := "application/json"
		if op.upload {
			media = "multipart/form-data"
		}
		body := strict.fields(op.in)
		body.Description = ""
		out["requestBody"] = object{"required": true, "content": object{media: object{"schema": body}}}
	}
	ok := object{"description": http.StatusText(op.status)}
	content := object{}
	if op.out != reflect.TypeFor[*nothing]() {
		content["application/json"] = object{"schema": types.of(op.out)}
	}
	if op.streams != "" {
		content[op.streams] = object{"schema": object{}}
	}
	if len(content) > 0 {
		ok["content"] = content
	}
	failed := object{"description": "An error", "content": object{problemType: object{"schema": problem}}}
	if op.tag == modelsTag {
		failed["content"] = object{"application/json": object{"schema": types.of(reflect.TypeFor[openAIError]())}}
	}
	out["responses"] = object{
		statusText(op.status): ok,
		"default":             failed,
	}
	return out
}

func statusText(n int) string { b, _ := json.Marshal(n); return string(b) }

// parameters lists the fields of a struct that stand in the address.
func (op *operation) parameters(types *schemas, t reflect.Type) []object {
	var out []object
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			out = append(out, op.parameters(types, f.Type)...)
			continue
		}
		p := object{}
		if name := f.Tag.Get("path"); name != "" {
			p["name"], p["in"], p["required"] = name, "path", true
		} else if name := f.Tag.Get("query"); name != "" {
			p["name"], p["in"], p["required"] = name, "query", f.Tag.Get("need") != ""
		} else {
			continue
		}
		sch := constrain(types.of(f.Type), f.Tag.Get("schema"))
		if p["in"] == "path" {
			one := int64(1)
			sch.MinLength = &one
		}
		p["schema"] = sch
		if c := types.comment(t, f.Name); c != "" {
			p["description"] = c
		}
		out = append(out, p)
	}
	return slices.Clip(out)
}
