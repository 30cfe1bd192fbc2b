package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"penstock/internal/authz"
	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/server"
	"penstock/internal/service"
)

// besideServerNote ends the help of commands that can run beside a server.
const besideServerNote = "\n\nThis works directly on the database. A running server sees the change with its " +
	"next\nrequest."

func operatorCommands() []*command {
	return []*command{
		{name: "user", summary: "manage users"},
		{
			name:    "user create",
			summary: "create a user",
			about: `Creates a user. Without a password they cannot sign in to the web interface, but can
have API access tokens. The password comes from a file or from standard input, never
from the command line, where others could see it.` + besideServerNote,
			examples: []string{
				"penstock user create --email admin@example.com --name 'Admin'",
				"printf %s \"$PASSWORD\" | penstock user create --email admin@example.com --name 'Admin' --password-file -",
			},
			prepare: prepareUserCreate,
		},
		{
			name:     "user set-password",
			operands: []string{"EMAIL"},
			summary:  "set a user's password",
			about: `Sets or replaces a user's password. This signs them out of all browsers; their API
access tokens keep working. The audit logs of their organizations record it.` + besideServerNote,
			examples: []string{
				"penstock user set-password admin@example.com --password-file password.txt",
				"printf %s \"$PASSWORD\" | penstock user set-password admin@example.com --password-file -",
			},
			prepare: prepareUserSetPassword,
		},
		{
			name:     "user disable",
			operands: []string{"EMAIL"},
			summary:  "lock a user out of the installation",
			about: `Locks a user out of all organizations until you enable them again. With the next
request they are signed out everywhere, their API access tokens stop working, and the
invitations that they created are revoked. Portals belong to organizations and keep
working: the command lists those whose credentials the user may know. You cannot
disable the last administrator of an organization.` + besideServerNote,
			examples: []string{"penstock user disable dev@example.com"},
			prepare:  prepareUserDisable,
		},
		{
			name:     "user enable",
			operands: []string{"EMAIL"},
			summary:  "let a disabled user in again",
			about:    "Lets a disabled user sign in again. Their API access tokens work again, too." + besideServerNote,
			examples: []string{"penstock user enable dev@example.com"},
			prepare:  prepareUserEnable,
		},
		{name: "org", summary: "manage organizations"},
		{
			name:    "org create",
			summary: "create an organization",
			about:   "Creates an organization, with --admin as its administrator." + besideServerNote,
			examples: []string{
				"penstock org create --slug acme-inc --name 'Acme Inc' --admin admin@example.com",
			},
			prepare: prepareOrgCreate,
		},
		{
			name:     "org add-member",
			summary:  "add a user to an organization",
			about:    "Adds a user to an organization, as a member or an administrator." + besideServerNote,
			examples: []string{"penstock org add-member --organization acme-inc --user dev@example.com --role member"},
			prepare:  prepareOrgAddMember,
		},
		orgBillingCommand(),
		{name: "token", summary: "manage API access tokens"},
		{
			name:    "token create",
			summary: "create an API access token and print it",
			about: `Creates an API access token, with which a program acts as its user in the given
organizations. The token is shown only this once. It is the only thing printed to
standard output; everything else goes to standard error.` + besideServerNote,
			examples: []string{
				"penstock token create --user admin@example.com --description CI --organizations acme-inc --scopes " +
					"read_clusters,write_clusters",
				"TOKEN=$(penstock token create --user admin@example.com --description CI --organizations acme-inc --scopes " +
					"read_clusters)",
			},
			prepare: prepareTokenCreate,
		},
		{
			name:    "token list",
			summary: "list API access tokens",
			about: "Lists API access tokens, including expired and revoked ones. Their values are not stored\nand cannot " +
				"be shown.",
			examples: []string{"penstock token list", "penstock token list --user admin@example.com --json"},
			prepare:  prepareTokenList,
		},
		{
			name:     "token revoke",
			operands: []string{"ID"},
			summary:  "revoke an API access token",
			about: `Revokes an API access token for good. ID is the one that token list shows. If you only
know the token itself, use - as the ID and pass the token on standard input.` + besideServerNote,
			examples: []string{
				"penstock token revoke 0199a0b0-3c44-7e6e-8d3a-6f0e8f4f7a10",
				"penstock token revoke - < leaked-token.txt",
			},
			prepare: prepareTokenRevoke,
		},
	}
}

// operate runs fn with the service on the configured database.
func (c *console) operate(ctx context.Context, cfg config.Config, fn func(*service.Service) error) error {
	c.warn()
	return server.Operate(ctx, cfg, server.Access{}, func(_ *db.DB, s *service.Service) error { return fn(s) })
}

// operateOnNew is operate for the first commands of an installation: it creates the database if there is none.
func (c *console) operateOnNew(ctx context.Context, cfg config.Config, fn func(*service.Service) error) error {
	c.warn()
	made := func(dir string) { c.printError("made a new database in %s", dir) }
	return server.Operate(ctx, cfg, server.Access{Made: made}, func(_ *db.DB, s *service.Service) error { return fn(s) })
}

