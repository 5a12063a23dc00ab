package extractive_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/selection"
)

// manual are pages of a manual of a program that does not exist, as chunks of them
// are retrieved: reference, configuration, tables, lists of options, steps.
var manual = []selection.Passage{
	{Title: "Components", Text: "# Components\n\n## Router\n\nThe router receives parcels from the clients, checks them, and sends them on to the sorters. It keeps no state.\n\n## Sorter\n\nA sorter writes parcels to the shelf.\n\n## Sweeper\n\nThe sweeper joins small index files to large ones every ten minutes."},
	{Title: "Configuration", Text: "# Configuration\n\nThe block of the router:\n\n```yaml\n[router: <router>]\nrouter:\n  ring_size: 5\n```\n\n## max_parcels\n\nSets how many parcels a client may send at a time. If it is higher than the shelf allows, the surplus waits. The default value is 400 parcels. Restart the router after a change.\n\n## keep_alive\n\n- Default: 75 seconds\n\nHow long an idle connection stays open."},
	{Title: "Index types", Text: "# Index types\n\n| Index | Suited for |\n|---|---|\n| Tern | equality and ranges |\n\nPlover indexes are the preferred type for the search of full text. The tern operator class is therefore ill-suited for full text search."},
	{Title: "Upgrade", Text: "# Upgrade\n\nThe long deprecated parse_entry option was removed in version 4. Courier is deprecated and will end with version 6.\n\n## Upgrade the cluster\n\n1. Stop the sorters.\n2. Copy the shelf to a safe place.\n3. Install the new version and start the sorters."},
	{Title: "Language", Text: "# ParcelQL\n\nParcelQL is Quayside's query language, inspired by SQL. Quayside is maintained by the harbour group. The Fluent project maintains its own client."},
	{Title: "Multi-tenancy", Text: "# Multi-tenancy\n\nTo enable multi-tenancy, set auth_required to true in the configuration. The option multi_tenant_queries allows queries over several tenants."},
	{Title: "Limits", Text: "# Limits\n\nThe name of a parcel can be 63 bytes long. Item identifiers in a page are 4 bytes.\n\nA stream differs from a batch: a stream has no end, while a batch is closed when it is full.\n\nParcels are never compressed twice, because that costs time and saves no space."},
}

// handbook are pages in other languages.
var handbook = []selection.Passage{
	{Title: "Speicher", Text: "# Speicher\n\n## Schwimmlager\n\nEin Schwimmlager ist ein Verbund mehrerer Lager, der nach außen als eines erscheint. Es braucht mindestens drei Lager.\n\n## Wartezeit\n\nStandardmäßig wartet der Dienst 30 Sekunden, wenn nichts anderes angegeben ist. Ein Abbruch ist gefährlich, weil dadurch Daten verloren gehen.\n\nMit dem Befehl lagerschau können Sie den Inhalt eines Lagers anzeigen."},
	{Title: "Réseau", Text: "# Réseau\n\nUne écluse est un service qui filtre les connexions du port. Par défaut, l'écluse écoute sur le port 4100. Pour redémarrer l'écluse, utilisez la commande ecluse restart."},
	{Title: "浮标", Text: "# 浮标\n\n浮标是一种记录水位的小程序。它默认每五分钟写一次日志。要重新启动浮标，请运行 buoy restart。"},
	{Title: "灯台", Text: "# 灯台\n\n灯台とは、港の状態を知らせるサービスです。ログの最大サイズは64MBです。灯台を再起動するには lamp restart を実行してください。"},
}

