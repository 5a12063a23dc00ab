package rag_test

import (
	"flag"
	"os"
	"testing"
)

var long = flag.Bool("long", false, "run the long versions of the tests")

// TestMain lets the test's binary be the process that is killed.
func TestMain(m *testing.M) {
	if config := os.Getenv(childEnv); config != "" {
		os.Exit(child(config))
	}
	if config := os.Getenv(remoteEnv); config != "" {
		os.Exit(remoteChild(config))
	}
	os.Exit(m.Run())
}
