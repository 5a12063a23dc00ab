package holder

import (
	"io"
	"log"
)

// silent is a log that nobody reads.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }
