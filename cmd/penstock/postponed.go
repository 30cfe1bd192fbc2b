package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"penstock/internal/authz"
	"penstock/internal/config"
	"penstock/internal/domain"
	"penstock/internal/service"
)

func postponedCommands() []*command {
	return []*command{
		{name: "postponed", summary: "manage background work that failed"},
		{
			name:    "postponed list",
			summary: "list background work that failed",
			about: `Lists the items on which background work failed, with the last error: a job that could not
be timed out, a log that could not be packed. They are tried again after pauses that
double. An item that failed 12 times is set aside until you release it.`,
			examples: []string{"penstock postponed list", "penstock postponed list --json"},
			prepare:  preparePostponedList,
		},
		{
			name:    "postponed release",
			summary: "try failed background work again",
			about: `Lets servers try items again that failed, within seconds or with the next run of their
work, also those that are set aside. Mend the cause first: what fails again is
postponed again.`,
			examples: []string{
				"penstock postponed release --item 0199a0b0-3c44-7e6e-8d3a-6f0e8f4f7a10",
				"penstock postponed release --work pack_logs",
				"penstock postponed release --all",
			},
			prepare: preparePostponedRelease,
		},
	}
}

func preparePostponedList(f *config.Flags) action {
	cfg := config.Default()
	var asJSON bool
	f.Bool(&asJSON, "json", "print a JSON array")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		return c.operate(ctx, cfg, func(s *service.Service) error {
			items, err := s.PostponedItems(ctx, authz.OperatorActor())
			switch {
			case err != nil:
				return err
			case asJSON:
				return c.printItemsJSON(items)
			case len(items) == 0:
				return c.print("no background work has failed")
			}
			return c.printItems(items)
		})
	}
}

func preparePostponedRelease(f *config.Flags) action {
	cfg := config.Default()
	var work, item string
	var all bool
	f.Text(&work, "work", "NAME", "only items of this work, as postponed list shows it")
	f.Text(&item, "item", "ID", "only the item with this id")
	f.Bool(&all, "all", "all items")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		if all == (work != "" || item != "") {
			return &usageError{"say which items: --work, --item, both of them, or --all", "postponed release"}
		}
		return c.operate(ctx, cfg, func(s *service.Service) error {
			released, err := s.ReleaseItems(ctx, authz.OperatorActor(), work, item)
			if err != nil {
				return err
			}
			if released == 0 && !all {
				return domain.NewError(domain.NotFound, "No such item has failed: see penstock postponed list")
			}
			return c.print("released %d", released)
		})
	}
}

func (c *console) printItems(items []domain.PostponedItem) error {
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "WORK\tITEM\tFAILED\tSINCE\tNEXT\tERROR")
	for _, i := range items {
		next := i.DueAt.UTC().Format(time.RFC3339)
		if i.SetAsideAt != nil {
			next = "set aside"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", i.Kind, makePrintable(i.ID), i.Attempts,
			i.FailedAt.UTC().Format(time.RFC3339), next, makePrintable(i.LastError))
	}
	return table.Flush()
}

// listedItem is an item as postponed list --json prints it.
type listedItem struct {
	Work       string     `json:"work"`
	Item       string     `json:"item"`
	Attempts   int64      `json:"attempts"`
	FailedAt   time.Time  `json:"failed_at"`
	DueAt      *time.Time `json:"due_at"` // null: it is set aside
	SetAsideAt *time.Time `json:"set_aside_at"`
	Error      string     `json:"error"`
}

func (c *console) printItemsJSON(items []domain.PostponedItem) error {
	listed := make([]listedItem, len(items))
	for n, i := range items {
		listed[n] = listedItem{Work: i.Kind, Item: i.ID, Attempts: i.Attempts, FailedAt: i.FailedAt, SetAsideAt: i.SetAsideAt,
			Error: i.LastError}
		if i.SetAsideAt == nil {
			listed[n].DueAt = &i.DueAt
		}
	}
	text, err := json.MarshalIndent(listed, "", "  ")
	if err != nil {
		return err
	}
	return c.print("%s", text)
}
