package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/load"
)

// MakeOptions say what questions to make. Zero numbers are 5: the papers that
// measure answers to abstract questions have 5 users with 5 tasks each, and 5
// questions for each task.
type MakeOptions struct {
	// Data is the folder of the data set, of which corpus.jsonl is read.
	Data string
	// DB is the database that keeps the replies. It need not hold the corpus.
	DB string
	// About tells the model in words what the texts are; "" leaves it to their
	// beginnings.
	About string
	// Users, Tasks and Questions are how many there are to be: of all, for each
	// user, for each task.
	Users, Tasks, Questions int
	// Models opens the model.
	Models func(ctx context.Context, c *rag.Corpus) (*rag.Models, error)
	// Begin is told before the first call how many there will be at most, and
	// about how many tokens they read. An error ends the work. It may be nil.
	Begin func(calls, tokens int) error
	// Engine are the database's options.
	Engine *engine.Options
	// Notify receives progress; it may be nil.
	Notify func(rag.Event)
}

// MadeQuestion is a question as a line of questions.jsonl.
type MadeQuestion struct {
	ID   string `json:"id"` // u1t2q3: the third of the second task of the first user
	Text string `json:"question"`
	Type string `json:"type"` // abstract
	User string `json:"user"`
	Task string `json:"task"`
}

// made is what came of making questions.
type made struct {
	Questions []MadeQuestion
	// Failed counts the lists that the model could not be brought to write. The
	// same call asks for them again, and for nothing else. Failure is why the
	// first of them was not.
	Failed  int
	Failure error
	// Spent is what the replies cost when they were paid, USD their price, nil
	// if it is not known.
	Spent llm.Usage
	USD   *float64
}

// MakeQuestions has a model invent users of a data set's texts, tasks of the
// users, and questions for the tasks that need the texts as a whole. Such
// questions have no known answers: methods are compared on them by judges.
// Replies are kept: the same call again asks nothing and gives the same
// questions.
func MakeQuestions(ctx context.Context, o MakeOptions) (*made, error) {
	for _, n := range []*int{&o.Users, &o.Tasks, &o.Questions} {
		if *n == 0 {
			*n = 5
		}
	}
	if o.Notify == nil {
		o.Notify = func(rag.Event) {}
	}
	db, err := engine.Open(ctx, o.DB, o.Engine)
	if err != nil {
		return nil, phase.At("", err)
	}
	out, err := makeQuestions(ctx, db, o)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, phase.Errorf("make questions: %w", err)
	}
	return out, nil
}

func makeQuestions(ctx context.Context, db *engine.DB, o MakeOptions) (*made, error) {
	corpus, err := rag.OpenCorpus(ctx, db, "main", nil)
	if err != nil {
		return nil, err
	}
	m, err := o.Models(ctx, corpus)
	if err != nil {
		return nil, err
	}
	if !m.Provider().Can(llm.MakeQuestions) {
		return nil, fmt.Errorf("%s cannot make questions: %w", m.Provider().Name(), llm.ErrKind)
	}
	k := &maker{o: o, out: &made{}}
	k.models = m.Tallied("make-questions", &k.tally)
	if err := k.sample(ctx); err != nil {
		return nil, err
	}
	if err := k.begin(corpus); err != nil {
		return nil, err
	}
	if err := k.run(ctx); err != nil {
		return nil, err
	}
	k.out.Spent = k.tally.Usage()
	k.out.USD = price(k.models, k.out.Spent)
	return k.out, nil
}

// maker is the state of one call of MakeQuestions.
type maker struct {
	o      MakeOptions
	models *rag.Models
	tally  cost.Tally
	texts  []string // beginnings of documents
	docs   []string // their keys
	out    *made

	// mu guards the fields below it, and out.Failed and out.Failure.
	mu   sync.Mutex
	done int
}

const (
	// sampleTexts is how many texts a model is shown at most, evenly spread over
	// the corpus.
	sampleTexts = 40
	// sampleRunes is about how much of each.
	sampleRunes = 300
)

