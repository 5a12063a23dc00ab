package llm

import (
	"errors"
	"fmt"
	"math"
)

// errBeyondRepair is the reply that a relation cannot be repaired.
var errBeyondRepair = errors.New("the relation is beyond repair")

// readReply reads a decoded JSON value as the reply type of a kind. dropped
// counts the records that it leaves out.
func readReply(k Kind, v any) (reply any, dropped int, err error) {
	var d drops
	reply, err = d.readReply(k, v)
	if err == nil && d.kept == 0 {
		err = d.first // records, and none that can be used
	}
	return reply, d.dropped, err
}

func (d *drops) readReply(k Kind, v any) (any, error) {
	if list, ok := v.([]any); ok {
		return d.readBareList(k, list)
	}
	o, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is not a JSON object")
	}
	f := fields(o)
	switch k {
	case Extract, Glean, SummaryEntities:
		return d.readExtraction(f)
	case RepairRelation:
		if f["source"] == "" && f["target"] == "" {
			return nil, errBeyondRepair
		}
		return readRelation(f)
	case Decompose:
		return d.readDecomposition(f)
	case Insights:
		return d.readInsights(f)
	case CommunityReport:
		return d.readReport(f)
	case QueryElements:
		return d.readElements(f)
	case Keywords:
		return d.readKeywords(f)
	case FilterPoints:
		return d.readPoints(f)
	case Judge:
		return readVerdict(f)
	case MakeQuestions:
		return d.readQuestions(f)
	}
	return nil, ErrKind
}

// readBareList reads a list if the reply is an object of one list.
func (d *drops) readBareList(k Kind, list []any) (any, error) {
	switch k {
	case Decompose:
		return d.readDecomposition(fields{"units": list})
	case Insights:
		return d.readInsights(fields{"insights": list})
	case QueryElements:
		for _, v := range list {
			if _, ok := v.(string); !ok {
				return nil, errors.New("it is a list of other than strings")
			}
		}
		return d.readElements(fields{"entities": list})
	case FilterPoints:
		return d.readPoints(fields{"points": list})
	case MakeQuestions:
		return d.readQuestions(fields{"items": list})
	}
	return nil, errors.New("it is a JSON list, not an object")
}

// drops counts the records of a reply. The zero value is ready to use.
type drops struct {
	kept, dropped int
	first         error // why the first one was dropped
}

// drop leaves out a record, whose place in its list is i.
func (d *drops) drop(name string, i int, err error) {
	d.dropped++
	if d.first == nil {
		d.first = fmt.Errorf("%s %d: %w", name, i+1, err)
	}
}

// records reads the records of a list. It drops those that read refuses and
// those that it has read before. Nothing is counted of a record for which read
// returns blank.
func records[T comparable](d *drops, name string, list []any, read func(v any) (x T, blank bool, err error)) []T {
	out := []T{}
	seen := map[T]bool{}
	for i, v := range list {
		x, blank, err := read(v)
		switch {
		case err != nil:
			d.drop(name, i, err)
		case blank:
		case seen[x]:
			d.dropped++
		default:
			seen[x] = true
			d.kept++
			out = append(out, x)
		}
	}
	return out
}

func (d *drops) readExtraction(f fields) (any, error) {
	entities, hasEntities, err1 := f.list("entities", "nodes")
	relations, hasRelations, err2 := f.list("relations", "relationships", "edges")
	units, _, err3 := f.list("units", "statements")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if !hasEntities && !hasRelations {
		return nil, errors.New(`it has neither "entities" nor "relations"`)
	}
	x := Extraction{
		Entities: records(d, "entity", entities, readEntity),
		Relations: records(d, "relation", relations, func(v any) (r Relation, blank bool, err error) {
			f, ok := v.(map[string]any)
			if !ok {
				return r, false, errors.New("it is not an object")
			}
			r, err = readRelation(f)
			return r, false, err
		}),
		Units: records(d, "unit", units, readUnit),
	}
	if len(x.Units) == 0 {
		x.Units = nil
	}
	return x, nil
}

func readUnit(v any) (u Unit, blank bool, err error) {
	if s, ok := v.(string); ok {
		s = cleanText(s)
		return Unit{Text: s}, s == "", nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return u, false, errors.New("it is not an object")
	}
	f := fields(o)
	text, err1 := f.text("text", "unit", "statement")
	u.Time, err = f.text("time", "date")
	u.Text = text
	return u, u.Text == "", errors.Join(err1, err)
}

// readEntity reads an entity; blank says that all of it is empty.
func readEntity(v any) (e Entity, blank bool, err error) {
	if name, ok := v.(string); ok {
		e.Name = cleanName(name)
		return e, e.Name == "", nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		return e, false, errors.New("it is not an object")
	}
	f := fields(o)
	name, err1 := f.text("name", "entity", "entity_name")
	kind, err2 := f.text("type", "entity_type")
	e.Description, err = f.text("description", "entity_description")
	if err := errors.Join(err1, err2, err); err != nil {
		return e, false, err
	}
	e.Name, e.Type = cleanName(name), cleanName(kind)
	if e.Name == "" && (e.Type != "" || e.Description != "") {
		return e, false, errors.New("it has no name")
	}
	return e, e.Name == "", nil
}

