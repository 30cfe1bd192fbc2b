// Command bench measures the REST and GraphQL APIs, agents and pages over loopback. Each load runs beside a bare net/http handler that sends an
// answer of the same size, in turns, in one run; what counts is the ratio of the two, since the machine's speed
// cancels out. The column cpu is the same ratio by processor time a request, which other work on the machine disturbs less.
// Each load also runs while small writes commit in the same database: speed that only an idle server has does not count.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/core"
)

const token = "token-of-the-benchmark"

var (
	sizes          = flag.String("clusters", "1000,100000,1000000", "how many clusters an organization has, comma-separated; 0 for none of it")
	registrySizes  = flag.String("registries", "100,10000,100000", "how many cache registries a cluster has, comma-separated; 0 for none of it")
	pipelineSizes  = flag.String("pipelines", "100000", "how many pipelines an organization has, comma-separated; 0 for none of it")
	graphqlSizes   = flag.String("graphql", "1000,100000", "how many pipelines an organization has that GraphQL lists, comma-separated; 0 for none of it")
	usageUsers     = flag.String("usage", "200000", "how many users a billing parent and its 20 children have, with some fifty days of activity each, comma-separated; 0 for none of it")
	agentSizes     = flag.String("agents", "1000,10000", "how many agents are connected, comma-separated; 0 for none of it")
	finishedBuilds = flag.Int("finished-builds", 10_000, "how many builds that are over there are when agents are measured again; 0: they are not")
	waitingJobs    = flag.Int("waiting-jobs", 10_000, "how many jobs of another queue wait then")
	cacheSizes     = flag.String("cache-entries", "1000,100000,1000000", "how many entries a cache registry has, comma-separated; 0 for none of it")
	buildSizes     = flag.String("builds", "5000,1000000", "how many builds there are when each question about builds is asked, growing, comma-separated; 0 for none of it")
	streams        = flag.String("streams", "10000", "how many agents wait for messages at a server whose memory is looked at, comma-separated; 0 for none of it")
	pageLines      = flag.String("pages", "1000000", "how many lines the log of a job has whose page is looked at, with the other main pages, comma-separated; 0 for none of it")
	rounds         = flag.Int("rounds", 5, "rounds; the median counts")
	duration       = flag.Duration("duration", time.Second, "how long a load runs in each round")
	connections    = flag.Int("connections", 64, "connections")
	only           = flag.String("only", "", "of the loads on clusters and on agents, only those whose name has this in it")
	writes         = flag.String("writes", "0,100,1000", "how many small writes a second commit beside a load, comma-separated")
	listWrites     = flag.Int("list-writes", 0, "how many writes a second change a cluster and a pipeline, which lists are read from, besides")
	profile        = flag.String("cpuprofile", "", "a file for the processor profile, of the bare handler too")
	engines        = flag.String("engines", "sqlite,postgres", "engines, comma-separated; postgres needs PENSTOCK_TEST_POSTGRES")
)

