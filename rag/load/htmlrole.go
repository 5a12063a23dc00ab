package load

import "golang.org/x/net/html/atom"

// role is what an element does to text.
type role uint8

const (
	roleInline role = iota
	roleDrop        // content is not text of the document
	roleLink
	roleTitle
	roleParagraph // stands apart
	roleLine      // has a line of its own
	roleHeading
	rolePre
	roleList
	roleItem
	roleTerm
	roleDescription
	roleTable
	roleInnerTable // in a cell that is a part of a line
	roleRows       // thead, tbody, tfoot
	roleRow
	roleCell
	roleBreak // br
	roleRule  // hr
	roleImage
)

// roleOf returns the role of an element; unknown ones are inline.
func roleOf(a atom.Atom) role {
	switch a {
	case atom.Script, atom.Style, atom.Nav, atom.Template, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes,
		atom.Object, atom.Svg, atom.Canvas, atom.Audio, atom.Video, atom.Select, atom.Datalist, atom.Textarea, atom.Button:
		return roleDrop
	case atom.Title:
		return roleTitle
	case atom.P, atom.Blockquote, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Aside,
		atom.Address, atom.Figure, atom.Form, atom.Fieldset, atom.Details, atom.Dialog, atom.Dl,
		atom.Body, atom.Html, atom.Head, atom.Hgroup:
		return roleParagraph
	case atom.Div, atom.Caption, atom.Figcaption, atom.Summary, atom.Legend, atom.Center:
		return roleLine
	case atom.Dt:
		return roleTerm
	case atom.Dd:
		return roleDescription
	case atom.Table:
		return roleTable
	case atom.Thead, atom.Tbody, atom.Tfoot:
		return roleRows
	case atom.Tr:
		return roleRow
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return roleHeading
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		return rolePre
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		return roleList
	case atom.Li:
		return roleItem
	case atom.Td, atom.Th:
		return roleCell
	case atom.Br:
		return roleBreak
	case atom.Hr:
		return roleRule
	case atom.Img:
		return roleImage
	}
	return roleInline
}

// isVoid reports whether an element has no content and no end tag.
func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param, atom.Source,
		atom.Track, atom.Wbr:
		return true
	}
	return false
}
