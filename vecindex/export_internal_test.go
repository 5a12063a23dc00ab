package vecindex

import "github.com/ragdb/ragdb/vecindex/internal/quant"

// What tests of the package name.
const (
	MaxDim        = maxDim
	MaxModelBytes = maxModelBytes
	MaxEf         = maxEf
	PlainDim      = quant.PlainDim

	FaultNaN   = faultNaN
	FaultInf   = faultInf
	FaultZero  = faultZero
	FaultLong  = faultLong
	FaultRange = faultRange

	Unloaded = unloaded
	Memory   = inMemory
	Walk     = onWalk
	Disk     = onDisk
)

type (
	Stamp      = stamp
	StampError = stampError
)

// WalkFew has an index walked on disk however few vectors it has.
func (ix *Index) WalkFew() { ix.minCold = 0 }
