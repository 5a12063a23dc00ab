package pebblekv

// SetLimits makes the limits of a batch and of an ingest's tables small
// enough for a test to reach.
func (s *Store) SetLimits(batchBytes int, tableBytes uint64) {
	s.maxBatch, s.maxTable = batchBytes, tableBytes
}