func prepareUserCreate(f *config.Flags) action {
	cfg := config.Default()
	var in domain.UserInput
	var passwordFile string
	f.Text(&in.Email, "email", "EMAIL", "email address, which identifies the user")
	f.Text(&in.Name, "name", "NAME", "name that others see")
	passwordFileFlag(f, &passwordFile)
	f.Require("email", "name")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) (err error) {
		if passwordFile != "" {
			if in.Password, err = c.readPassword(passwordFile); err != nil {
				return err
			}
		}
		return c.operateOnNew(ctx, cfg, func(s *service.Service) error {
			user, err := s.CreateUser(ctx, authz.OperatorActor(), in)
			if err != nil {
				return err
			}
			return c.print("created user %s (%s)", user.Email, user.ID)
		})
	}
}

func prepareUserSetPassword(f *config.Flags) action {
	cfg := config.Default()
	var passwordFile string
	passwordFileFlag(f, &passwordFile)
	f.Require("password-file")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		password, err := c.readPassword(passwordFile)
		if err != nil {
			return err
		}
		return c.operate(ctx, cfg, func(s *service.Service) error {
			if err := s.SetPassword(ctx, authz.OperatorActor(), operands[0], password); err != nil {
				return err
			}
			return c.print("%s has a new password and is signed out everywhere", operands[0])
		})
	}
}

func prepareUserDisable(f *config.Flags) action {
	cfg := config.Default()
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		return c.operate(ctx, cfg, func(s *service.Service) error {
			portals, err := s.DisableUser(ctx, authz.OperatorActor(), operands[0])
			if err != nil {
				return err
			}
			if err := c.print("%s is disabled and signed out everywhere", operands[0]); err != nil {
				return err
			}
			for _, p := range portals {
				if err := c.print("portal %s/%s goes on; they may know a token or a secret of it", p.Organization, p.Slug); err !=
					nil {
					return err
				}
			}
			return nil
		})
	}
}

func prepareUserEnable(f *config.Flags) action {
	cfg := config.Default()
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		return c.operate(ctx, cfg, func(s *service.Service) error {
			if err := s.EnableUser(ctx, authz.OperatorActor(), operands[0]); err != nil {
				return err
			}
			return c.print("%s is enabled", operands[0])
		})
	}
}

func passwordFileFlag(f *config.Flags, to *string) {
	f.Text(to, "password-file", "FILE", "file with the password, or - for standard input; a line break at the end is "+
		"ignored")
}

func (c *console) readPassword(file string) (domain.Secret, error) {
	password, err := c.read(file)
	if err != nil {
		return "", fmt.Errorf("the password cannot be read: %w", err)
	}
	password = bytes.TrimSuffix(bytes.TrimSuffix(password, []byte("\n")), []byte("\r"))
	if len(password) == 0 {
		return "", fmt.Errorf("the password in %s is empty", file)
	}
	return domain.Secret(password), nil
}

func prepareOrgCreate(f *config.Flags) action {
	cfg := config.Default()
	var in domain.OrganizationInput
	plan := string(domain.PlanMonthly)
	f.Text(&in.Slug, "slug", "SLUG", "name in URLs: a-z, 0-9 and hyphens")
	f.Text(&in.Name, "name", "NAME", "name that people see")
	f.Text(&in.Admin, "admin", "EMAIL", "user who becomes its administrator")
	f.Text(&plan, "plan", "PLAN", "how usage is counted: monthly or annual")
	f.Text(&in.BillingAnchor, "anchor", "DATE", "date whose day of the month starts the billing periods of a monthly "+
		"plan; if unset, today")
	f.Text(&in.BillingParent, "parent", "SLUG", "organization that is billed for it")
	f.Require("slug", "name")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		in.Plan = domain.Plan(plan)
		return c.operateOnNew(ctx, cfg, func(s *service.Service) error {
			organization, err := s.CreateOrganization(ctx, authz.OperatorActor(), in)
			if err != nil {
				return err
			}
			return c.print("created organization %s (%s)", organization.Slug, organization.ID)
		})
	}
}

func prepareOrgAddMember(f *config.Flags) action {
	cfg := config.Default()
	var organization, user string
	role := string(domain.RoleMember)
	f.Text(&organization, "organization", "SLUG", "organization")
	f.Text(&user, "user", "EMAIL", "user to add")
	f.Text(&role, "role", "ROLE", "admin or member")
	f.Require("organization", "user")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		return c.operate(ctx, cfg, func(s *service.Service) error {
			if err := s.AddMember(ctx, authz.OperatorActor(), organization, user, domain.Role(role)); err != nil {
				return err
			}
			return c.print("%s is now a member of %s, with the role %s", user, organization, role)
		})
	}
}

