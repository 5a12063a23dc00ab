// Package method is what the author of a retrieval method needs: the struct of
// functions that a method is, the stages that it indexes by, its parameters and its
// name, and the corpus and the models that it works with.
package method

import (
	"github.com/ragdb/ragdb/rag"
)

// What a method is made of.
type (
	// System is a retrieval method on a corpus.
	System = rag.System
	// Stage is a step of indexing.
	Stage = rag.Stage
	// Step is a stage with what only some stages have.
	Step = rag.Step
	// Batch writes what the Apply of a stage gathered.
	Batch = rag.Batch
	// WorkItem is one piece of a stage's work.
	WorkItem = rag.WorkItem
	// Identity is a system's name, parameters, chunk set and graph.
	Identity = rag.Identity
	// ParamReader reads the parameters of a method.
	ParamReader = rag.ParamReader
	// Profile returns the parameters that a profile of a method sets together.
	Profile = rag.Profile
	// Question is what is asked, and how.
	Question = rag.Question
	// Plan is a method's retrieval for one question.
	Plan = rag.Plan
	// Section is a part of a context.
	Section = rag.Section
	// Methods makes systems by name.
	Methods = rag.Methods
	// Spec is a method as people write it.
	Spec = rag.Spec
	// NotIndexedError says that a corpus is not indexed by a method.
	NotIndexedError = rag.NotIndexedError
	// Advice says what would be good for an index.
	Advice = rag.Advice
	// Figure is a named number of a method's index.
	Figure = rag.Figure
)

// What a method works with.
type (
	// Corpus is documents, cut into chunks.
	Corpus = rag.Docs
	// Models answer tasks and embed texts.
	Models = rag.Models
	// Document is a document of a corpus.
	Document = rag.Document
	// Chunk is a chunk of a document.
	Chunk = rag.Chunk
	// Span says where a piece of text stands in a document.
	Span = rag.Span
)

// Constants of package rag.
const (
	DefaultBudget = rag.DefaultBudget
	ChunkNodeType = rag.ChunkNodeType
	MaxMoved      = rag.MaxMoved
	MaxFall       = rag.MaxFall
)

// Functions and errors of package rag.
var (
	NewIdentity     = rag.NewIdentity
	Steps           = rag.Steps
	NewGraphless    = rag.NewGraphless
	ReadParams      = rag.ReadParams
	ParseSpec       = rag.ParseSpec
	ParseInstance   = rag.ParseInstance
	SplitSpecs      = rag.SplitSpecs
	DocOf           = rag.DocOf
	ChunkType       = rag.ChunkType
	TextField       = rag.TextField
	NamesField      = rag.NamesField
	ChunkSpace      = rag.ChunkSpace
	AdviseRecluster = rag.AdviseRecluster
	CiteEach        = rag.CiteEach
	Digest          = rag.Digest
	ForgetReplies   = rag.ForgetReplies
	FilterPoints    = rag.FilterPoints
	Embedded        = rag.Embedded
	ForgetJobs      = rag.ForgetJobs
	MakeSpace       = rag.MakeSpace
	SumsBucket      = rag.SumsBucket
	StaleBucket     = rag.StaleBucket
	ErrMethod       = rag.ErrMethod
	ErrNotIndexed   = rag.ErrNotIndexed
)
