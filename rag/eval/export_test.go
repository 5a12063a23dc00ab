package eval

// EvidenceDigest is the digest that a run keeps of what was retrieved.
var EvidenceDigest = evidenceDigest
