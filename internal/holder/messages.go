package holder

// About is how a holder introduces itself.
type About struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program
	PID      int    `json:"pid"`
	// Command is the command that the holder runs, such as index.
	Command string `json:"command"`
	// Brief says that the command ends soon by itself, so that long ones wait for it
	// in place of attaching.
	Brief bool `json:"brief"`
	// Ending says that the holder takes no more commands.
	Ending bool `json:"ending"`
}

// Start is the command line that an attached process was started with.
type Start struct {
	Args []string `json:"args"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"` // its working directory, absolute
	PID  int      `json:"pid"`
	// The terminals that the streams are: their columns, 0 for none.
	In, Out, Err int
}

// prompt asks for a line.
type prompt struct {
	Prompt string `json:"prompt"`
	// Answer says that a running command asks, and not the shell.
	Answer bool `json:"answer"`
}

// line is what was typed at a prompt.
type line struct {
	Line string `json:"line"`
	// Aborted says that Ctrl-C was typed, Ended that Ctrl-D was.
	Aborted bool   `json:"aborted"`
	Ended   bool   `json:"ended"`
	Error   string `json:"error"`
}

// typed is a line that is to be completed.
type typed struct {
	ID   int    `json:"id"`
	Line string `json:"line"`
	Pos  int    `json:"pos"` // in characters
}

// words are what may stand at a place of a line.
type words struct {
	ID    int      `json:"id"`
	Head  string   `json:"head"`
	Words []string `json:"words"`
	Tail  string   `json:"tail"`
}
