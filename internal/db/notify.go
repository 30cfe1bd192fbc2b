package db

import (
	"context"
	"errors"
)

// ErrNoNotify means that the database takes no notifications, or does not deliver them: some poolers and some engines
// that speak PostgreSQL's protocol do not.
var ErrNoNotify = errors.New("the database does not deliver notifications")

// MaxPayload is how many bytes a notification can have.
const MaxPayload = 7900

// Listen calls each with what other processes send on the channel by Notify. It calls ready once it receives them, and
// returns when ctx is done or the connection, which is its own, breaks: what is sent before the next Listen is ready is
// not heard. SQLite has one server, so nobody is heard.
//
// Returns ErrNoNotify if notifications do not arrive, ErrUnavailable if the connection breaks, and ctx's error.
func (d *DB) Listen(ctx context.Context, channel string, ready func(), each func(payload string)) error {
	return d.engine.listen(ctx, channel, ready, each)
}

// Notify sends payloads of valid UTF-8 without zero bytes, of at most MaxPayload bytes each, to the other processes
// that listen on the channel, all in one statement. It has a connection of its own, so it waits for no transaction and
// belongs to none.
//
// Returns ErrNoNotify and ErrUnavailable as Listen does.
func (d *DB) Notify(ctx context.Context, channel string, payloads []string) error {
	return d.engine.notify(ctx, channel, payloads)
}
