package main

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change of a file.
type mutant struct {
	file      string // below the root
	line, col int
	off, end  int    // the bytes that text replaces
	text      string // what stands there instead
	what      string
	fn        string // the function that holds it, or "" outside of functions
	fnFrom    int    // first and last line of that function
	fnTo      int
	nth       int // its place among the mutants of fn in this file
}

// name tells the mutant from all others, without its line.
func (m mutant) name() string {
	fn := m.fn
	if fn == "" {
		fn = "-"
	}
	return fmt.Sprintf("%s:%s#%d", m.file, fn, m.nth)
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d %s %s", m.file, m.line, m.col, m.name()[len(m.file)+1:], m.what)
}

// source returns the file's text with the change.
func (m mutant) source(text []byte) []byte {
	return slices.Concat(text[:m.off], []byte(m.text), text[m.end:])
}

// mutantsOf returns all mutants of the packages, in the seed's order.
func mutantsOf(root string, pkgs []string, seed uint64) ([]mutant, error) {
	var all []mutant
	for _, p := range pkgs {
		files, err := filepath.Glob(filepath.Join(root, p, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			ms, err := mutantsOfFile(path.Join(p, filepath.Base(f)), text)
			if err != nil {
				return nil, err
			}
			all = append(all, ms...)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no mutants in %v below %s", pkgs, root)
	}
	rank := func(m mutant) string {
		h := sha256.Sum256([]byte(strconv.FormatUint(seed, 10) + " " + m.name()))
		return string(h[:])
	}
	slices.SortFunc(all, func(a, b mutant) int { return strings.Compare(rank(a), rank(b)) })
	return all, nil
}

// opposite gives each operator the one that replaces it.
var opposite = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.INC: token.DEC, token.DEC: token.INC,
}

// mutantsOfFile returns the mutants of one file in the order of its text.
func mutantsOfFile(name string, text []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, 0)
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, d := range file.Decls {
		in := mutant{file: name}
		if fn, ok := d.(*ast.FuncDecl); ok {
			in.fn = fn.Name.Name
			in.fnFrom, in.fnTo = fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
		}
		add := func(pos, end token.Pos, with, what string) {
			m, at := in, fset.Position(pos)
			m.line, m.col, m.off, m.end = at.Line, at.Column, at.Offset, fset.Position(end).Offset
			m.text, m.what = with, what
			out = append(out, m)
		}
		operator := func(pos token.Pos, op token.Token) {
			if with, ok := opposite[op]; ok {
				add(pos, pos+token.Pos(len(op.String())), with.String(), op.String()+" -> "+with.String())
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BinaryExpr:
				if named(x.X, "err", "nil") || named(x.Y, "err", "nil") {
					return false
				}
				operator(x.OpPos, x.Op)
			case *ast.IncDecStmt:
				operator(x.TokPos, x.Tok)
			case *ast.IfStmt:
				if !mentionsErr(x.Cond) {
					cond := text[fset.Position(x.Cond.Pos()).Offset:fset.Position(x.Cond.End()).Offset]
					add(x.Cond.Pos(), x.Cond.End(), "false && ("+string(cond)+")", "if false")
				}
			case *ast.BasicLit:
				switch {
				case x.Kind == token.INT && x.Value != "0" && len(x.Value) < 6:
					add(x.Pos(), x.End(), "("+x.Value+"+1)", x.Value+" + 1")
				case x.Kind == token.FLOAT:
					add(x.Pos(), x.End(), "("+x.Value+"*2)", x.Value+" * 2")
				}
			}
			return true
		})
	}
	seen := map[string]int{} // methods of two types may share a name
	for i := range out {
		seen[out[i].fn]++
		out[i].nth = seen[out[i].fn]
	}
	return out, nil
}

// named says whether x is one of the identifiers.
func named(x ast.Expr, names ...string) bool {
	id, ok := x.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}

func mentionsErr(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && named(e, "err") {
			found = true
		}
		return !found
	})
	return found
}
