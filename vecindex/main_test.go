package vecindex_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/memorybound"
)

// TestMain ends tests that allocate without end.
func TestMain(m *testing.M) { memorybound.Run(m, memorybound.Tests) }