// TestKinds has questions of each kind that have an answer, and beside them questions
// whose words stand in the passages and that have none there.
func TestKinds(t *testing.T) {
	passages := append(slices.Clone(manual), handbook...)
	for _, c := range []struct{ kind, question, want string }{ // want "" is a refusal
		{"definition", "What does the router do?", "The router receives parcels from the clients, checks them, and sends them on to the sorters. It keeps no state."},
		{"definition", "What is ParcelQL?", "ParcelQL is Quayside's query language, inspired by SQL."},
		{"definition", "What is a shelf?", ""},
		{"definition", "What is the ring?", ""},
		{"definition", "Was ist ein Schwimmlager?", "Ein Schwimmlager ist ein Verbund mehrerer Lager"},
		{"definition", "Qu'est-ce qu'une écluse ?", "Une écluse est un service qui filtre"},
		{"definition", "浮标是什么？", "浮标是一种记录水位的小程序。"},
		{"definition", "灯台とは何ですか？", "灯台とは、港の状態を知らせるサービスです。"},
		{"default", "What is the default value of max_parcels?", "The default value is 400 parcels."},
		{"default", "How long does an idle connection stay open by default?", "Configuration > keep_alive: Default = 75 seconds"},
		{"default", "What is the default ring of the sweeper?", ""},
		{"default", "Wie lange wartet der Dienst standardmäßig?", "Standardmäßig wartet der Dienst 30 Sekunden"},
		{"default", "Sur quel port l'écluse écoute-t-elle par défaut ?", "Par défaut, l'écluse écoute sur le port 4100."},
		{"name", "Which component joins index files?", "The sweeper joins small index files"},
		{"opposite", "Which index type is suited for full text search?", "Plover indexes are the preferred type for the search of full text."},
		{"yes or no", "Is Courier deprecated?", "Courier is deprecated and will end with version 6."},
		{"yes or no", "Is the sweeper deprecated?", ""},
		{"number", "How many bytes can the name of a parcel have?", "The name of a parcel can be 63 bytes long."},
		{"number", "How many bytes can the name of a shelf have?", ""},
		{"number", "ログの最大サイズはいくつですか？", "ログの最大サイズは64MBです。"},
		{"steps", "How do I upgrade the cluster?", "1. Stop the sorters. 2. Copy the shelf to a safe place. 3. Install the new version and start the sorters."},
		{"instruction", "How do I enable multi-tenancy?", "To enable multi-tenancy, set auth_required to true in the configuration."},
		{"instruction", "How do I enable compression?", ""},
		{"instruction", "Wie kann ich den Inhalt eines Lagers anzeigen?", "Mit dem Befehl lagerschau können Sie"},
		{"instruction", "Comment redémarrer l'écluse ?", "Pour redémarrer l'écluse, utilisez la commande ecluse restart."},
		{"instruction", "怎么重新启动浮标？", "要重新启动浮标，请运行 buoy restart。"},
		{"reason", "Why are parcels never compressed twice?", "Parcels are never compressed twice, because that costs time"},
		{"reason", "Why does the router keep no state?", ""},
		{"reason", "Warum ist ein Abbruch gefährlich?", "Ein Abbruch ist gefährlich, weil dadurch Daten verloren gehen."},
		{"comparison", "What is the difference between a stream and a batch?", "A stream differs from a batch: a stream has no end"},
		{"comparison", "What is the difference between a router and a sorter?", ""},
		{"one word", "router", ""},
		{"one word", "x", ""},
		{"one word", "浮标", ""},
		{"no content", "What is it?", ""},
		{"no content", "Was ist das?", ""},
	} {
		got, sel := answer(t, c.question, passages)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q: %q (%s), want %q", c.kind, c.question, got, sel.Refusal, c.want)
		}
		checkProof(t, c.question, passages, sel)
	}
}

// TestRankDecides: of two sentences that answer alike the one of the passage that was
// ranked first is taken.
func TestRankDecides(t *testing.T) {
	harbour := selection.Passage{Title: "Harbour", Text: "# Harbour\n\nThe crane of the harbour lifts 40 tons."}
	quay := selection.Passage{Title: "Quay", Text: "# Quay\n\nThe old crane of the harbour lifts 25 tons."}
	for _, c := range []struct {
		passages []selection.Passage
		want     string
	}{
		{[]selection.Passage{harbour, quay}, "The crane of the harbour lifts 40 tons."},
		{[]selection.Passage{quay, harbour}, "The old crane of the harbour lifts 25 tons."},
	} {
		if got, _ := answer(t, "How many tons does the crane of the harbour lift?", c.passages); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestSettings: a row of a table or a key with its value answers a question for a value,
// behind its headings, and no other question.
func TestSettings(t *testing.T) {
	passages := append([]selection.Passage{{Title: "Ports", Text: "# Ports\n\n| Service | Port |\n|---|---|\n| router | 4100 |\n| sorter | 4200 |\n\n## Limits\n\nparcel_size: 16\n"}}, manual...)
	for question, want := range map[string]string{
		"Which port does the sorter use?":    "Ports: sorter = 4200",
		"What is the port of the sorter?":    "Ports: sorter = 4200",
		"What is the default parcel_size?":   "",
		"Why does the sorter use port 4200?": "",
		"How do I start the sorter?":         "",
		"Which port does the sweeper use?":   "",
	} {
		if got, sel := answer(t, question, passages); got != want {
			t.Errorf("%q: %q (%s), want %q", question, got, sel.Refusal, want)
		}
	}
}
