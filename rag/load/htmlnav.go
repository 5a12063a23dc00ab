package load

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Parts of a page that lead through a site rather than say something stand on every
// page of it. They are known by what the page alone says of them, so that a
// document's text does not depend on which others are read with it.

// isNavigation reports whether an element is such a part, by its role, its class
// or its id. The elements that hold the text of a page never are.
func isNavigation(a atom.Atom, at *tagAttributes) bool {
	switch a {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Pre, atom.Code, atom.Dt, atom.Dd:
		return false
	}
	if a == atom.Footer {
		return true
	}
	switch at.role {
	case "navigation", "contentinfo", "search", "menu", "menubar":
		return true
	}
	for _, names := range [...]string{at.class, at.id} {
		for name := range strings.FieldsSeq(names) {
			switch strings.ToLower(name) {
			case "nav", "navbar", "navheader", "navfooter", "navigation", "nav-panel", "nav-path", "navpath", "topnav", "subnav", "bottomnav", "side-nav",
				"toc", "toctree-wrapper", "tableofcontents", "table-of-contents", "breadcrumb", "breadcrumbs", "pagination", "pager", "prev-next", "related", "sidebar", "sphinxsidebar",
				"footer", "page-footer", "site-footer", "printfooter", "catlinks", "noprint",
				"headerlink", "mw-editsection", "edit-page", "edit-this-page", "edit-page-link", "theme-edit-this-page",
				"skip-link", "skiplink", "skip-to-content", "cookie-banner", "cookie-consent", "cookie-notice",
				"linenos", "lineno", "linenumber":
				return true
			}
		}
	}
	return false
}

// isPrevNext reports whether a link leads to the neighbours of a page or above it.
func isPrevNext(at *tagAttributes) bool {
	for rel := range strings.FieldsSeq(at.rel) {
		switch strings.ToLower(rel) {
		case "next", "prev", "previous", "up", "contents", "start", "home":
			return true
		}
	}
	return false
}