// sample reads the beginnings of the texts that are shown.
func (k *maker) sample(ctx context.Context) error {
	file, err := find(k.o.Data, "corpus.jsonl")
	if err != nil {
		return err
	}
	// Of texts that come one by one, those whose number is a multiple of step
	// are held; if there are too many, step doubles.
	step, n := 1, 0
	for d, err := range load.Walk(ctx, dataFS(k.o.Data), path.Base(filepath.ToSlash(file)), &load.Options{Format: "jsonl"}) {
		var bad *load.FileError
		if errors.As(err, &bad) {
			k.o.Notify(rag.Event{Stage: "read", Message: bad.Error()})
			continue
		}
		if err != nil {
			return err
		}
		if n%step == 0 {
			k.texts, k.docs = append(k.texts, opening(d.Text)), append(k.docs, d.Key)
		}
		n++
		if len(k.texts) == 2*sampleTexts {
			k.texts, k.docs = everySecond(k.texts), everySecond(k.docs)
			step *= 2
		}
	}
	for len(k.texts) > sampleTexts {
		k.texts, k.docs = everySecond(k.texts), everySecond(k.docs)
	}
	if len(k.texts) == 0 {
		return fmt.Errorf("%s: %w", k.o.Data, rag.ErrNoDocuments)
	}
	return nil
}

func everySecond(list []string) []string {
	out := list[:0]
	for i := 0; i < len(list); i += 2 {
		out = append(out, list[i])
	}
	return out
}

// opening returns the beginning of a text, up to a blank if there is one.
func opening(s string) string {
	r := []rune(s)
	if len(r) <= sampleRunes {
		return s
	}
	cut := string(r[:sampleRunes])
	if i := strings.LastIndexAny(cut, " \n"); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + " […]"
}

// begin tells what the work may cost.
func (k *maker) begin(c *rag.Corpus) error {
	if k.o.Begin == nil {
		return nil
	}
	t := k.task("", "", k.o.Users)
	if fill := k.models.All().Fill; fill != nil {
		if err := fill(&t); err != nil {
			return err
		}
	}
	tokens := 0
	for _, msg := range t.Prompt {
		tokens += c.Tokens().Count(msg.Content)
	}
	calls := 1 + k.o.Users + k.o.Users*k.o.Tasks
	return k.o.Begin(calls, calls*tokens)
}

func (k *maker) task(user, task string, n int) llm.Task {
	return llm.Task{Kind: llm.MakeQuestions, Input: llm.QuestionsInput{About: k.o.About, Texts: k.texts, User: user, Task: task, Count: n}}
}

// run asks for the users, then for all tasks, then for all questions.
func (k *maker) run(ctx context.Context) error {
	users := make([][]string, 1)
	if err := k.lists(ctx, users, k.o.Users, func(int) (user, task string) { return "", "" }); err != nil {
		return err
	}
	if len(users[0]) == 0 {
		return errors.New("the model names no users")
	}
	tasks := make([][]string, len(users[0]))
	if err := k.lists(ctx, tasks, k.o.Tasks, func(i int) (user, task string) { return users[0][i], "" }); err != nil {
		return err
	}
	type place struct{ user, task int }
	var places []place
	for u := range tasks {
		for t := range tasks[u] {
			places = append(places, place{u, t})
		}
	}
	questions := make([][]string, len(places))
	err := k.lists(ctx, questions, k.o.Questions, func(i int) (user, task string) {
		return users[0][places[i].user], tasks[places[i].user][places[i].task]
	})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, p := range places {
		for n, q := range questions[i] {
			if seen[q] {
				continue
			}
			seen[q] = true
			k.out.Questions = append(k.out.Questions, MadeQuestion{
				ID: fmt.Sprintf("u%dt%dq%d", p.user+1, p.task+1, n+1), Text: q, Type: "abstract",
				User: users[0][p.user], Task: tasks[p.user][p.task],
			})
		}
	}
	return nil
}

// lists asks for lists of up to n items, several at once. A list that the model
// cannot be brought to write stays empty.
func (k *maker) lists(ctx context.Context, into [][]string, n int, of func(i int) (user, task string)) error {
	return inParallel(ctx, k.models, len(into), func(ctx context.Context, i int) error {
		user, task := of(i)
		reply, err := k.models.Do(ctx, "make-questions", k.docs, k.task(user, task, n))
		var q llm.Questions
		if err == nil {
			err = json.Unmarshal([]byte(reply.Text), &q)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.done++
		switch {
		case passing(err):
			if k.out.Failed++; k.out.Failure == nil {
				k.out.Failure = err
			}
		case err != nil:
			return err
		}
		into[i] = q.Items[:min(n, len(q.Items))]
		k.o.Notify(rag.Event{Stage: "make questions", Done: k.done, Total: 1 + k.o.Users + k.o.Users*k.o.Tasks, Failed: k.out.Failed})
		return nil
	})
}
