package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"penstock/internal/authz"
	"penstock/internal/config"
	"penstock/internal/domain"
	"penstock/internal/service"
)

func usageCommands() []*command {
	return []*command{
		{name: "usage", summary: "explain what organizations are billed for"},
		{
			name:     "usage explain",
			operands: []string{"ORGANIZATION"},
			summary:  "show how an organization's active users are counted",
			about: `Counts an organization's active users from the days on which they were active, and
shows the period, each month's distinct users, the organizations where they were
active, and the arithmetic. Without --month it explains the figure that the API shows
right now, and fails if the two differ.

With --month it explains the billing period that starts in that month or, for an annual
plan, the month and the six before it, with the organization's current plan, anchor and
billing children.`,
			examples: []string{"penstock usage explain acme-inc", "penstock usage explain acme-inc --month 2026-10 --users",
				"penstock usage explain acme-inc --json"},
			prepare: prepareUsageExplain,
		},
	}
}

func prepareUsageExplain(f *config.Flags) action {
	cfg := config.Default()
	var month string
	var users, asJSON bool
	f.Text(&month, "month", "MONTH", "month to explain, such as 2026-10; if unset, the current figure")
	f.Bool(&users, "users", "name the users")
	f.Bool(&asJSON, "json", "print a JSON object")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		return c.operate(ctx, cfg, func(s *service.Service) error {
			e, err := s.ExplainUsage(ctx, authz.OperatorActor(), operands[0], month, users)
			if err != nil {
				return err
			}
			if asJSON {
				err = c.printUsageJSON(e)
			} else {
				err = c.printUsage(e)
			}
			if err == nil && e.Served != nil && *e.Served != e.ActiveUsers {
				err = fmt.Errorf("the API shows %d, which is not what the days of activity come to; please report this", *e.Served)
			}
			return err
		})
	}
}

func (c *console) printUsage(e domain.UsageExplanation) error {
	o := e.Organization
	text := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(text, format+"\n", args...) }
	line("Organization:\t%s (%s)", makePrintable(o.Name), o.Slug)
	if o.Plan == domain.PlanAnnual {
		line("Plan:\tannual: the mean of %d calendar months' distinct users, rounded down", domain.SummaryMonths)
	} else {
		line("Plan:\tmonthly: the distinct users of a billing period; periods begin on the day of %s", o.BillingAnchor)
	}
	line("Period:\t%s to %s, days in UTC", e.Period.Key(), e.Period.LastDay())
	line("Counted:\t%s", strings.Join(e.Organizations, ", "))
	line("")
	line("FROM\tTO\tUSERS\tACTIVE IN")
	for _, part := range e.Parts {
		where := make([]string, len(part.Sources))
		for i, s := range part.Sources {
			where[i] = fmt.Sprintf("%s %d", s.Organization, s.Users)
		}
		line("%s\t%s\t%d\t%s", part.Key(), part.LastDay(), part.Users, strings.Join(where, ", "))
		for _, person := range part.People {
			line("\t\t\t%s: %s", describeUser(person.User), strings.Join(person.Organizations, ", "))
		}
	}
	line("")
	if len(e.Organizations) > 1 {
		line("A user who was active in several organizations is counted once a period.")
	}
	line("%s", describeArithmetic(e))
	return text.Flush()
}

// describeArithmetic shows the way from the parts to the figure.
func describeArithmetic(e domain.UsageExplanation) string {
	if len(e.Parts) == 1 {
		return fmt.Sprintf("Active users: %d", e.ActiveUsers)
	}
	terms := make([]string, len(e.Parts))
	for i, part := range e.Parts {
		terms[i] = fmt.Sprint(part.Users)
	}
	return fmt.Sprintf("Active users: (%s) / %d = %d / %d, rounded down: %d", strings.Join(terms, " + "), len(e.Parts),
		e.Sum, len(e.Parts), e.ActiveUsers)
}

// describeUser names a user, who may have been deleted.
func describeUser(u domain.User) string {
	if u.Email == "" {
		return "deleted user " + string(u.ID)
	}
	return makePrintable(u.Name) + " <" + u.Email + ">"
}

