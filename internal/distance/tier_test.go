package distance_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
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

// TestUse says that Use chooses a supported tier and refuses any other. It does
// not run beside other tests.
func TestUse(t *testing.T) {
	best := distance.Active()
	defer distance.Use(best)
	for tier := distance.Portable; tier <= distance.AVX512+1; tier++ {
		before := distance.Active()
		want := before
		if distance.Supported(tier) {
			want = tier
		}
		if ok := distance.Use(tier); ok != distance.Supported(tier) || distance.Active() != want {
			t.Errorf("Use(%s) = %v, active is %s, want %s", tier, ok, distance.Active(), want)
		}
		if distance.Supported(tier) && tier > best {
			t.Errorf("%s is better than %s, which was chosen", tier, best)
		}
	}
}
