package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/mcpserver"
	"github.com/ragdb/ragdb/cmd/ragdb/internal/page"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/api"
	"github.com/ragdb/ragdb/internal/service"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	questionFlags
	addr, tokenFile, otlp string
	hosts, origins        []string
	maxBody               byteCount
	maxRows, maxAsks      atLeastOne
	logContent            bool
}

func (a *app) serveCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve DB...",
		Short: "Serve databases over HTTP, with a page to ask and look",
		Long: `Serve opens databases and answers HTTP until Ctrl-C: a page at /, an interface for
programs below /api/v1 (described by /api/v1/openapi.json), one for clients of OpenAI
below /v1, where a model is NAMESPACE/METHOD, and tools for models at /mcp. A database is
called by the name of its folder without .ragdb.

By default only this machine reaches the server, and needs no token. Another --addr wants
--token-file, whose lines are TOKEN ROLE [DATABASE/NAMESPACE...]: the role read asks and
looks, write also adds and removes documents, admin also makes and removes namespaces.
For other machines put a server in front that speaks TLS.

Meanwhile the other commands of ragdb work on the databases through this one. At the end
requests are finished, documents that were sent are stored, and the next job goes on with
what is left. Each request is logged as a line of JSON on stderr, without its content;
--quiet logs only errors of the server itself. --timeout bounds the time of an answer.`,
		Example: `  ragdb serve acme.ragdb
  ragdb serve acme.ragdb legal.ragdb --addr 0.0.0.0:8080 --token-file tokens --host ragdb.example.com
  ragdb serve acme.ragdb --model gpt-4.1-mini`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && a.setting("db") != "" {
				args = []string{a.setting("db")}
			}
			if len(args) == 0 {
				return usedAs(cmd, "needs the path of a database")
			}
			return a.serve(cmd.Context(), cmd, args, f)
		},
	}
	f.add(a, cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1:8080", "`ADDRESS` and port to listen at; port 0 takes a free one")
	fl.StringVar(&f.tokenFile, "token-file", "", "`FILE` of tokens: lines of TOKEN read|write|admin [DATABASE/NAMESPACE...]")
	fl.StringSliceVar(&f.hosts, "host", nil, "`NAME` by which clients call the server, beside the address; may be given several times")
	fl.StringSliceVar(&f.origins, "cors", nil, "`ORIGIN`, such as https://app.example.com, whose pages may use the server")
	fl.Var(&f.maxBody, "max-body", "largest body that is taken, as `SIZE` (default 64MiB)")
	fl.Var(&f.maxRows, "max-rows", "most rows of a statement (default 100000)")
	fl.Var(&f.maxAsks, "max-asks", "questions and statements that run at once (default 4 a processor)")
	fl.BoolVar(&f.logContent, "log-content", false, "log questions and statements too")
	fl.StringVar(&f.otlp, "otlp", "", "`URL` of an OpenTelemetry collector that takes the spans of requests (also OTEL_EXPORTER_OTLP_ENDPOINT)")
	f.models.addExtract(cmd)
	f.models.addLimits(cmd)
	return cmd
}

// tools are those of /mcp: a token reads, adds and removes there what it may elsewhere.
func tools(o *api.Options) http.Handler {
	of := mcpserver.Options{Version: o.Version}
	for _, d := range o.Databases {
		of.Databases = append(of.Databases, mcpserver.Database(d))
	}
	return mcpserver.Handler(of, func(r *http.Request) (func(db, ns string) bool, bool, error) {
		g, err := o.Tokens.Grant(r)
		return g.Sees, g.Role >= api.Write, err
	})
}

// graceful is how long a server waits at its end for requests and documents.
const graceful = 15 * time.Second

func (a *app) serve(ctx context.Context, cmd *cobra.Command, paths []string, f *serveFlags) (err error) {
	o, err := a.serverOptions(f)
	if err != nil {
		return err
	}
	var open []*service.Database
	names := map[string]string{}
	for i, path := range paths {
		path = a.named(path)
		paths[i] = path
		name := databaseName(a.address(path))
		if other, ok := names[name]; ok {
			return usage("rename a folder", "%s and %s have the same name", other, path)
		}
		names[name] = path
		a.serves = true
		db, err := a.open(ctx, path, toUse)
		if err != nil {
			return err
		}
		if a.memoryWith == nil {
			a.memoryWith = db
		}
		// It is closed when nothing uses it any more, after all below.
		defer func(db *engine.DB) { err = errors.Join(err, a.close(db)) }(db)
		a.stays = true // from now on it cannot go on in the process that holds another one
		d := service.NewDatabase(a.served(cmd, db))
		if h := a.shares(db); h != nil && a.held == nil {
			if h.api, err = newAPI(d, db); err != nil {
				return err
			}
		}
		open = append(open, d)
		o.Databases = append(o.Databases, api.Database{Name: name, Database: d})
	}
	if o.Spans = a.tracer(f); o.Spans != nil {
		defer o.Spans.Close()
	}
	o.Tools = tools(o)
	s, err := api.New(*o)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return &failure{exit: exitFailed, code: "address", err: err, message: "cannot listen at " + f.addr + ": " + cause(err), hint: "give another --addr, such as 127.0.0.1:0 for a free port"}
	}
	a.announce(listener, paths, f)
	return a.serveUntil(ctx, s, listener, open)
}

