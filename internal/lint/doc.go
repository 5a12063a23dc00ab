// Package lint holds the test that keeps the house's layers: imports go down
// one list only, and every external module has one home.
package lint
