// Package holder lets commands work through the process that holds a database.
//
// A process that opened a database to write listens beside it ([Listen]): on a socket in
// the database's directory, or on a loopback port whose number and secret are in a file
// there. It speaks HTTP/1.1. Another process asks who holds the database ([Look]), and
// has a command line run there ([Attach]): the connection then carries frames ([Conn]),
// by which standard input, output and error, interrupts and lines of a shell's editor go
// to and fro until the exit code comes.
//
// The package knows nothing of commands: [Options.Run] runs them.
package holder

// Protocol is the number of the protocol. Processes of different numbers do not attach.
const Protocol = 1
