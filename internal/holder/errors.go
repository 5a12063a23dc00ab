package holder

import "errors"

var (
	// ErrNobody says that no process answers in the directory.
	ErrNobody = errors.New("no process answers there")
	// ErrUser says that the holder belongs to another user.
	ErrUser = errors.New("it belongs to another user")
	// ErrProtocol says that the holder speaks another protocol.
	ErrProtocol = errors.New("it is a ragdb of another version")
	// ErrEnding says that the holder takes no more commands.
	ErrEnding = errors.New("it is about to end")
	// ErrGone says that the holder ended, or the connection broke, before the command did.
	ErrGone = errors.New("the process that held the database has ended")
	// ErrAgain is the cause of a context of a command that is to be started again.
	ErrAgain = errors.New("the command goes on in another process")
	// ErrLeft is the cause of a context of a command whose user has gone.
	ErrLeft = errors.New("the process that started the command has ended")
	// ErrStopped says that the user sent an interrupt a second time, and did not wait for
	// the holder to end the command.
	ErrStopped = errors.New("interrupted twice")
	// ErrAborted is the error of a line that Ctrl-C ended.
	ErrAborted = errors.New("the line was given up")
)

// Again is the exit code of a command that is to be started again.
const Again = -1
