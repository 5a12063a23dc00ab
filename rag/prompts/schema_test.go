package prompts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
)

// replies are a reply of each type with everything in it.
func replies() map[llm.Kind]any {
	relation := llm.Relation{Source: "a", Target: "b", Description: "a is b", Strength: 10}
	extraction := llm.Extraction{
		Entities:  []llm.Entity{{Name: "a", Type: "t", Description: "d"}},
		Relations: []llm.Relation{relation},
	}
	whole := extraction
	whole.Units = []llm.Unit{{Text: "a is b.", Time: "1931"}}
	return map[llm.Kind]any{
		llm.Extract: whole, llm.Glean: extraction, llm.SummaryEntities: extraction,
		llm.RepairRelation: relation,
		llm.CommunityReport: llm.Report{Title: "t", Summary: "s", Rating: 7.5, Reason: "r",
			Findings: []llm.Finding{{Summary: "s", Explanation: "e"}}},
		llm.Decompose: llm.Decomposition{Units: []llm.Event{{Text: "a is b.", Entities: []string{"a", "b"},
			Relations: []llm.Stated{{Source: "a", Relation: "is", Target: "b"}}}}},
		llm.Insights:      llm.InsightList{Insights: []llm.Insight{{Title: "t", Description: "d"}}},
		llm.QueryElements: llm.Elements{Entities: []string{"a"}},
		llm.Keywords:      llm.KeywordSet{High: []string{"h"}, Low: []string{"l"}},
		llm.FilterPoints:  llm.Points{Points: []llm.Point{{Description: "d", Score: 90, N: 3}}},
		llm.Judge:         llm.Verdict{Winner: -1, Reason: "r"},
		llm.MakeQuestions: llm.Questions{Items: []string{"q"}},
	}
}

// unasked are the fields that no schema asks for: the sentence of a relation
// would be paid for twice, once as input and once as output. unitsUnasked are the
// kinds that ask for no units: what a first reading missed is entities and relations,
// and summaries have no text of their own.
var (
	unasked      = map[string]bool{"Relation.sentence": true}
	unitsUnasked = map[llm.Kind]bool{llm.Glean: true, llm.SummaryEntities: true}
)

// TestSchemasMatchTypes compares the schemas with the Go types that replies
// are read into, and with what strict structured outputs accept.
func TestSchemasMatchTypes(t *testing.T) {
	s := defaults(t)
	want := replies()
	for _, k := range s.Kinds() {
		_, file := s.File(k)
		reply, structured := want[k]
		if !structured {
			if file != nil {
				t.Errorf("%s has a schema and its reply is text", k)
			}
			continue
		}
		var schema map[string]any
		if err := json.Unmarshal(file, &schema); err != nil {
			t.Errorf("%s: %v", k, err)
			continue
		}
		for _, problem := range compare(string(k), schema, reflect.TypeOf(reply)) {
			t.Error(problem)
		}
	}
}

func compare(at string, schema map[string]any, typ reflect.Type) (problems []string) {
	refuse := func(format string, args ...any) {
		problems = append(problems, at+": "+fmt.Sprintf(format, args...))
	}
	for word := range schema {
		if !slices.Contains([]string{"type", "description", "properties", "required", "additionalProperties", "items"}, word) {
			refuse("%s is not of the strict subset", word)
		}
	}
	kind := schema["type"]
	switch typ.Kind() {
	case reflect.Struct:
		if kind != "object" || schema["additionalProperties"] != false {
			refuse("not a closed object")
		}
		properties, _ := schema["properties"].(map[string]any)
		var names []string
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			kind, _, _ := strings.Cut(at, ".")
			if unasked[typ.Name()+"."+name] || name == "units" && unitsUnasked[llm.Kind(kind)] {
				continue
			}
			names = append(names, name)
			p, ok := properties[name].(map[string]any)
			if !ok {
				refuse("no property %s", name)
				continue
			}
			if p["type"] != "array" && p["description"] == nil {
				refuse("%s has no description", name)
			}
			problems = append(problems, compare(at+"."+name, p, f.Type)...)
		}
		slices.Sort(names)
		if got := slices.Sorted(maps.Keys(properties)); !slices.Equal(got, names) {
			refuse("properties %q, the type has %q", got, names)
		}
		var required []string
		list, _ := schema["required"].([]any)
		for _, r := range list {
			required = append(required, fmt.Sprint(r))
		}
		slices.Sort(required)
		if !slices.Equal(required, names) {
			refuse("required %q of %q", required, names)
		}
	case reflect.Slice:
		items, _ := schema["items"].(map[string]any)
		if kind != "array" {
			refuse("%v, want an array", kind)
		}
		problems = append(problems, compare(at+"[]", items, typ.Elem())...)
	case reflect.String:
		if kind != "string" {
			refuse("%v, want a string", kind)
		}
	case reflect.Int:
		if kind != "integer" {
			refuse("%v, want an integer", kind)
		}
	case reflect.Float64:
		if kind != "number" && kind != "integer" {
			refuse("%v, want a number", kind)
		}
	default:
		refuse("a type that no reply has")
	}
	return problems
}

