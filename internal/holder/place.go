package holder

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// The files of a holder in the directory of its database.
const (
	socketName = "HOLDER.sock"
	portName   = "HOLDER.port"
)

// longestSocket is the length of the longest path that every system takes for a socket.
const longestSocket = 100

// place is where a holder listens.
type place struct {
	listener net.Listener
	// secret is what both sides know of a loopback port, nil of a socket.
	secret []byte
	files  []string // to be removed
}

// portFile is the content of the file of a loopback port.
type portFile struct {
	Port   int    `json:"port"`
	Secret string `json:"secret"`
}

// listen removes what a dead holder left in a directory, whose lock the caller has, and
// listens there. If port is set it does so on a loopback port even if a socket is possible.
func listen(dir string, port bool) (*place, error) {
	dir, mode, err := canonical(dir)
	if err != nil {
		return nil, err
	}
	socket, file := filepath.Join(dir, socketName), filepath.Join(dir, portName)
	for _, name := range []string{socket, file} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if unixSockets && !port && len(socket) <= longestSocket {
		if l, err := net.Listen("unix", socket); err == nil {
			// Whatever the mode, only the user's own processes may attach.
			if err := os.Chmod(socket, mode&0o666); err != nil {
				return nil, errors.Join(err, l.Close())
			}
			return &place{listener: l, files: []string{socket}}, nil
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &place{listener: l, secret: make([]byte, 32), files: []string{file}}
	if _, err := rand.Read(p.secret); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	b, err := json.Marshal(portFile{l.Addr().(*net.TCPAddr).Port, hex.EncodeToString(p.secret)})
	if err == nil {
		err = writeNew(file, append(b, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// writeNew writes a file that only its owner may read.
func writeNew(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// close ends the listening and removes the files. It may be called more than once.
func (p *place) close() error {
	err := p.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	for _, name := range p.files {
		if rerr := os.Remove(name); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	p.files = nil
	return err
}

// canonical is the path of a directory that every process finds the same, and its mode.
func canonical(dir string) (string, os.FileMode, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", 0, err
	}
	return dir, info.Mode().Perm(), nil
}

// dialed is a connection to a holder.
type dialed struct {
	net.Conn
	secret []byte
}

// dialTime bounds how long a holder may take to answer.
const dialTime = 5 * time.Second

// dial connects to the holder of a directory. The error is [ErrNobody] if none listens,
// and [ErrUser] if it belongs to another user.
func dial(dir string) (*dialed, error) {
	dir, _, err := canonical(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	if unixSockets {
		if c, err := net.DialTimeout("unix", filepath.Join(dir, socketName), dialTime); err == nil {
			if uid, err := peerUID(c.(*net.UnixConn)); err != nil || uid != os.Getuid() {
				return nil, errors.Join(ErrUser, err, c.Close())
			}
			return &dialed{c, nil}, nil
		} else if errors.Is(err, os.ErrPermission) {
			return nil, ErrUser
		}
	}
	f, err := os.Open(filepath.Join(dir, portName))
	if errors.Is(err, os.ErrPermission) {
		return nil, ErrUser
	}
	if err != nil {
		return nil, ErrNobody
	}
	b, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	var at portFile
	if err := json.Unmarshal(b, &at); err != nil || at.Port < 1 || at.Port > 65535 {
		return nil, ErrNobody
	}
	secret, err := hex.DecodeString(at.Secret)
	if err != nil || len(secret) < 32 {
		return nil, ErrNobody
	}
	c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(at.Port)), dialTime)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	return &dialed{c, secret}, nil
}

// proof is what a side that knows the secret can say of a word of the other's choice.
// Neither side tells the secret: another program may listen on the port of a holder that
// died.
func proof(secret []byte, side, nonce string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(side + "\x00" + nonce))
	return hex.EncodeToString(h.Sum(nil))
}

// proves compares proofs in constant time.
func proves(got string, secret []byte, side, nonce string) bool {
	return nonce != "" && hmac.Equal([]byte(got), []byte(proof(secret, side, nonce)))
}
