package engine

import (
	"time"
	"unsafe"

	"github.com/ragdb/ragdb/engine/temporal"
)

// Temporal returns a date, time or duration.
func Temporal(v temporal.Value) Value {
	return Value{kind: KindTemporal, str: string(v.Append([]byte{byte(v.Kind())}))}
}

// Time returns a point in time as a datetime in UTC, to the nanosecond. It is null
// if its year is beyond 999,999,999.
func Time(t time.Time) Value {
	v, err := temporal.KindDateTime.At(t.UTC())
	if err != nil {
		return Value{}
	}
	return Temporal(v)
}

// AsTemporal returns a date, time or duration, the zero value for other kinds.
func (v Value) AsTemporal() temporal.Value {
	if v.kind != KindTemporal {
		return temporal.Value{}
	}
	out, _ := decodeTemporal(v.str)
	return out
}

// A temporal value is kept as the byte of its kind and its ordered bytes.
func decodeTemporal(s string) (temporal.Value, error) {
	if s == "" {
		return temporal.Value{}, errNoValue
	}
	return temporal.Kind(s[0]).Decode(unsafe.Slice(unsafe.StringData(s), len(s))[1:]) // which reads them only
}

// onlyEqual reports whether values of the kind have no order that < and > ask
// for: durations and points.
func (v Value) onlyEqual() bool {
	return v.kind == KindPoint || v.kind == KindTemporal && v.str != "" && temporal.Kind(v.str[0]) == temporal.KindDuration
}
