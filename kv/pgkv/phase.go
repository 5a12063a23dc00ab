package pgkv

import "github.com/ragdb/ragdb/internal/fault"

// phase is the phase of the errors that this package makes.
const phase = fault.Store
