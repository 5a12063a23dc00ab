package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
)

// maxViewed is how many nodes a page shows.
const maxViewed = 2000

// view writes a page: of a trace, of the graph that a statement returns, or
// without an argument of what was asked or run last.
func (sh *shell) view(ctx context.Context, args []string) error {
	what := strings.Join(args, " ")
	if what == "" {
		what = sh.viewed
	}
	rest, _ := strings.CutPrefix(what, "trace ")
	switch {
	case what == "":
		return usage("write .view graph for the graph in use, or ask or run something first", "there is nothing to show yet")
	case what == "graph":
		return sh.writePage(ctx, "graph-"+sh.session.Graph(), &exportFlags{graph: sh.session.Graph()})
	case strings.HasPrefix(rest, service.TracePrefix):
		id := strings.TrimSpace(rest)
		return sh.writePage(ctx, "trace-"+strings.TrimPrefix(id, service.TracePrefix), &exportFlags{trace: id})
	}
	graph, nodes, err := sh.returned(ctx, what)
	if err != nil {
		return err
	}
	if nodes.IsEmpty() {
		return usage("return nodes, edges or paths", "the statement returns nothing to draw")
	}
	return sh.writePage(ctx, "view", &exportFlags{graph: graph, only: nodes})
}

// returned gathers the nodes that the rows of a statement hold, and their graph:
// that of the first one, if there are several.
func (sh *shell) returned(ctx context.Context, text string) (graph string, nodes *roaring.Bitmap, err error) {
	nodes = roaring.New()
	var add func(v cypher.Value)
	add = func(v cypher.Value) {
		if g := v.Graph(); g != "" && graph == "" {
			graph = g
		} else if g != graph && g != "" {
			return
		}
		switch v.Kind() {
		case cypher.KindNode:
			nodes.Add(uint32(v.AsNode()))
		case cypher.KindEdge:
			e := v.AsEdge()
			nodes.Add(uint32(e.From))
			nodes.Add(uint32(e.To))
		case cypher.KindPath:
			for _, n := range v.AsPath().Nodes {
				nodes.Add(uint32(n))
			}
		case cypher.KindList:
			for _, x := range v.AsList() {
				add(x)
			}
		case cypher.KindMap:
			for _, x := range v.AsMap() {
				add(x)
			}
		}
	}
	e := entry{text: text, line: 1}
	res, err := sh.session.Run(ctx, text, sh.params)
	if err != nil {
		return "", nil, e.locate(err)
	}
	defer res.Close()
	for row, err := range res.Rows() {
		if err != nil {
			return "", nil, e.locate(err)
		}
		for _, v := range row {
			add(v)
		}
	}
	return graph, nodes, nil
}

// writePage writes a page into the working folder, under a name that is free,
// and shows it if there is a desktop.
func (sh *shell) writePage(ctx context.Context, name string, f *exportFlags) error {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, name)
	path := name + ".html"
	for i := 2; ; i++ {
		if _, err := sh.a.dir.lstat(path); err != nil {
			break
		}
		path = fmt.Sprintf("%s-%d.html", name, i)
	}
	f.max = maxViewed
	inner := sh.inner()
	if sh.display.format == asJSON || sh.display.format == asJSONL {
		inner.out.format = asJSON
	}
	err := inner.exportGraph(ctx, sh.corpus, "html", path, f)
	sh.keep(inner.out)
	if err == nil && sh.interactive {
		sh.openPage(path)
	}
	return err
}

// openPage opens a page with the desktop's program, if there is one. That it
// cannot be written is not an error: the page is there.
func (sh *shell) openPage(path string) {
	path, err := sh.a.dir.abs(path)
	if err != nil {
		return
	}
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", path)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	case sh.a.env["DISPLAY"] != "" || sh.a.env["WAYLAND_DISPLAY"] != "":
		cmd = exec.Command("xdg-open", path)
	default:
		return
	}
	if sh.a.dir != here {
		for k, v := range sh.a.env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	if cmd.Start() == nil {
		// It goes on without the shell.
		_ = cmd.Process.Release()
	}
}