func (c *console) printUsageJSON(e domain.UsageExplanation) error {
	type period struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	type source struct {
		Organization string `json:"organization"`
		Users        int64  `json:"users"`
	}
	type user struct {
		UUID          domain.UserID `json:"uuid"`
		Name          string        `json:"name,omitzero"`
		Email         string        `json:"email,omitzero"`
		Organizations []string      `json:"organizations"`
	}
	type part struct {
		period
		DistinctUsers int64    `json:"distinct_users"`
		ActiveIn      []source `json:"active_in"`
		Users         []user   `json:"users,omitzero"`
	}
	parts := make([]part, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = part{period: period{p.Key(), p.LastDay()}, DistinctUsers: p.Users, ActiveIn: []source{}}
		for _, s := range p.Sources {
			parts[i].ActiveIn = append(parts[i].ActiveIn, source(s))
		}
		for _, person := range p.People {
			parts[i].Users = append(parts[i].Users, user{person.User.ID, person.User.Name, person.User.Email,
				person.Organizations})
		}
	}
	encoder := json.NewEncoder(c.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Organization  string      `json:"organization"`
		Plan          domain.Plan `json:"plan"`
		BillingAnchor string      `json:"billing_anchor"`
		Counted       []string    `json:"counted_organizations"`
		Period        period      `json:"period"`
		Parts         []part      `json:"parts"`
		Sum           int64       `json:"sum"`
		DividedBy     int         `json:"divided_by"`
		ActiveUsers   int64       `json:"active_users_count"`
		Served        *int64      `json:"served_active_users_count,omitzero"`
	}{
		e.Organization.Slug, e.Organization.Plan, e.Organization.BillingAnchor, e.Organizations,
		period{e.Period.Key(), e.Period.LastDay()}, parts, e.Sum, len(e.Parts), e.ActiveUsers, e.Served,
	})
}

func orgBillingCommand() *command {
	return &command{
		name:     "org billing",
		operands: []string{"ORGANIZATION"},
		summary:  "change how an organization's usage is counted",
		about: `Changes an organization's plan, its billing anchor or its billing parent, and counts
usage again, all in one transaction. While a large parent is counted, the first
requests of a day wait.

A billing parent counts its children's users with its own. It cannot have a parent.` + besideServerNote,
		examples: []string{
			"penstock org billing acme-inc --plan monthly --anchor 2026-01-15",
			"penstock org billing acme-inc --parent holding-co",
			"penstock org billing acme-inc --no-parent",
		},
		prepare: prepareOrgBilling,
	}
}

func prepareOrgBilling(f *config.Flags) action {
	cfg := config.Default()
	var plan, anchor, parent string
	var noParent bool
	f.Text(&plan, "plan", "PLAN", "how usage is counted: monthly or annual")
	f.Text(&anchor, "anchor", "DATE", "date whose day of the month starts the billing periods of a monthly plan; in "+
		"shorter months, the last day")
	f.Text(&parent, "parent", "SLUG", "organization that is billed for it")
	f.Bool(&noParent, "no-parent", "bill it on its own")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		var patch domain.BillingPatch
		for value, target := range map[*string]*domain.Optional[string]{&plan: &patch.Plan, &anchor: &patch.Anchor,
			&parent: &patch.Parent} {
			if *value != "" {
				*target = domain.Some(*value)
			}
		}
		if noParent {
			if parent != "" {
				return &config.Fault{Setting: "no-parent", Reason: "cannot be given with a parent"}
			}
			patch.Parent = domain.Null[string]()
		}
		if patch == (domain.BillingPatch{}) {
			return &usageError{"nothing to change: give --plan, --anchor, --parent or --no-parent", "org billing"}
		}
		return c.operate(ctx, cfg, func(s *service.Service) error {
			o, err := s.UpdateBilling(ctx, authz.OperatorActor(), operands[0], patch)
			if err != nil {
				return err
			}
			with := "alone"
			if o.BillingParentID != nil {
				with = "with another organization"
			}
			return c.print("%s has the plan %s, anchored on %s, and is billed %s", o.Slug, o.Plan, o.BillingAnchor, with)
		})
	}
}
