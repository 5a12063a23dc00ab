package llm

import (
	"errors"
)

// readDecomposition reads the events of a text. One that says the same as an earlier
// one is dropped, and so is a relation without two ends.
func (d *drops) readDecomposition(f fields) (any, error) {
	list, given, err := f.list("units", "Output", "output", "events")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, errors.New(`it has no "units"`)
	}
	out := Decomposition{Units: []Event{}}
	seen := map[string]bool{}
	for i, v := range list {
		e, err := d.readEvent(v)
		switch {
		case err != nil:
			d.drop("unit", i, err)
		case e.Text == "":
		case seen[e.Text]:
			d.dropped++
		default:
			seen[e.Text] = true
			d.kept++
			out.Units = append(out.Units, e)
		}
	}
	return out, nil
}

func (d *drops) readEvent(v any) (Event, error) {
	e := Event{Entities: []string{}, Relations: []Stated{}}
	o, ok := v.(map[string]any)
	if !ok {
		return e, errors.New("it is not an object")
	}
	f := fields(o)
	text, err1 := f.text("text", "semantic_unit", "unit")
	names, _, err2 := d.names(f, "entities")
	list, _, err3 := f.list("relations", "relationships")
	if err := errors.Join(err1, err2, err3); err != nil {
		return e, err
	}
	e.Text = text
	if names != nil {
		e.Entities = names
	}
	e.Relations = records(d, "relation", list, func(v any) (s Stated, blank bool, err error) {
		o, ok := v.(map[string]any)
		if !ok {
			return s, false, errors.New("it is not an object")
		}
		f := fields(o)
		source, err1 := f.text("source", "subject")
		says, err2 := f.text("relation", "relationship", "description")
		target, err3 := f.text("target", "object")
		s = Stated{Source: cleanName(source), Relation: says, Target: cleanName(target)}
		if err = errors.Join(err1, err2, err3); err == nil && (s.Source == "" || s.Target == "") {
			err = errors.New("it has no two ends")
		}
		return s, false, err
	})
	return e, nil
}

func (d *drops) readInsights(f fields) (any, error) {
	list, given, err := f.list("insights", "high_level_elements", "elements")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, errors.New(`it has no "insights"`)
	}
	return InsightList{Insights: records(d, "insight", list, func(v any) (x Insight, blank bool, err error) {
		o, ok := v.(map[string]any)
		if !ok {
			return x, false, errors.New("it is not an object")
		}
		title, err1 := fields(o).text("title")
		says, err2 := fields(o).text("description", "text")
		x = Insight{Title: cleanName(title), Description: says}
		err = errors.Join(err1, err2)
		if err == nil && x.Description == "" && x.Title != "" {
			err = errors.New("it has no description")
		}
		return x, x == (Insight{}), err
	})}, nil
}
