package graphops

// CPM returns the score of a partition in the constant Potts model, which
// Leiden reports as its quality.
func CPM(p *Projection, part *Partition, resolution float64) (float64, error) {
	return quality(p, part, ByCPM, resolution)
}