func readRelation(f fields) (r Relation, err error) {
	source, err1 := f.text("source", "subject", "source_entity")
	target, err2 := f.text("target", "object", "target_entity")
	description, err3 := f.text("description", "relation", "relationship", "relationship_description")
	sentence, err4 := f.text("sentence")
	strength, given, err := f.number("strength", "relationship_strength", "weight")
	if err := errors.Join(err1, err2, err3, err4, err); err != nil {
		return r, err
	}
	r = Relation{Source: cleanName(source), Target: cleanName(target), Description: description,
		Strength: strength, Sentence: sentence}
	switch {
	case !given:
		r.Strength = 1
	case strength < 0:
		return r, errors.New("its strength is negative")
	}
	switch {
	case r.Source == "":
		return r, errors.New("it has no source")
	case r.Target == "":
		return r, errors.New("it has no target")
	}
	return r, nil
}

func (d *drops) readReport(f fields) (any, error) {
	title, err1 := f.text("title")
	summary, err2 := f.text("summary")
	reason, err3 := f.text("rating_explanation", "reason")
	rating, _, err4 := f.number("rating")
	findings, _, err := f.list("findings")
	if err := errors.Join(err1, err2, err3, err4, err); err != nil {
		return nil, err
	}
	r := Report{Title: cleanName(title), Summary: summary, Rating: rating, Reason: reason}
	if r.Title == "" || r.Summary == "" {
		return nil, errors.New("a report needs a title and a summary")
	}
	d.kept++ // it can be used without a finding
	r.Findings = records(d, "finding", findings, func(v any) (x Finding, blank bool, err error) {
		switch v := v.(type) {
		case string:
			x.Summary = cleanText(v)
		case map[string]any:
			var err1, err2 error
			x.Summary, err1 = fields(v).text("summary")
			x.Explanation, err2 = fields(v).text("explanation")
			err = errors.Join(err1, err2)
		default:
			err = errors.New("it is not an object")
		}
		return x, x == (Finding{}), err
	})
	return r, nil
}

func (d *drops) readElements(f fields) (any, error) {
	names, given, err := d.names(f, "entities")
	if err == nil && !given {
		err = errors.New(`it has no "entities"`)
	}
	return Elements{Entities: names}, err
}

func (d *drops) readKeywords(f fields) (any, error) {
	high, hasHigh, err1 := d.names(f, "high_level", "high_level_keywords")
	low, hasLow, err2 := d.names(f, "low_level", "low_level_keywords")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if !hasHigh && !hasLow {
		return nil, errors.New(`it has neither "high_level" nor "low_level"`)
	}
	return KeywordSet{High: high, Low: low}, nil
}

func (d *drops) readPoints(f fields) (any, error) {
	list, given, err := f.list("points")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, errors.New(`it has no "points"`)
	}
	return Points{Points: records(d, "point", list, readPoint)}, nil
}

func readPoint(v any) (p Point, blank bool, err error) {
	o, ok := v.(map[string]any)
	if !ok {
		return p, false, errors.New("it is not an object")
	}
	text, err1 := fields(o).text("description", "answer")
	score, scored, err2 := fields(o).number("score")
	n, _, err3 := fields(o).number("n")
	err = errors.Join(err1, err2, err3)
	switch {
	case err != nil:
	case text == "":
		err = errors.New("it has no description")
	case !scored:
		err = errors.New("it has no score")
	case score < 0 || score > 100:
		err = errors.New("its score is not from 0 to 100")
	case n < 0 || n != math.Trunc(n) || n > math.MaxInt32:
		err = errors.New("its number is not that of an evidence")
	}
	return Point{Description: text, Score: score, N: int(n)}, false, err
}

func readVerdict(f fields) (any, error) {
	winner, given, err1 := f.number("winner")
	reason, err2 := f.text("reason", "explanation")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	switch {
	case !given:
		return nil, errors.New(`it has no "winner"`)
	case winner < -1 || winner != math.Trunc(winner) || winner > math.MaxInt32:
		return nil, errors.New("the winner is neither an answer's index nor -1")
	}
	return Verdict{Winner: int(winner), Reason: reason}, nil
}

func (d *drops) readQuestions(f fields) (any, error) {
	list, given, err := f.list("items", "questions", "tasks", "users")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, errors.New(`it has no "items"`)
	}
	q := Questions{Items: records(d, "item", list, func(v any) (q string, blank bool, err error) {
		s, ok := v.(string)
		if !ok {
			return "", false, errors.New("it is not a string")
		}
		s = cleanName(s)
		return s, s == "", nil
	})}
	if len(q.Items) == 0 && d.first == nil {
		return nil, errors.New("it has no items")
	}
	return q, nil
}
