package memorybound_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/memorybound"
)

// grows is the variable of the environment that makes TestGrow allocate.
const grows = "RAGDB_TEST_GROWS"

func TestMain(m *testing.M) {
	if os.Getenv(grows) != "" {
		memorybound.Run(m, 128<<20)
	}
	os.Exit(m.Run())
}

var held [][]byte

// TestGrow allocates without end in the process that TestRunEndsGrowth starts.
func TestGrow(t *testing.T) {
	if os.Getenv(grows) == "" {
		t.Skip("TestRunEndsGrowth runs it")
	}
	for len(held) < 1<<10 {
		held = append(held, bytes.Repeat([]byte{1}, 1<<20))
		time.Sleep(time.Millisecond)
	}
}

// TestRunEndsGrowth runs a test that allocates without end: its process ends
// with code 2 and names the function that holds the memory.
func TestRunEndsGrowth(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestGrow$")
	cmd.Env = append(os.Environ(), grows+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Fatalf("%v, want the code 2:\n%.2000s", err, out)
	}
	for _, want := range []string{"more than 128 MB", "heap profile", "memorybound_test.TestGrow"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the report lacks %q:\n%.2000s", want, out)
		}
	}
}
