package main

import (
	"math"
	"math/rand/v2"
)

// The node types of a layered graph.
const (
	layerText = iota
	layerUnit
	layerEntity
	layerRelation
	layerAttribute
	layerOverview
	layerTitle
	layers
)

// layeredGraph returns a graph like those that retrieval builds of a corpus, in
// the proportions that NodeRAG (2025, appendix B.3) reports of one: texts of 8
// units, units that mention entities, relations between two entities, attributes
// of frequent entities, overviews with titles over groups of units, and edges
// between nodes of like content, which are two thirds of all. A third of the
// nodes have one edge, mentions follow a power law, and content comes in
// topics.
func layeredGraph(texts int, r *rand.Rand) *graphFile {
	l := newLayered(texts, r)
	types := l.drawStructure()
	l.drawLikeness(types)
	return l.file(types)
}

// newLayered returns a layered graph that nothing is drawn of yet.
func newLayered(texts int, r *rand.Rand) *layered {
	return &layered{
		graphDraw: newGraphDraw(r), texts: texts, topics: max(1, texts/33),
		counts: [layers]int{texts, 8 * texts, 45 * texts, 285 * texts / 10, texts / 3, 9 * texts / 4, 9 * texts / 4},
	}
}

// drawStructure draws all but the edges between nodes of like content, and
// returns the types of the nodes.
func (l *layered) drawStructure() (types []byte) {
	for t, n := range l.counts {
		l.first[t] = uint32(len(types))
		for range n {
			types = append(types, byte(t))
		}
	}
	l.drawTexts()
	l.drawRelations()
	l.drawAttributes()
	l.drawOverviews()
	return types
}

type layered struct {
	*graphDraw
	texts, topics int
	first         [layers]uint32 // node of each type
	counts        [layers]int

	topicOf  []int      // of each text
	mentions []uint32   // an entity as often as it was mentioned
	local    [][]uint32 // likewise, by text
	topical  [][]uint32 // likewise, by topic
	fresh    uint32     // entities that were mentioned
}

// unitText returns the text of a unit.
func (l *layered) unitText(unit int) int { return unit * l.texts / l.counts[layerUnit] }

// mention draws an entity for a text: a new one with the given probability,
// else one that the text, its topic or any text mentioned, often mentioned ones
// more likely.
func (l *layered) mention(text int, isNew float64) uint32 {
	topic := l.topicOf[text]
	var e uint32
	switch p := l.r.Float64(); {
	case (l.r.Float64() < isNew || l.fresh == 0) && int(l.fresh) < l.counts[layerEntity]:
		e = l.first[layerEntity] + l.fresh
		l.fresh++
	case p < 0.45 && len(l.local[text]) > 0:
		e = l.local[text][l.r.IntN(len(l.local[text]))]
	case p < 0.75 && len(l.topical[topic]) > 0:
		e = l.topical[topic][l.r.IntN(len(l.topical[topic]))]
	case p < 0.95: // of those ever mentioned the first are the most frequent
		e = l.first[layerEntity] + uint32(math.Pow(float64(l.fresh), l.r.Float64())) - 1
	default:
		e = l.mentions[l.r.IntN(len(l.mentions))]
	}
	l.mentions = append(l.mentions, e)
	l.local[text] = append(l.local[text], e)
	l.topical[topic] = append(l.topical[topic], e)
	return e
}

// drawTexts joins texts, units and the entities that these mention.
func (l *layered) drawTexts() {
	l.topicOf = make([]int, l.texts)
	l.local = make([][]uint32, l.texts)
	l.topical = make([][]uint32, l.topics)
	for t := range l.topicOf { // some topics have more texts than others
		l.topicOf[t] = int(float64(l.topics) * math.Pow(l.r.Float64(), 1.5))
	}
	for i := range l.counts[layerUnit] {
		unit, text := l.first[layerUnit]+uint32(i), l.unitText(i)
		l.join(unit, l.first[layerText]+uint32(text), 1)
		for range 1 + l.r.IntN(9) {
			l.join(unit, l.mention(text, 0.56), 1)
		}
	}
}

