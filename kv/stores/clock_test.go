//go:build !nopostgres

package stores_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// jumps is what the function time.Now is given: a wall clock that is right, then a day
// ahead, then a month behind, then three seconds behind, for 20 ms each. The monotonic
// clock, which a process has for itself, goes on as it is.
const (
	nowBegins = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	jumps     = `	switch uint64(mono) / 20e6 % 4 {
	case 1:
		sec += 86400
	case 2:
		sec -= 30 * 86400
	case 3:
		sec -= 3
	}
`
)

// TestWallClock runs the tests of leases, and those that kill and cut, in processes whose
// wall clock jumps forward and back all the time.
func TestWallClock(t *testing.T) {
	if !*long {
		t.Skip("it compiles the standard library anew: run it with -args -long")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	root, err := exec.Command(goTool, "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	b, err := os.ReadFile(source)
	if err != nil {
		t.Skip("there is no source of the standard library: ", err)
	}
	if !strings.Contains(string(b), nowBegins) {
		t.Fatalf("time.Now in %s does not begin as expected", source)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	o, err := json.Marshal(map[string]map[string]string{"Replace": {source: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, []byte(strings.Replace(string(b), nowBegins, nowBegins+jumps, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, o, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"../tablekv"}, {".", "-run=Kill|Cuts|Failover"}} {
		cmd := exec.CommandContext(t.Context(), goTool, append([]string{"test", "-count=1", "-overlay=" + overlay}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("go test %v: %v\n%s", args, err, out)
		}
		t.Logf("%s", out)
	}
}
