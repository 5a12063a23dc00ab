//go:build unix

package pebblekv_test

import (
	"encoding/binary"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// BenchmarkCommit makes durable commits of 200 bytes on a real disk. It reports
// how many one second of processor time makes, beside the time of each.
func BenchmarkCommit(b *testing.B) {
	st, err := pebblekv.Open(b.Context(), b.TempDir()+"/db", kvtest.Schema(), nil)
	if err != nil {
		b.Fatal(err)
	}
	val := make([]byte, 200)
	before, n := processorTime(b), 0
	for b.Loop() {
		batch := st.NewBatch()
		batch.Set(binary.BigEndian.AppendUint64([]byte("a/"), uint64(n)), val)
		if err := st.Apply(b.Context(), batch, kv.Sync); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/(processorTime(b)-before).Seconds(), "commits/cpu-s")
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
