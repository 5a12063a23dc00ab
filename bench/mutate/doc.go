// Command mutate changes one small thing in the code at a time and asks the
// tests whether they see it.
//
//	go run ./bench/mutate [-n 200] [-seed 18] [-j 2] [-also PKG,...] [-only REGEXP] [-list] [-slowest 30s] PKG...
//
// PKG is a directory below the module's root, such as rag/hirag; the command is
// started there. A mutant is one operator, number, condition of an if or
// increment that is replaced: < by <=, + by -, && by ||, 2 by 2+1, a condition
// by false. Conditions on errors and comparisons with nil stay. The order of
// the mutants follows from the seed and from the name of each, so the first
// half of 200 mutants is the draw of 100, and a change elsewhere leaves the draw
// as it is. A name is file, function and number in the function.
//
// First each test runs alone, to learn its time and the lines that it reaches.
// Then each mutant is compiled into the tests of its package (go test -overlay,
// so no file of the tree changes), and those that reach its line run, quick ones
// first. If they pass, the tests of the packages of -also run. A mutant that
// loops ends by a time limit; one that fills the memory needs ulimit -d.
//
// Standard output has one line a mutant: number, result, place, name, change,
// seconds, and the test that failed. A mutant that does not compile does not
// count. Some mutants that live change nothing that a test could see, such as
// the size of a buffer: a person has to judge that.
package main
