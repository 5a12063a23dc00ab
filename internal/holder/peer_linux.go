package holder

import (
	"net"

	"golang.org/x/sys/unix"
)

// unixSockets says that the system tells whose the other end of a socket is.
const unixSockets = true

// peerUID returns the user of the process at the other end.
func peerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	uid, cerr := 0, error(nil)
	err = raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, cerr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); cerr == nil {
			uid = int(cred.Uid)
		}
	})
	if err == nil {
		err = cerr
	}
	return uid, err
}
