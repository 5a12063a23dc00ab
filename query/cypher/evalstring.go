package cypher

import (
	"regexp"
	"strings"
)

// substringTest compiles STARTS WITH, ENDS WITH and CONTAINS. It is null where
// a side is no string.
func (c *compiler) substringTest(e *Binary) (predicate, error) {
	left, err := c.eval(e.L)
	if err != nil {
		return nil, err
	}
	right, err := c.eval(e.R)
	if err != nil {
		return nil, err
	}
	test := strings.Contains
	switch e.Op {
	case OpStartsWith:
		test = strings.HasPrefix
	case OpEndsWith:
		test = strings.HasSuffix
	}
	return func(x *exec, r row) (truth, error) {
		a, err := left(x, r)
		if err != nil {
			return isUnknown, err
		}
		b, err := right(x, r)
		if err != nil || a.kind != KindString || b.kind != KindString {
			return isUnknown, err
		}
		return truthOf(test(a.AsString(), b.AsString())), x.work(a.weight())
	}, nil
}

// matches compiles =~: whether a whole string matches a regular expression. It
// is null where the left side is no string or the right side is null.
//
// The syntax is RE2's, whose time is linear in the string. What Java's has
// beyond it, back-references, look-around and possessive quantifiers, is
// refused as an ArgumentError; \d, \w and \s are those of ASCII in both.
func (c *compiler) matches(e *Binary) (predicate, error) {
	left, err := c.eval(e.L)
	if err != nil {
		return nil, err
	}
	right, err := c.eval(e.R)
	if err != nil {
		return nil, err
	}
	at := e.R.At()
	return func(x *exec, r row) (truth, error) {
		a, err := left(x, r)
		if err != nil {
			return isUnknown, err
		}
		b, err := right(x, r)
		switch {
		case err != nil || b.IsNull():
			return isUnknown, err
		case b.kind != KindString:
			return isUnknown, typeError(at, "=~ wants a string with a regular expression, not %s", aKind(b))
		}
		re, err := x.regexp(at, b.AsString())
		if err != nil || a.kind != KindString {
			return isUnknown, err
		}
		return truthOf(re.MatchString(a.AsString())), x.work(16 * a.weight())
	}, nil
}

// maxRegexps is how many regular expressions a statement remembers.
const maxRegexps = 64

// regexp returns a regular expression that matches whole strings.
func (x *exec) regexp(at Pos, pattern string) (*regexp.Regexp, error) {
	if re := x.eval.regexps[pattern]; re != nil {
		return re, nil
	}
	// The pattern is compiled as it is first: within the group it could close
	// the group.
	_, err := regexp.Compile(pattern)
	var re *regexp.Regexp
	if err == nil {
		re, err = regexp.Compile(`\A(?:` + pattern + `)\z`)
	}
	if err != nil {
		return nil, argumentError(at, "%s is no regular expression of RE2: %s", quoteString(pattern), regexpReason(err))
	}
	if x.eval.regexps == nil || len(x.eval.regexps) == maxRegexps {
		x.eval.regexps = map[string]*regexp.Regexp{}
	}
	x.eval.regexps[pattern] = re
	return re, nil
}

// regexpReason returns what is wrong with a regular expression.
func regexpReason(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}
