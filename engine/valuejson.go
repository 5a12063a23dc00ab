package engine

import (
	"encoding/base64"
	"encoding/json"

	"github.com/ragdb/ragdb/engine/temporal"
)

// jsonPoint is a point as JSON writes it.
type jsonPoint struct {
	SRID int      `json:"srid"`
	X    float64  `json:"x"`
	Y    float64  `json:"y"`
	Z    *float64 `json:"z,omitempty"`
}

func (p Point) json() jsonPoint {
	out := jsonPoint{SRID: p.SRID, X: p.X, Y: p.Y}
	if p.Is3D() {
		out.Z = &p.Z
	}
	return out
}

// unmarshalObject reads a temporal value, a point or bytes: an object of one field
// whose name says which.
func (v *Value) unmarshalObject(b []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	none := phase.Mark(ErrInvalid, "JSON object %.40s is no property value", b)
	for name, raw := range fields {
		if len(fields) != 1 {
			return none
		}
		if name == "point" {
			var p jsonPoint
			if err := json.Unmarshal(raw, &p); err != nil {
				return err
			}
			point := Point{SRID: p.SRID, X: p.X, Y: p.Y}
			if p.Z != nil {
				point.Z = *p.Z
			}
			*v = point.Value()
			return nil
		}
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return none
		}
		if name == "bytes" {
			raw, err := base64.StdEncoding.DecodeString(s)
			*v = Bytes(raw)
			return err
		}
		for k := temporal.KindDate; k <= temporal.KindDuration; k++ {
			if k.String() != name {
				continue
			}
			// The zone of a datetime is not looked up: its offset is written.
			t, err := k.Parse(s, nil)
			if err != nil {
				return phase.Mark(ErrInvalid, "%v", err)
			}
			*v = Temporal(t)
			return nil
		}
	}
	return none
}
