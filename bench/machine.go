package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machine is what a run was measured on.
type machine struct {
	CPU     string `json:"cpu"` // empty if the system does not tell
	Cores   int    `json:"cores"`
	Threads int    `json:"gomaxprocs"`
	RAM     int64  `json:"ram_bytes"` // 0 if the system does not tell
	Load    string `json:"load"`      // of the last minute
	System  string `json:"system"`
	Go      string `json:"go"`
}

func (m machine) String() string {
	s := fmt.Sprintf("%s, %d cores, GOMAXPROCS %d", m.CPU, m.Cores, m.Threads)
	if m.RAM > 0 {
		s += fmt.Sprintf(", %.0f GB RAM", float64(m.RAM)/1e9)
	}
	if m.Load != "" {
		s += ", load " + m.Load
	}
	return s + ", " + m.System + ", " + m.Go
}

func describeMachine() machine {
	m := machine{
		CPU:     procField("/proc/cpuinfo", "model name"),
		Cores:   runtime.NumCPU(),
		Threads: runtime.GOMAXPROCS(0),
		RAM:     procKilobytes("/proc/meminfo", "MemTotal"),
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		Go:      runtime.Version(),
	}
	m.CPU = cmp.Or(m.CPU, "unknown CPU")
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(b), " ")
	}
	return m
}

// procField returns the first value of a name in a file of lines "name: value",
// "" if there is none.
func procField(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		k, v, ok := strings.Cut(sc.Text(), ":")
		if ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// procKilobytes returns a value given as "n kB", in bytes.
func procKilobytes(path, name string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(procField(path, name), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// residentBytes returns the memory of this process, 0 if the system does
// not tell.
func residentBytes() int64 { return procKilobytes("/proc/self/status", "VmRSS") }

// peakBytes returns the most that the process ever had resident, 0 if the system
// does not tell.
func peakBytes() int64 { return procKilobytes("/proc/self/status", "VmHWM") }
