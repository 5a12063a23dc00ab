package engine

import (
	"crypto/sha256"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
)

// appendComponent appends the form of a value in the index of a rule: that of
// Value.appendOrdered, made exact, so that two values are equal if and only if
// their forms are. A number of 2^53 or more is followed by the integer that it is;
// a long string is its SHA-256, and so is what has no order.
func (v Value) appendComponent(dst []byte) []byte {
	switch v.kind {
	case kindNull:
		return dst
	case KindString:
		if len(v.str) > maxIndexedString {
			sum := sha256.Sum256([]byte(v.str))
			return append(append(dst, orderLong), sum[:]...)
		}
	case KindInt, KindFloat:
		dst, _ = v.appendOrdered(dst)
		if f := v.AsFloat(); math.Abs(f) >= exactInts {
			dst = v.appendWhole(dst, f)
		}
		return dst
	}
	if out, ok := v.appendOrdered(dst); ok {
		return out
	}
	h := sha256.New()
	h.Write([]byte{byte(v.kind)})
	if v.isList() { // equal lists have equal elements, of whatever kinds
		h.Reset()
		for _, x := range v.AsList() {
			sum := sha256.Sum256(x.appendComponent(nil))
			h.Write(sum[:])
		}
	} else {
		h.Write([]byte(v.str))
	}
	return h.Sum(append(dst, orderOther))
}

// appendWhole appends what tells apart the numbers that share the float f.
func (v Value) appendWhole(dst []byte, f float64) []byte {
	switch {
	case v.kind == KindInt:
		return layout.AppendInt(dst, v.num)
	case f >= 1<<63: // no integer is as great; the greatest share the float 2^63
		return append(layout.AppendInt(dst, math.MaxInt64), 1)
	case f < -1<<63:
		return layout.AppendInt(dst, math.MinInt64)
	}
	return layout.AppendInt(dst, int64(f))
}

// indexKey returns the key of the value that properties have in the index of a
// rule, up to where the container or the edge follows. It is nil if there is no
// entry: the first property is missing. whole reports that none is missing. text
// reads a string that is kept outside the record.
func (x *ruleState) indexKey(g uint32, props []prop, text func(p prop) (Value, error)) (key []byte, whole bool, err error) {
	whole = true
	for i, pid := range x.props {
		var value Value
		for _, p := range props {
			if p.id != pid {
				continue
			}
			if value = p.value; value.kind == KindText {
				if value, err = text(p); err != nil {
					return nil, false, err
				}
			}
			break
		}
		if value.IsNull() {
			if i == 0 {
				return nil, false, nil
			}
			whole = false
		}
		if i == 0 {
			key = x.prefix(g)
		}
		key = layout.AppendComponent(key, value.appendComponent(make([]byte, 0, 40)), i == len(x.props)-1)
	}
	return key, whole, nil
}

// prefix returns the prefix of the keys of the rule's index.
func (x *ruleState) prefix(g uint32) []byte {
	if x.Edges {
		return layout.EdgeIndexPrefix(g, x.id)
	}
	return layout.SetIndexPrefix(g, x.id)
}

// missing returns the name of a property that the rule requires and that is not
// among props, and of one whose value has a type that the rule refuses; "" for none.
func (x *ruleState) missing(props []prop) (property string, value Value) {
	for i, pid := range x.props {
		var v Value
		for _, p := range props {
			if p.id == pid {
				v = p.value
			}
		}
		if x.required() && v.IsNull() {
			return x.Properties[i], v
		}
		if x.Kind == OfType && !v.IsNull() && v.schemaType() != x.ValueType {
			return x.Properties[i], v
		}
	}
	return "", Value{}
}
