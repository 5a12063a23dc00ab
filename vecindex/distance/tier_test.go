package distance_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/vecindex/distance"
)

// eachTier runs test for the kernels of every supported tier.
func eachTier(t *testing.T, test func(t *testing.T, k *distance.Kernels)) {
	for tier := distance.Portable; tier <= distance.AVX512; tier++ {
		t.Run(tier.String(), func(t *testing.T) {
			if !distance.Supported(tier) {
				t.Skip("not supported here")
			}
			k, err := distance.For(tier)
			if err != nil {
				t.Fatal(err)
			}
			test(t, k)
		})
	}
}

func TestTierNames(t *testing.T) {
	for tier, name := range map[distance.Tier]string{
		distance.Portable: "portable", distance.AVX2: "avx2", distance.AVX512: "avx512",
	} {
		if got := tier.String(); got != name {
			t.Errorf("name of %d = %q, want %q", uint8(tier), got, name)
		}
		if got, err := distance.ParseTier(name); got != tier || err != nil {
			t.Errorf("ParseTier(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "AVX2", "Tier(3)", "neon"} {
		if got, err := distance.ParseTier(name); err == nil {
			t.Errorf("ParseTier(%q) = %v, want an error", name, got)
		}
	}
	if _, err := distance.For(distance.Tier(77)); err == nil {
		t.Error("For of an unknown tier gives no error")
	}
	if !distance.Supported(distance.Portable) || !distance.Supported(distance.Active()) {
		t.Error("the portable or the active tier is not supported")
	}
}

// TestVariable starts this test program anew to see which tier it chooses.
func TestVariable(t *testing.T) {
	const child = "RAGDB_KERNELS_TEST_CHILD"
	if os.Getenv(child) != "" {
		os.Stdout.WriteString("active=" + distance.Active().String() + "\n")
		return
	}
	best := distance.Portable
	for tier := distance.Portable; tier <= distance.AVX512; tier++ {
		if distance.Supported(tier) {
			best = tier
		}
	}
	for _, value := range []string{"portable", "avx2", "avx512", "", "neon"} {
		want := best
		if tier, err := distance.ParseTier(value); err == nil && distance.Supported(tier) {
			want = tier
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestVariable$")
		cmd.Env = append(os.Environ(), child+"=1", "RAGDB_KERNELS="+value)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.Contains(string(out), "active="+want.String()+"\n") {
			t.Errorf("RAGDB_KERNELS=%q: want %s, program says %s", value, want, out)
		}
	}
}
