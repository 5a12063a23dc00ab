package ragdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ragdb/ragdb/internal/api"
	"github.com/ragdb/ragdb/internal/buildinfo"
	"github.com/ragdb/ragdb/internal/holder"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

// shared is what other processes use of a database.
type shared struct {
	server   *holder.Server
	database *service.Database
}

// share begins to answer other processes.
func (db *DB) share(path string) (*shared, error) {
	s := &shared{database: service.NewDatabase(service.DatabaseOptions{
		DB: db.engine, Methods: db.methods,
		Questions: func(ctx context.Context, c *rag.Corpus, rules bool) (*rag.Models, error) {
			chat := db.chat
			if rules {
				chat = nil
			}
			m, err := db.models(ctx, c, chat, false)
			if err != nil {
				return nil, err
			}
			return db.metered(m), c.CheckModel(ctx, m)
		},
		Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) { return db.reading(c), nil },
	})}
	name := strings.TrimSuffix(filepath.Base(path), ".ragdb")
	h, err := api.New(api.Options{Version: buildinfo.Read().Version, Databases: []api.Database{{Name: name, Database: s.database}}})
	if err == nil {
		s.server, err = holder.Listen(path, holder.Options{
			About:   holder.About{Version: buildinfo.Read().Version, Command: filepath.Base(os.Args[0])},
			Handler: h,
		})
	}
	return s, err
}

// closeWithin is how long documents that wait may take to be stored at the end.
const closeWithin = 15 * time.Second

// close ends what other processes began.
func (s *shared) close() error {
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	s.database.Close(ctx)
	return errors.Join(s.server.Close(ctx, nil))
}
