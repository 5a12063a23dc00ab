package cypher

import "testing"

// typicalQuery is of the kind that people write in the shell.
const typicalQuery = `MATCH (n:Entity {name: $name})-[r:RELATED|MENTIONS*1..2]->(m:Chunk)
WHERE m.page > 3 AND n.kind IN ['person', 'place'] AND NOT m.text STARTS WITH 'Table'
WITH m, count(*) AS hits, collect(n.name) AS names
RETURN m.key, hits, names ORDER BY hits DESC, m.key LIMIT 10`

// BenchmarkParse is the time to parse and to check a typical query.
func BenchmarkParse(b *testing.B) {
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(typicalQuery)))
		for b.Loop() {
			if _, err := parse(typicalQuery, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		s, err := parse(typicalQuery, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := check(s, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one line", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			OneLine(typicalQuery)
		}
	})
}
