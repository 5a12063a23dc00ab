package main

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag/cost"
)

// prices returns the price table: the built-in one, the user's before it, and
// nothing to pay for models on this machine. source says where it is from.
func (a *app) prices(f *modelFlags) (p cost.Prices, source string, err error) {
	p, source = cost.BuiltinPrices(), "built-in "+cost.PriceDate
	path, must := a.env["RAGDB_PRICES"], true
	if path == "" {
		path, must = filepath.Join(a.dataDir(), "ragdb", "prices.json"), false
	}
	b, err := a.dir.readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
	case err != nil:
		return nil, "", usage("correct RAGDB_PRICES", "prices: %s", service.Message(err))
	default:
		own, err := cost.ReadPrices(b)
		if err != nil {
			return nil, "", usage(`write it like {"gpt-4.1": {"in": 2, "out": 8}}, in dollars a million tokens`, "%s: %s", path, service.Message(err))
		}
		p, source = p.With(own), path
	}
	for model, base := range map[string]string{f.chat: a.chatConfig(f).BaseURL, f.embed: a.embedConfig(f).BaseURL} {
		if _, known := p.Of(model); !known && !isLocal(model) && isLoopback(base) {
			p[model] = cost.Price{}
		}
	}
	return p, source, nil
}

// dataDir is the folder of the user's data, "" if the system has none.
func (a *app) dataDir() string {
	if dir := a.env["XDG_DATA_HOME"]; filepath.IsAbs(dir) {
		return dir
	}
	if home := a.env["HOME"]; home != "" {
		return filepath.Join(home, ".local", "share")
	}
	return a.configDir()
}

// isLoopback reports whether a URL is of this machine.
func isLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// meter returns what the calls of a run are counted on, with the limits of the
// flags. others are further chat models of the run.
func (a *app) meter(f *modelFlags, others ...string) (*cost.Meter, error) {
	prices, _, err := a.prices(f)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, m := range append([]string{f.chat, f.embed}, others...) {
		if !isLocal(m) {
			asked = append(asked, m)
		}
	}
	for _, m := range others {
		if _, known := prices.Of(m); !known && isLoopback(a.chatConfig(f).BaseURL) {
			prices[m] = cost.Price{}
		}
	}
	limits := cost.Limits{USD: float64(f.maxCost), Tokens: int(f.maxTokens)}
	if unknown := prices.Unpriced(asked...); limits.USD > 0 && len(unknown) > 0 {
		return nil, usage("give it in a file that RAGDB_PRICES names, or use --max-tokens",
			"--max-cost needs to know what %s costs", strings.Join(unknown, " and "))
	}
	return a.spent.add(cost.NewMeter(prices, limits)), nil
}

// free reports whether all of some models are known to cost nothing.
func free(p cost.Prices, models ...string) bool {
	for _, m := range models {
		if price, known := p.Of(m); !isLocal(m) && (!known || price != cost.Price{}) {
			return false
		}
	}
	return true
}
