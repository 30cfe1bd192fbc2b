package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// explained is an explanation as usage explain --json prints it.
type explained struct {
	Plan          string
	BillingAnchor string   `json:"billing_anchor"`
	Counted       []string `json:"counted_organizations"`
	Period        struct{ From, To string }
	Parts         []struct {
		From, To      string
		DistinctUsers int64 `json:"distinct_users"`
		ActiveIn      []struct {
			Organization string
			Users        int64
		} `json:"active_in"`
		Users []struct {
			Email         string
			Organizations []string
		}
	}
	Sum         int64
	DividedBy   int64  `json:"divided_by"`
	ActiveUsers int64  `json:"active_users_count"`
	Served      *int64 `json:"served_active_users_count"`
}

const usageBootstrap = `
users:
  - {email: a@example.com, name: A}
  - {email: b@example.com, name: B}
organizations:
  - {slug: holding-co, name: Holding Co, subscription: {plan: annual}}
  - {slug: acme-inc, name: Acme Inc, subscription: {plan: monthly, anchor: 2026-01-31}}
activity:
  - {organization: holding-co, user: a@example.com, on: 2026-02-03}
  - {organization: acme-inc, user: a@example.com, on: 2026-02-28}
  - {organization: acme-inc, user: b@example.com, on: 2026-02-27}
`

func TestUsageCommands(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		start(t, nil, append(with("serve --bootstrap", write(t, "bootstrap.yaml", usageBootstrap)), database...)...).stop()
		explain := func(args string) explained {
			t.Helper()
			return decode[explained](t, output(t, with("usage explain --json "+args, database...)...))
		}
		got := explain("holding-co --month 2026-02")
		if got.Period.From != "2025-08-01" || got.Period.To != "2026-02-28" || got.Sum != 1 || got.DividedBy != 7 || got.ActiveUsers != 0 || got.Served != nil {
			t.Errorf("the parent alone: %+v", got)
		}
		output(t, with("org billing acme-inc --parent holding-co", database...)...)
		got = explain("holding-co --month 2026-02 --users")
		last := got.Parts[len(got.Parts)-1]
		if strings.Join(got.Counted, " ") != "holding-co acme-inc" || got.Sum != 2 || last.DistinctUsers != 2 || len(last.ActiveIn) != 2 || last.ActiveIn[1].Users != 2 ||
			len(last.Users) != 2 || last.Users[0].Email != "a@example.com" || strings.Join(last.Users[0].Organizations, " ") != "acme-inc holding-co" {
			t.Errorf("the parent with its child: %+v", got)
		}
		text := output(t, with("usage explain holding-co --month 2026-02", database...)...)
		for _, want := range []string{"Holding Co (holding-co)", "2025-08-01 to 2026-02-28", "holding-co, acme-inc", "holding-co 1, acme-inc 2",
			"(0 + 0 + 0 + 0 + 0 + 0 + 2) / 7 = 2 / 7, rounded down: 0"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if strings.Contains(text, "@example.com") {
			t.Errorf("users are named without being asked for:\n%s", text)
		}
		if text = output(t, with("usage explain holding-co --month 2026-02 --users", database...)...); !strings.Contains(text, "A <a@example.com>: acme-inc, holding-co") {
			t.Errorf("a is not named in\n%s", text)
		}
		if got = explain("acme-inc --month 2026-02"); got.Period.From != "2026-02-28" || got.Period.To != "2026-03-30" || got.ActiveUsers != 1 {
			t.Errorf("the child: %+v", got)
		}
		output(t, with("org billing acme-inc --no-parent --plan annual --anchor 2026-01-02", database...)...)
		if got = explain("acme-inc"); got.Plan != "annual" || got.BillingAnchor != "2026-01-02" || got.Served == nil {
			t.Errorf("the child, changed: %+v", got)
		}
		output(t, with("org create --slug new --name New --anchor 2026-01-09 --parent holding-co", database...)...)
		for args, want := range map[string]string{
			"usage explain nowhere":                     "No organization found",
			"usage explain acme-inc --month 2026":       "Month must be one such as 2026-10",
			"org billing nowhere --plan annual":         "No organization found",
			"org billing acme-inc --plan weekly":        "Plan must be monthly or annual",
			"org billing acme-inc --anchor 2026-02-30":  "Billing anchor must be a date",
			"org billing acme-inc --parent nowhere":     `There is no organization "nowhere"`,
			"org billing acme-inc --parent new":         "Billing parent can't have a billing parent itself",
			"org billing holding-co --parent acme-inc":  "Billing parent can't be set on an organization that is one",
			"org billing holding-co --parent new":       "Billing parent can't have a billing parent itself",
			"org create --slug x --name X --parent new": "Billing parent can't have a billing parent itself",
		} {
			refused(t, penstock(t, nil, with(args, database...)...), failure, want)
		}
		refused(t, penstock(t, nil, with("org billing acme-inc", database...)...), misuse, "nothing to change")
		refused(t, penstock(t, nil, with("org billing acme-inc --no-parent --parent holding-co", database...)...), misuse, "--no-parent")
	})
}

