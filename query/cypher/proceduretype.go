package cypher

import "strings"

// nullable reports whether an argument takes null: it is optional, or its type ends
// with a question mark, as openCypher writes it (INTEGER?).
func (a Arg) nullable() bool { return a.Optional || strings.HasSuffix(a.Type, "?") }

// argumentKinds are the kinds of values of the types that arguments may have. Other
// types, such as "node or list of nodes", are the procedure's to check.
var argumentKinds = map[string][]Kind{
	"integer": {KindInt},
	"float":   {KindFloat, KindInt},
	"number":  {KindFloat, KindInt},
	"string":  {KindString},
	"boolean": {KindBool},
	"map":     {KindMap},
	"node":    {KindNode},
}

// takes reports whether an argument takes a kind of values.
func (a Arg) takes(k Kind) bool {
	kinds, ok := argumentKinds[strings.ToLower(strings.TrimSuffix(a.Type, "?"))]
	if !ok || k == KindNull {
		return true
	}
	for _, have := range kinds {
		if have == k {
			return true
		}
	}
	return false
}

// checkTypes refuses literals that an argument does not take.
func (pl *planner) checkTypes(proc *Procedure, args []expr) error {
	for i, x := range args {
		kind := KindNull
		switch x := x.(type) {
		case *literal:
			kind = x.Value.Kind()
		case *listLit:
			kind = KindList
		case *mapLit:
			kind = KindMap
		}
		if a := proc.Args[i]; !a.takes(kind) {
			at := min(int(x.At()), len(pl.text))
			return newSyntaxError(pl.text, at, at, "InvalidArgumentType", proc.Name+": the argument "+a.Name+" is of the type "+a.Type+", not "+kind.String())
		}
	}
	return nil
}