// valid reports what is wrong with a value by a schema of the strict subset,
// "" for nothing.
func valid(schema map[string]any, v any) string {
	ok := false
	switch schema["type"] {
	case "object":
		m, isMap := v.(map[string]any)
		if ok = isMap; !ok {
			break
		}
		properties := schema["properties"].(map[string]any)
		for name, x := range m {
			p, known := properties[name].(map[string]any)
			if !known {
				return name + " is unknown"
			}
			if why := valid(p, x); why != "" {
				return name + ": " + why
			}
		}
		for _, r := range schema["required"].([]any) {
			if _, has := m[r.(string)]; !has {
				return r.(string) + " is missing"
			}
		}
	case "array":
		list, isList := v.([]any)
		ok = isList
		for _, x := range list {
			if why := valid(schema["items"].(map[string]any), x); why != "" {
				return why
			}
		}
	case "string":
		_, ok = v.(string)
	case "number":
		_, ok = v.(float64)
	case "integer":
		f, isNumber := v.(float64)
		ok = isNumber && f == math.Trunc(f)
	}
	if !ok {
		return fmt.Sprintf("%v is no %v", v, schema["type"])
	}
	return ""
}

func check(t *testing.T, schema, reply []byte) string {
	t.Helper()
	var s map[string]any
	var v any
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(reply, &v); err != nil {
		return err.Error()
	}
	return valid(s, v)
}

// TestRepliesAreValid: what Go writes of a reply is valid, and a reply with
// more, less or other values is not.
func TestRepliesAreValid(t *testing.T) {
	s := defaults(t)
	for k, reply := range replies() {
		_, schema := s.File(k)
		b, err := json.Marshal(reply)
		if err != nil {
			t.Fatal(err)
		}
		if why := check(t, schema, b); why != "" {
			t.Errorf("%s: %s: %s", k, b, why)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		for name := range m {
			for what, x := range map[string]any{"missing": nil, "wrong": map[string]any{}} {
				wrong := maps.Clone(m)
				if wrong[name] = x; x == nil {
					delete(wrong, name)
				}
				b, _ := json.Marshal(wrong)
				if check(t, schema, b) == "" {
					t.Errorf("%s: valid with %s %s: %s", k, what, name, b)
				}
			}
		}
		m["more"] = 1
		if b, _ := json.Marshal(m); check(t, schema, b) == "" {
			t.Errorf("%s: valid with more: %s", k, b)
		}
	}
}

// TestExamplesAreValid: the replies that prompts show as examples are valid
// and fill their Go type.
func TestExamplesAreValid(t *testing.T) {
	s := defaults(t)
	seen := map[llm.Kind]bool{}
	for _, task := range cases() {
		task = fill(t, s, task)
		for line := range strings.Lines(task.Prompt[0].Content) {
			if !strings.HasPrefix(line, "{") {
				continue
			}
			seen[task.Kind] = true
			if why := check(t, task.Schema, []byte(line)); why != "" {
				t.Errorf("%s: %s: %s", task.Kind, line, why)
			}
			into := reflect.New(reflect.TypeOf(replies()[task.Kind]))
			dec := json.NewDecoder(bytes.NewReader([]byte(line)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(into.Interface()); err != nil {
				t.Errorf("%s: %s: %v", task.Kind, line, err)
			}
		}
	}
	for k := range replies() {
		if !seen[k] {
			t.Errorf("%s shows no example of its form", k)
		}
	}
}

// TestSchemaIsCompact: white space in a schema's file does not reach the
// digest of a task.
func TestSchemaIsCompact(t *testing.T) {
	s := defaults(t)
	for _, task := range cases() {
		task = fill(t, s, task)
		_, file := s.File(task.Kind)
		if file == nil {
			if task.Schema != nil {
				t.Errorf("%s has a schema", task.Kind)
			}
			continue
		}
		var want bytes.Buffer
		if err := json.Compact(&want, file); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(task.Schema, want.Bytes()) {
			t.Errorf("%s: schema %s", task.Kind, task.Schema)
		}
	}
}
