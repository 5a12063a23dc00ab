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
	Disk     = onDisk
)

type (
	Stamp      = stamp
	StampError = stampError
)