// TestAcknowledgedFirstUsesSurviveKill9 kills the server in the middle of many users' first requests of a day. Everyone who
// got an answer is active afterwards, and the figure counts them.
func TestAcknowledgedFirstUsesSurviveKill9(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		const users = 200
		args := append(with("serve --bootstrap", write(t, "bootstrap.yaml", firstUsers(users))), database...)
		server := start(t, nil, args...)
		var (
			wg       sync.WaitGroup
			mutex    sync.Mutex
			answered = map[string]bool{}
			client   = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
		)
		defer client.CloseIdleConnections()
		next := make(chan int)
		for range 16 {
			wg.Go(func() {
				for i := range next {
					req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.url+clusters, nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.Header.Set("Authorization", "Bearer "+firstToken(i))
					resp, err := client.Do(req)
					if err != nil {
						continue // the server was killed
					}
					_ = resp.Body.Close()
					if resp.StatusCode != http.StatusOK {
						t.Errorf("user %d: %s", i, resp.Status)
					}
					mutex.Lock()
					answered[fmt.Sprintf("user-%03d@example.com", i)] = true
					if len(answered) == users/2 {
						server.signal(syscall.SIGKILL)
					}
					mutex.Unlock()
				}
			})
		}
		for i := range users {
			next <- i
		}
		close(next)
		wg.Wait()
		server.wait()
		if len(answered) < users/2 {
			t.Fatalf("only %d were answered", len(answered))
		}

		got := decode[explained](t, output(t, with("usage explain acme-inc --json --users", database...)...))
		active := map[string]bool{}
		for _, part := range got.Parts {
			for _, user := range part.Users {
				active[user.Email] = true
			}
		}
		for user := range answered {
			if !active[user] {
				t.Errorf("%s was answered, and is not active", user)
			}
		}
		if got.Served == nil || *got.Served != got.ActiveUsers || got.ActiveUsers < int64(len(answered)) {
			t.Errorf("%d were answered, and the explanation is %d, served %d", len(answered), got.ActiveUsers, *got.Served)
		}
		server = start(t, nil, args...)
		status, body := server.get("/v2/organizations/acme-inc/usage", firstToken(0))
		if want := fmt.Sprintf(`{"active_users_count":%d}`, got.ActiveUsers); status != http.StatusOK || body != want && active["user-000@example.com"] {
			t.Errorf("the usage is %d %s, want %s", status, body, want)
		}
		server.stop()
	})
}

func firstToken(i int) string { return fmt.Sprintf("token-of-user-number-%03d", i) }

func firstUsers(n int) string {
	var users, members, tokens strings.Builder
	for i := range n {
		fmt.Fprintf(&users, "  - {email: user-%03d@example.com, name: User}\n", i)
		fmt.Fprintf(&members, "      - {user: user-%03d@example.com, role: member}\n", i)
		fmt.Fprintf(&tokens, "  - {user: user-%03d@example.com, token: %s, organizations: [acme-inc], scopes: [read_clusters, read_organizations]}\n", i, firstToken(i))
	}
	return "users:\n" + users.String() + "organizations:\n  - slug: acme-inc\n    name: Acme Inc\n    members:\n" + members.String() + "tokens:\n" + tokens.String()
}
