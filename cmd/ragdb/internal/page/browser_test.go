package page

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var long = flag.Bool("long", false, "work with the page in a browser, which takes minutes")

// TestPage works with the page of a real server in a real browser (uitest/run.mjs). It
// wants Chromium, node and the packages of uitest (npm ci), and runs with -long.
func TestPage(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("takes minutes; -long runs it")
	}
	chromium := browser(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	if _, err := os.Stat("uitest/node_modules/puppeteer-core"); err != nil {
		t.Skip("npm ci was not run in uitest")
	}
	program := filepath.Join(t.TempDir(), "ragdb")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../..").CombinedOutput(); err != nil {
		t.Fatalf("the build fails: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), node, "uitest/run.mjs", program)
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