func prepareTokenCreate(f *config.Flags) action {
	cfg := config.Default()
	var in domain.APITokenInput
	var days int
	var addresses []string
	f.Text(&in.User, "user", "EMAIL", "user that the token acts as")
	f.Text(&in.Description, "description", "TEXT", "what the token is for")
	f.List(&in.Organizations, "organizations", "SLUGS", "organizations that it can be used in, separated by commas; the "+
		"user must be a member of each")
	f.List(&in.Scopes, "scopes", "SCOPES", "what it can be used for, separated by commas: read_clusters, "+
		"write_clusters, read_organizations, read_user, …")
	f.Bool(&in.GraphQL, "graphql", "let it use GraphQL, which the other scopes do not limit")
	f.List(&addresses, "allowed-ip-addresses", "CIDRS", "addresses that it can be used from; if unset, all")
	f.Int(&days, "expires-in-days", "days until it expires; 0 means never")
	f.Require("user", "description")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		in.AllowedIPAddresses = strings.Join(addresses, " ")
		if days < 0 || days > 36500 {
			return &config.Fault{Setting: "expires-in-days", Reason: fmt.Sprintf("must be from 0 to 36500, not %d", days)}
		}
		if days > 0 {
			at := time.Now().AddDate(0, 0, days)
			in.ExpiresAt = &at
		}
		return c.operate(ctx, cfg, func(s *service.Service) error {
			token, value, err := s.CreateAPIToken(ctx, authz.OperatorActor(), in)
			if err != nil {
				return err
			}
			c.printError("created token %s for %s; its value is shown only now:", token.ID, in.User)
			return c.print("%s", value.Reveal())
		})
	}
}

func prepareTokenList(f *config.Flags) action {
	cfg := config.Default()
	var filter domain.APITokenFilter
	var asJSON bool
	f.Text(&filter.User, "user", "EMAIL", "only this user's")
	f.Text(&filter.Organization, "organization", "SLUG", "only those that can be used in this organization")
	f.Bool(&asJSON, "json", "print a JSON array")
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		return c.operate(ctx, cfg, func(s *service.Service) error {
			tokens, err := s.APITokens(ctx, authz.OperatorActor(), filter)
			if err != nil {
				return err
			}
			if asJSON {
				return c.printTokensJSON(tokens)
			}
			return c.printTokens(tokens, time.Now())
		})
	}
}

func prepareTokenRevoke(f *config.Flags) action {
	cfg := config.Default()
	cfg.DatabaseFlags(f)
	return func(ctx context.Context, c *console, operands []string) error {
		token := operands[0]
		if token == "-" {
			value, err := c.read("-")
			if err != nil {
				return fmt.Errorf("the token's value cannot be read: %w", err)
			}
			token = string(bytes.TrimSpace(value))
		}
		return c.operate(ctx, cfg, func(s *service.Service) error {
			if err := s.RevokeAPIToken(ctx, authz.OperatorActor(), token); err != nil {
				return err
			}
			return c.print("the token is revoked") // its value, if that was given, is not repeated
		})
	}
}

func (c *console) printTokens(tokens []domain.APITokenView, now time.Time) error {
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tUSER\tDESCRIPTION\tORGANIZATIONS\tSCOPES\tSTATE\tLAST USED")
	for _, t := range tokens {
		state := "live"
		switch {
		case t.RevokedAt != nil:
			state = "revoked " + formatDay(t.RevokedAt)
		case !t.Live(now):
			state = "expired " + formatDay(t.ExpiresAt)
		case t.ExpiresAt != nil:
			state = "until " + formatDay(t.ExpiresAt)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.User.Email, makePrintable(t.Description),
			strings.Join(t.Organizations, ","), strings.ReplaceAll(t.Scopes.String(), " ", ","), state, formatDay(t.LastUsedAt))
	}
	return table.Flush()
}

func formatDay(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format(domain.DateLayout)
}

// makePrintable returns text without what could move a terminal's cursor.
func makePrintable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

func (c *console) printTokensJSON(tokens []domain.APITokenView) error {
	type user struct {
		UUID  domain.UserID `json:"uuid"`
		Name  string        `json:"name"`
		Email string        `json:"email"`
	}
	type token struct {
		UUID               domain.APITokenID `json:"uuid"`
		Description        string            `json:"description"`
		Scopes             []domain.Scope    `json:"scopes"`
		Organizations      []string          `json:"organizations"`
		User               user              `json:"user"`
		AllowedIPAddresses string            `json:"allowed_ip_addresses"`
		CreatedAt          *string           `json:"created_at"`
		ExpiresAt          *string           `json:"expires_at"`
		RevokedAt          *string           `json:"revoked_at"`
		LastUsedAt         *string           `json:"last_used_at"`
	}
	list := make([]token, len(tokens))
	for i, t := range tokens {
		list[i] = token{
			UUID: t.ID, Description: t.Description, Scopes: t.Scopes.List(), Organizations: append([]string{},
				t.Organizations...),
			User:               user{t.User.ID, t.User.Name, t.User.Email},
			AllowedIPAddresses: t.AllowedIPAddresses,
			CreatedAt:          formatTimestamp(&t.CreatedAt), ExpiresAt: formatTimestamp(t.ExpiresAt),
			RevokedAt: formatTimestamp(t.RevokedAt), LastUsedAt: formatTimestamp(t.LastUsedAt),
		}
	}
	encoder := json.NewEncoder(c.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

func formatTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := t.UTC().Format(domain.TimestampLayout)
	return &text
}
