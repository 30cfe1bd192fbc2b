package store

import (
	"errors"
	"sync"
	"time"

	"penstock/internal/db"
)

// outcomes counts, second by second, how many transactions the database answered of late, and how many it did not
// answer. A probe on a connection of its own does not see that the others are stuck.
type outcomes struct {
	mutex   sync.Mutex
	seconds [outcomeSeconds]outcomeSecond
}

type outcomeSecond struct {
	at               int64 // since 1970
	answered, inVain int
}

const (
	outcomeSeconds = 10
	minInVain      = 5  // fewer say nothing
	inVainPerOne   = 10 // so many in vain for each that was answered are too many
)

// count counts how a transaction ended. An error of what it did is an answer too.
func (o *outcomes) count(err error, now time.Time) {
	inVain := errors.Is(err, db.ErrOverloaded) || errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrUnknownOutcome)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	second := &o.seconds[now.Unix()%outcomeSeconds]
	if second.at != now.Unix() {
		*second = outcomeSecond{at: now.Unix()}
	}
	if inVain {
		second.inVain++
	} else {
		second.answered++
	}
}

// check returns why hardly any transaction is answered; nil if they are, or if there were too few to know.
func (o *outcomes) check(now time.Time) error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	answered, inVain := 0, 0
	for _, second := range o.seconds {
		if now.Unix()-second.at < outcomeSeconds {
			answered, inVain = answered+second.answered, inVain+second.inVain
		}
	}
	if inVain < minInVain || inVain < inVainPerOne*answered {
		return nil
	}
	return errStuck
}

// errStuck means that transactions got no connection or no answer from the database.
var errStuck = errors.New("hardly any transaction was answered within the last seconds")
