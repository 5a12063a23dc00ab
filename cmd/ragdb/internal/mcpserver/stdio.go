package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve speaks to one client over two streams, a message a line, until in ends or ctx
// does; both are no error. The client uses one namespace of the first database, and may
// write if write is true.
func Serve(ctx context.Context, o Options, ns string, write bool, in io.Reader, out io.Writer) error {
	to := &lines{out: out}
	from := &requests{ctx: ctx, in: bufio.NewReader(in), out: to}
	s := newServer(o, caller{ns: ns, write: write, ctx: ctx})
	err := s.Run(ctx, &mcp.IOTransport{Reader: from, Writer: to, MaxLineLength: -1})
	if werr := to.failed(); werr != nil {
		return werr
	}
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
