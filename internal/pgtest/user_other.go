//go:build !linux

package pgtest

import (
	"errors"
	"os"
	"os/exec"
)

func asUser(*exec.Cmd) error {
	if os.Getuid() == 0 {
		return errors.New("PostgreSQL refuses to run as root")
	}
	return nil
}

func own(string) error { return nil }

func children(int) []int { return nil }