// serveUntil answers requests until the context ends, and then ends what has begun.
func (a *app) serveUntil(ctx context.Context, h http.Handler, l net.Listener, open []*service.Database) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		a.out.note("ending: requests are finished, jobs are stopped where they can go on")
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), graceful)
	defer stop()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for _, d := range open {
			d.Close(grace)
		}
	}()
	if serr := srv.Shutdown(grace); serr != nil {
		cut() // those that are left have had their time
		err = errors.Join(err, srv.Close())
	}
	<-closed
	if err == nil || errors.Is(err, http.ErrServerClosed) {
		return moved(ctx)
	}
	return err
}

// serverOptions reads the flags.
func (a *app) serverOptions(f *serveFlags) (*api.Options, error) {
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return nil, usage("write it like 127.0.0.1:8080", "--addr %s is not an address and a port", f.addr)
	}
	shown, err := page.Handler()
	if err != nil {
		return nil, err
	}
	o := &api.Options{
		Page: shown, Version: newVersion().Version, Origins: f.origins, Content: f.logContent,
		Limits: api.Limits{Body: int64(f.maxBody), Rows: int(f.maxRows), Asks: int(f.maxAsks), Time: time.Duration(a.global.timeout)},
	}
	level := slog.LevelInfo
	if a.out.quiet {
		level = slog.LevelError
	}
	o.Log = slog.New(slog.NewJSONHandler(a.out.stderr, &slog.HandlerOptions{Level: level}))
	if f.tokenFile != "" {
		if o.Tokens, err = a.readTokens(f.tokenFile); err != nil {
			return nil, err
		}
	}
	ip := net.ParseIP(host)
	loopback := host == "localhost" || ip != nil && ip.IsLoopback()
	if !loopback && o.Tokens == nil {
		return nil, usage("add --token-file FILE, or leave --addr out", "others than this machine reach %s, so tokens are needed", f.addr)
	}
	for _, h := range f.hosts {
		o.Hosts = append(o.Hosts, strings.ToLower(h))
	}
	switch {
	case loopback:
		o.Hosts = append(o.Hosts, api.LoopbackHosts()...)
		o.Hosts = append(o.Hosts, strings.ToLower(host))
	case len(o.Hosts) > 0 && ip != nil && !ip.IsUnspecified():
		o.Hosts = append(o.Hosts, host)
	}
	return o, nil
}

// readTokens reads the file of tokens, which only its owner may read.
func (a *app) readTokens(name string) (*api.Tokens, error) {
	file, err := a.dir.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, usage("let only its owner read it: chmod 600 "+quote(name), "others than its owner may read %s", name)
	}
	t, err := api.ReadTokens(file)
	if err != nil {
		return nil, usage("write lines of TOKEN read|write|admin [DATABASE/NAMESPACE...]", "%s: %s", name, err)
	}
	return t, nil
}

// tracer sends spans where the flags or the environment say; nil if neither does.
func (a *app) tracer(f *serveFlags) *api.Tracer {
	endpoint := f.otlp
	if endpoint == "" {
		endpoint = a.env["OTEL_EXPORTER_OTLP_ENDPOINT"]
	}
	if endpoint == "" {
		return nil
	}
	name := a.env["OTEL_SERVICE_NAME"]
	if name == "" {
		name = "ragdb"
	}
	headers := http.Header{}
	for pair := range strings.SplitSeq(a.env["OTEL_EXPORTER_OTLP_HEADERS"], ",") {
		if k, v, ok := strings.Cut(pair, "="); ok {
			headers.Set(strings.TrimSpace(k), strings.TrimSpace(v))
		}
	}
	return api.NewTracer(endpoint, name, headers, slog.New(slog.NewTextHandler(a.out.stderr, nil)))
}

// announcement is what serve --json prints once it answers.
type announcement struct {
	V   int      `json:"v"`
	URL string   `json:"url"`
	DBs []string `json:"dbs"`
}

// announce tells where the server answers.
func (a *app) announce(l net.Listener, paths []string, f *serveFlags) {
	url := "http://" + l.Addr().String()
	if a.out.object(announcement{1, url, paths}) {
		return
	}
	who := "to this machine"
	if f.tokenFile != "" {
		who = "to those who show a token"
	}
	a.out.print("%s\n", fmt.Sprintf("%s is served at %s %s; Ctrl-C ends it", strings.Join(paths, ", "), url, who))
}

// cause is what the system says of an error.
func cause(err error) string {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err.Error()
}

// storedFlags are the settings of questions that a database keeps.
func storedFlags() []string {
	return slices.Concat(modelKeys(), []string{"method", "budget", "top"})
}
