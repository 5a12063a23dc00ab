package local_test

import (
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/llm/local"
)

func BenchmarkEmbed(b *testing.B) {
	texts := benchTexts(b)
	table := train(b, texts)
	bytes, k := 0, 0
	for b.Loop() {
		table.Embed(texts[k%len(texts)])
		bytes += len(texts[k%len(texts)])
		k++
	}
	b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
}

func BenchmarkTrain(b *testing.B) {
	texts := benchTexts(b)
	bytes := 0
	for _, s := range texts {
		bytes += len(s)
	}
	for b.Loop() {
		if _, err := local.Train(b.Context(), seqOf(texts), local.TrainOptions{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(bytes)*float64(b.N)/1e6/b.Elapsed().Seconds(), "MB/s")
}

func BenchmarkContribution(b *testing.B) {
	texts := benchTexts(b)
	table := train(b, texts)
	change := local.NewChange(table)
	bytes, k := 0, 0
	for b.Loop() {
		if k%1000 == 999 {
			change = local.NewChange(table)
		}
		change.Add(texts[k%len(texts)])
		bytes += len(texts[k%len(texts)])
		k++
	}
	b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
}

func benchTexts(tb testing.TB) []string {
	var out []string
	for _, p := range evaldata.Lines[passage](tb, "ketrag_musique/corpus.jsonl.gz") {
		out = append(out, p.Text)
	}
	return out
}
