package db

import (
	"context"
	"errors"
	"iter"
	"slices"
)

// question is a statement that is asked for, and whose rows someone waits for.
type question struct {
	sql  string
	args []any
	each func(*Row) error
	err  error
}

// suspension lets the other functions of those that run together go on until the questions are answered. It returns
// false if they never will be.
type suspension func(asked []*question) bool

// errAbandoned is what a function's statements fail with once another, of those that run together, has failed.
var errAbandoned = errors.New("another function failed that runs together with this one")

// ask answers questions: at once or, if a function asks that runs together with others, with theirs.
func (c *postgresConn) ask(ctx context.Context, asked ...*question) {
	suspend := c.suspend
	if suspend == nil {
		c.answer(ctx, asked)
		return
	}
	if !suspend(asked) {
		for _, q := range asked {
			q.err = errAbandoned
		}
	}
	c.suspend = suspend
}

func (c *postgresConn) together(ctx context.Context, functions []func() error) error {
	outer := c.suspend
	defer func() { c.suspend = outer }()
	errs := make([]error, len(functions))
	running := make([]func() ([]*question, bool), len(functions))
	for i, function := range functions {
		resume, stop := iter.Pull(func(suspend func([]*question) bool) {
			c.suspend = suspend
			errs[i] = function()
		})
		defer stop()
		running[i] = resume
	}
	for {
		var asked []*question
		running = slices.DeleteFunc(running, func(resume func() ([]*question, bool)) bool {
			some, goesOn := resume()
			asked = append(asked, some...)
			return !goesOn
		})
		if failed := slices.IndexFunc(errs, func(err error) bool { return err != nil }); failed >= 0 {
			return errs[failed]
		}
		if len(asked) == 0 {
			return nil
		}
		c.suspend = outer
		c.ask(ctx, asked...)
	}
}