func main() {
	flag.Parse()
	debug.SetGCPercent(400) // as server.GCPercent
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Printf("%s, %d processors, %d connections, median of %d rounds of %s\n\n",
		runtime.Version(), runtime.GOMAXPROCS(0), *connections, *rounds, *duration)
	fmt.Printf("%-9s %9s  %-22s %9s %10s %10s %7s %7s %10s %10s\n", "engine", "of them", "load", "writes/s", "bare/s", "ours/s", "ratio", "cpu", "median", "p99")
	for _, engine := range strings.Split(*engines, ",") {
		if err := eachSize(*sizes, func(n int) error { return measure(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, clusters: %w", engine, err)
		}
		if err := eachSize(*registrySizes, func(n int) error { return measureRegistries(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, registries: %w", engine, err)
		}
		if err := eachSize(*pipelineSizes, func(n int) error { return measurePipelines(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, pipelines: %w", engine, err)
		}
		if err := eachSize(*graphqlSizes, func(n int) error { return measureGraphQL(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, graphql: %w", engine, err)
		}
		if err := eachSize(*usageUsers, func(n int) error { return measureUsage(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, usage: %w", engine, err)
		}
		if err := eachSize(*agentSizes, func(n int) error { return measureBuilds(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, agents: %w", engine, err)
		}
		counts, err := sizesOf(*buildSizes)
		if err == nil && len(counts) > 0 {
			err = measureScale(ctx, engine, counts)
		}
		if err != nil {
			return fmt.Errorf("%s, builds: %w", engine, err)
		}
		if err := measureNotices(ctx, engine); err != nil {
			return fmt.Errorf("%s, %w", engine, err)
		}
		if err := eachSize(*cacheSizes, func(n int) error { return measureCaches(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, cache entries: %w", engine, err)
		}
		if err := eachSize(*pageLines, func(n int) error { return measurePages(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, pages: %w", engine, err)
		}
		if err := eachSize(*streams, func(n int) error { return measureStreams(ctx, engine, n) }); err != nil {
			return fmt.Errorf("%s, streams: %w", engine, err)
		}
	}
	return nil
}

func eachSize(list string, measure func(int) error) error {
	for size := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(size)
		if err == nil && n > 0 {
			err = measure(n)
		}
		if err != nil {
			return fmt.Errorf("%s of them: %w", size, err)
		}
	}
	return nil
}

func measure(ctx context.Context, engine string, clusters int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	svc := service.New(service.Options{Core: core.New(core.Options{DB: d})})
	if err := setUp(ctx, svc); err != nil {
		return err
	}
	ids, err := seed(ctx, d, clusters)
	if err != nil {
		return err
	}
	address, stop, err := load.Serve(newAPI(svc))
	if err != nil {
		return err
	}
	defer stop()

	c := comparison{d, address, clusters}
	const list = "/v2/organizations/acme-inc/clusters"
	deep := strconv.Itoa(max(1, clusters/30-1))
	for _, l := range []struct {
		name string
		load load.Load
	}{
		{"get", load.Load{Request: func(n int64) string { return wire(http.MethodGet, list+"/"+ids[n%int64(len(ids))], "") }, Status: 200}},
		{"list, first page of 30", load.Load{Request: func(int64) string { return wire(http.MethodGet, list, "") }, Status: 200}},
		{"list, last page of 30", load.Load{Request: func(int64) string { return wire(http.MethodGet, list+"?page="+deep, "") }, Status: 200}},
		{"list, any page of 30", load.Load{Request: func(n int64) string {
			return wire(http.MethodGet, list+"?page="+strconv.FormatInt(1+n*7919%int64(max(1, clusters/30)), 10), "")
		}, Status: 200}},
		{"durable create", load.Load{Request: func(n int64) string {
			return wire(http.MethodPost, list, `{"name": "Cluster `+strconv.FormatInt(n, 10)+`", "description": "A cluster of the benchmark", "color": "#00ff00"}`)
		}, Status: 201}},
		// The two differ by the audit event, and the row that has really changed.
		{"update, nothing changes", load.Load{Request: func(n int64) string {
			return wire(http.MethodPut, list+"/"+ids[n%int64(len(ids))], `{"color": "#0000ff"}`)
		}, Status: 200}},
		{"update, with its event", load.Load{Request: func(n int64) string {
			return wire(http.MethodPut, list+"/"+ids[n%int64(len(ids))], `{"description": "Change `+strconv.FormatInt(n, 10)+`"}`)
		}, Status: 200}},
	} {
		if !strings.Contains(l.name, *only) {
			continue
		}
		if err := c.run(ctx, l.name, l.load); err != nil {
			return err
		}
	}
	return nil
}

// newAPI returns the API with everything on that a server does for a request, the access log too; only the place that it
// goes to is not.
func newAPI(svc *service.Service) http.Handler {
	return rest.New(rest.Options{
		Settings: httpcall.Settings{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}, Service: svc, BaseURL: "https://penstock.example.com",
	})
}

// setUp makes the user, the organization and the token of the benchmark.
func setUp(ctx context.Context, svc *service.Service) error {
	operator := authz.OperatorActor()
	if _, err := svc.CreateUser(ctx, operator, domain.UserInput{Email: "bench@example.com", Name: "Bench"}); err != nil {
		return err
	}
	if _, err := svc.CreateOrganization(ctx, operator, domain.OrganizationInput{Slug: "acme-inc", Name: "Acme Inc", Admin: "bench@example.com"}); err != nil {
		return err
	}
	_, _, err := svc.CreateAPIToken(ctx, operator, domain.APITokenInput{
		User: "bench@example.com", Description: "benchmark", Organizations: []string{"acme-inc"}, Scopes: []string{"read_clusters", "write_clusters", "read_pipelines", "read_organizations", "write_organizations", "write_notification_services", "read_builds", "write_builds", "graphql"}, Value: token,
	})
	if err != nil {
		return err
	}
	// A server's jobs record the use of a token, at most once a minute.
	actor := authz.TokenActor(authz.REST, token, netip.IPv6Loopback())
	if _, err := svc.Clusters(ctx, actor, "acme-inc", domain.Page{Number: 1, Size: 1}); err != nil {
		return err
	}
	return svc.StoreTokenUses(ctx, operator)
}

// comparison is a load on a server whose database is d.
type comparison struct {
	db      *db.DB
	address string
	size    int // how many of what is asked for there are
}

// run runs a load against ours and against the bare handler in turns, beside each rate of writes, and prints the medians.
func (c comparison) run(ctx context.Context, name string, l load.Load) error {
	l.Connections, l.Duration = *connections, *duration
	warm := l
	warm.Duration = *duration / 4
	first, err := warm.Run(c.address)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	bareAddress, stop, err := load.Serve(load.Bare(l.Status, first.Bytes))
	if err != nil {
		return err
	}
	defer stop()
	rates, err := writeRates()
	if err != nil {
		return err
	}
	for _, rate := range rates {
		if err := c.runBesideWrites(ctx, name, l, bareAddress, rate); err != nil {
			return fmt.Errorf("%s beside %d writes a second: %w", name, rate, err)
		}
	}
	return nil
}

func (c comparison) runBesideWrites(ctx context.Context, name string, l load.Load, bareAddress string, rate int) error {
	writing, err := startWriting(ctx, c.db, rate)
	if err != nil {
		return err
	}
	results, err := l.InTurns(*rounds, bareAddress, c.address)
	written, writeErr := writing.stop()
	if err := errors.Join(err, writeErr); err != nil {
		return err
	}
	c.report(name, written, results[0], results[1])
	return nil
}

func (c comparison) report(name string, written float64, base, ours load.Result) {
	fmt.Printf("%-9s %9d  %-22s %9.0f %10.0f %10.0f %7.2f %7.2f %10s %10s\n", c.db.Engine(), c.size, name, written,
		base.PerSecond, ours.PerSecond, ours.PerSecond/base.PerSecond, float64(base.CPU)/float64(ours.CPU),
		ours.Median.Round(time.Microsecond), ours.P99.Round(time.Microsecond))
}

// wire returns a request of the benchmark's user as it goes over the wire.
func wire(method, path, body string) string { return load.Wire(method, path, token, body) }

// seed makes clusters and returns the ids of up to 10,000 of them.
func seed(ctx context.Context, d *db.DB, clusters int) (ids []string, err error) {
	var organization, user string
	err = d.Read(ctx, func(tx *db.Tx) error {
		_, err := tx.One(`SELECT o.id, m.user_id FROM organizations o JOIN organization_members m ON m.organization_id = o.id`, func(r *db.Row) {
			organization, user = r.Text(), r.Text()
		})
		return err
	})
	const batch = 2_000
	for start := 0; start < clusters && err == nil; start += batch {
		err = d.Write(ctx, func(tx *db.Tx) error {
			for i := start; i < min(start+batch, clusters); i++ {
				name := fmt.Sprintf("Cluster %07d", i)
				c := domain.Cluster{ID: domain.NewID[domain.ClusterID](), DefaultCacheRegistryID: domain.NewID[domain.CacheRegistryID](), CreatedAt: time.Now()}
				registry := domain.DefaultCacheRegistry(c)
				if _, err := tx.Exec(`INSERT INTO clusters (id, organization_id, name, name_key, description, emoji, color, default_cache_registry_id,
						hosted_git_mirror_enabled, hosted_container_cache_enabled, queues_count, hosted_queues_count, created_at, created_by)
					VALUES ($1, $2, $3, $4, 'A cluster of the benchmark', ':rocket:', '#00ff00', $5, FALSE, FALSE, 0, 0, $6, $7)`,
					c.ID, organization, name, domain.SortKey(name), c.DefaultCacheRegistryID, db.Micros(c.CreatedAt), user); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO cache_registries (id, cluster_id, slug, name, policy, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)`,
					registry.ID, c.ID, registry.Slug, registry.Name, registry.Policy, db.Micros(c.CreatedAt)); err != nil {
					return err
				}
				if i%max(1, clusters/10_000) == 0 {
					ids = append(ids, string(c.ID))
				}
			}
			_, err := tx.Exec(`INSERT INTO organization_counts (organization_id, shard, clusters, pipelines, archived_pipelines) VALUES ($1, 0, $2, 0, 0)
				ON CONFLICT (organization_id, shard) DO UPDATE SET clusters = organization_counts.clusters + excluded.clusters`,
				organization, min(batch, clusters-start))
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return ids, analyze(ctx, d)
}

// analyze does what PostgreSQL does by itself after a while. SQLite does not.
func analyze(ctx context.Context, d *db.DB) error {
	if d.Engine() == "sqlite" {
		return nil
	}
	return d.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec("ANALYZE")
		return err
	})
}