// drawRelations joins relations with the unit that states them and with two
// entities. All entities are mentioned in the end.
func (l *layered) drawRelations() {
	n := l.counts[layerRelation]
	for i := range n {
		relation := l.first[layerRelation] + uint32(i)
		unit := i * l.counts[layerUnit] / n
		l.join(relation, l.first[layerUnit]+uint32(unit), 1)
		for joined := 0; joined < 2; {
			left := l.counts[layerEntity] - int(l.fresh)
			if l.join(relation, l.mention(l.unitText(unit), float64(left)/float64(2*(n-i))), 1) {
				joined++
			}
		}
	}
}

func (l *layered) drawAttributes() {
	for i := range l.counts[layerAttribute] {
		l.join(l.first[layerAttribute]+uint32(i), l.mentions[l.r.IntN(len(l.mentions))], 1)
	}
}

// drawOverviews joins overviews with their titles and with units that are near
// each other.
func (l *layered) drawOverviews() {
	units := l.counts[layerUnit]
	for i := range l.counts[layerOverview] {
		overview := l.first[layerOverview] + uint32(i)
		l.join(overview, l.first[layerTitle]+uint32(i), 1)
		around := l.r.IntN(units)
		for range 3 {
			unit := min(max(around+l.r.IntN(41)-20, 0), units-1)
			l.join(overview, l.first[layerUnit]+uint32(unit), 1)
		}
	}
}

// place is where a node's content lies.
type place struct {
	node    uint32
	x, y, z float64
}

// drawLikeness joins nodes of like content: content is a point near that of the
// text it comes from, which is near its topic's, and each point is joined with
// some of those nearest to it. The edges weigh less the farther they reach.
func (l *layered) drawLikeness(types []byte) {
	topics, texts := make([]place, l.topics), make([]place, l.texts)
	for i := range topics {
		topics[i] = place{x: l.r.Float64(), y: l.r.Float64(), z: l.r.Float64()}
	}
	for i := range texts {
		texts[i] = l.near(topics[l.topicOf[i]], 0.06)
	}
	const cell = 0.025
	type cube [3]int
	cubeOf := func(p place) cube {
		return cube{int(math.Floor(p.x / cell)), int(math.Floor(p.y / cell)), int(math.Floor(p.z / cell))}
	}
	var placed []place
	grid := map[cube][]place{}
	for u, t := range types {
		switch t {
		case layerUnit, layerRelation, layerAttribute, layerOverview, layerText:
			i := u - int(l.first[t])
			p := l.near(texts[i*l.texts/l.counts[t]], 0.03)
			p.node = uint32(u)
			placed = append(placed, p)
			grid[cubeOf(p)] = append(grid[cubeOf(p)], p)
		}
	}
	// If content lies too thin for so many edges, there are fewer.
	want := len(l.weight) * 14 / 5
	for k := 0; len(l.weight) < want && k < 50*len(placed); k++ {
		p := placed[l.r.IntN(len(placed))]
		if l.r.IntN(33) == 0 { // a long-range link
			l.join(p.node, placed[l.r.IntN(len(placed))].node, l.between(0.3, 0.5))
			continue
		}
		// The nearest of some in the cube and beside it.
		c := cubeOf(p)
		for i := range c {
			c[i] += l.r.IntN(3) - 1
		}
		best, away := p, math.Inf(1)
		for range 8 {
			there := grid[c]
			if len(there) == 0 {
				break
			}
			q := there[l.r.IntN(len(there))]
			far := math.Sqrt((p.x-q.x)*(p.x-q.x) + (p.y-q.y)*(p.y-q.y) + (p.z-q.z)*(p.z-q.z))
			if q.node != p.node && far < away {
				best, away = q, far
			}
		}
		l.join(p.node, best.node, float32(1/(1+20*away)))
	}
}

func (l *layered) near(p place, by float64) place {
	p.x += by * l.r.NormFloat64()
	p.y += by * l.r.NormFloat64()
	p.z += by * l.r.NormFloat64()
	return p
}
