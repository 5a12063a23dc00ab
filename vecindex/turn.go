package vecindex

import "context"

// turn is a lock that one waits for no longer than a context lets.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn. The error is ctx's.
func (t turn) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try takes the turn if nobody has it.
func (t turn) try() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

// pass ends the turn.
func (t turn) pass() { <-t }
