// Command peers compares the product's GraphQL engine with gqlgen and graph-gophers. All serve the same schema and data and
// answer the same documents, over loopback, in turns, beside a bare handler that sends an answer of the same size.
//
// From memory, all engines find the same objects at hand. With SQLite, ours is the product's API, which also finds out who
// asks, what they may see and logs it; the others read the same database with the same library and statements of the
// same shape, for everybody. The handler "no engine" runs those statements and sends what the bare one sends: no engine can be
// faster on that data.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/bench/peers/data"
	"penstock/internal/bench/peers/gqlgen"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

//go:generate go tool gqlgen

//go:embed schema.graphqls
var sdl string

const (
	token        = "token-of-the-benchmark"
	organization = "acme-inc"
	pipelines    = 500
	clusters     = 50
	queues       = 10
)

var documents = []struct {
	name  string
	first int
	text  string
	find  func(context.Context, data.Source) error // finds what the document asks for
}{
	{"500 pipelines", pipelines, `query ($first: Int) { organization(slug: "acme-inc") { pipelines(first: $first) {
		count edges { node { name slug } } pageInfo { hasNextPage endCursor } } } }`, findPipelines},
	{"50 clusters x 10 queues", clusters, `query ($first: Int) { organization(slug: "acme-inc") { clusters(first: $first) { edges { node {
		name description queues(first: 10) { edges { node { key description } } } } } } } }`, findQueues},
}

func findPipelines(ctx context.Context, source data.Source) error {
	o, err := source.Organization(ctx, organization)
	if err == nil {
		_, err = source.Pipelines(ctx, o, pipelines)
	}
	return err
}

func findQueues(ctx context.Context, source data.Source) error {
	o, err := source.Organization(ctx, organization)
	if err != nil {
		return err
	}
	found, err := source.Clusters(ctx, o, clusters)
	if err != nil {
		return err
	}
	first := int32(queues)
	_, err = found.Edges[0].Node.Queues(ctx, &first)
	return err
}

var (
	rounds      = flag.Int("rounds", 5, "rounds; the median counts")
	duration    = flag.Duration("duration", time.Second, "how long a load runs in each round")
	connections = flag.Int("connections", 64, "connections")
)

func main() {
	flag.Parse()
	debug.SetGCPercent(400) // as server.GCPercent
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "penstock-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d, err := db.Open(ctx, db.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(ctx); err != nil {
		return err
	}
	shared := core.New(core.Options{DB: d})
	svc := service.New(service.Options{Core: shared})
	if err := seed(ctx, svc); err != nil {
		return err
	}
	sqlite := data.SQLite{DB: d}
	memory, err := data.Remember(ctx, sqlite, organization, pipelines, clusters, queues)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d processors, %d connections, median of %d rounds of %s\n\n",
		runtime.Version(), runtime.GOMAXPROCS(0), *connections, *rounds, *duration)
	fmt.Printf("%-7s %-24s %6s %-13s %9s %8s %8s %9s %9s %10s\n", "data", "document", "bytes", "engine", "each s", "of bare", "cpu", "x gqlgen", "cpu", "median")
	ours, err := newOurs(memory)
	if err != nil {
		return err
	}
	if err := compare("memory", ours, memory); err != nil {
		return err
	}
	product := graph.New(graph.Options{
		Settings: httpcall.Settings{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))},
		Service:  svc, Reader: read.New(shared), BaseURL: "https://penstock.example.com",
	})
	return compare("sqlite", product, sqlite)
}

// seed makes the pipelines, clusters and queues.
func seed(ctx context.Context, svc *service.Service) error {
	operator := authz.OperatorActor()
	if _, err := svc.CreateUser(ctx, operator, domain.UserInput{Email: "bench@example.com", Name: "Bench"}); err != nil {
		return err
	}
	if _, err := svc.CreateOrganization(ctx, operator, domain.OrganizationInput{Slug: organization, Name: "Acme Inc", Admin: "bench@example.com"}); err != nil {
		return err
	}
	_, _, err := svc.CreateAPIToken(ctx, operator, domain.APITokenInput{User: "bench@example.com", Description: "benchmark", Organizations: []string{organization},
		Scopes: []string{"read_clusters", "write_clusters", "read_pipelines", "write_pipelines", "graphql"}, Value: token})
	if err != nil {
		return err
	}
	actor := authz.TokenActor(authz.REST, token, netip.IPv6Loopback())
	for i := range pipelines {
		_, err := svc.CreatePipeline(ctx, actor, domain.OrganizationRef{Slug: organization}, core.Value(domain.PipelineInput{
			Name: domain.Some(fmt.Sprintf("Deploy service %05d", i)), Repository: domain.Some("git@github.com:acme/service.git"), Configuration: domain.Some("steps: []"),
		}))
		if err != nil {
			return err
		}
	}
	for i := range clusters {
		cluster, err := svc.CreateCluster(ctx, actor, domain.OrganizationRef{Slug: organization}, core.Value(domain.ClusterInput{
			Name: domain.Some(fmt.Sprintf("Cluster %02d", i)), LookInput: domain.LookInput{Description: domain.Some("A cluster of the benchmark")},
		}))
		for k := 0; k < queues && err == nil; k++ {
			_, err = svc.CreateQueue(ctx, actor, domain.ClusterRef{Organization: domain.OrganizationRef{Slug: organization}, ID: string(cluster.ID)}, core.Value(domain.QueueInput{
				Key: domain.Some(fmt.Sprintf("queue-%02d", k)), QueueSettingsInput: domain.QueueSettingsInput{Description: domain.Some("A queue of the benchmark")},
			}))
		}
		if err != nil {
			return err
		}
	}
	return svc.StoreTokenUses(ctx, operator)
}

// compare measures the engines with one source of data.
func compare(name string, ours http.Handler, source data.Source) error {
	gophers, err := newGophers(source)
	if err != nil {
		return err
	}
	engines := []string{"bare", "no engine", "ours", "graph-gophers", "gqlgen"}
	addresses := make([]string, len(engines))
	for i, h := range []http.Handler{2: ours, 3: gophers, 4: gqlgen.New(source)} {
		if h == nil {
			continue // it must know first how much to send
		}
		address, stop, err := load.Serve(h)
		if err != nil {
			return err
		}
		defer stop()
		addresses[i] = address
	}
	for _, d := range documents {
		body, err := json.Marshal(map[string]any{"query": d.text, "variables": map[string]any{"first": d.first}})
		if err != nil {
			return err
		}
		size, err := sameAnswers(addresses[2:], body)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, d.name, err)
		}
		bare := load.Bare(http.StatusOK, size)
		for i, h := range []http.Handler{bare, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := d.find(r.Context(), source); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			bare.ServeHTTP(w, r)
		})} {
			address, stop, err := load.Serve(h)
			if err != nil {
				return err
			}
			defer stop()
			addresses[i] = address
		}
		request := load.Wire(http.MethodPost, "/v1", token, string(body))
		l := load.Load{Connections: *connections, Duration: *duration, Request: func(int64) string { return request }, Status: http.StatusOK}
		if _, err = l.InTurns(1, addresses...); err != nil { // to warm up
			return err
		}
		results, err := l.InTurns(*rounds, addresses...)
		if err != nil {
			return err
		}
		base, slowest := results[0], results[len(results)-1]
		for i, r := range results {
			fmt.Printf("%-7s %-24s %6d %-13s %9.0f %8.3f %8.3f %9.1f %9.1f %10s\n", name, d.name, size, engines[i], r.PerSecond, r.PerSecond/base.PerSecond,
				float64(base.CPU)/float64(r.CPU), r.PerSecond/slowest.PerSecond, float64(slowest.CPU)/float64(r.CPU), r.Median.Round(time.Microsecond))
		}
	}
	return nil
}

var cursors = regexp.MustCompile(`"endCursor":"[^"]*"`)

// sameAnswers returns the size of the answer, which must be everybody's, except for how they write cursors.
func sameAnswers(addresses []string, body []byte) (size int, err error) {
	var first []byte
	for i, address := range addresses {
		answer, err := ask(address, body)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			size = len(answer)
		}
		answer = cursors.ReplaceAll(answer, nil)
		if i == 0 {
			first = answer
		} else if !bytes.Equal(first, answer) {
			return 0, fmt.Errorf("two answers differ:\n%.1000s\n%.1000s", first, answer)
		}
	}
	return size, nil
}

func ask(address string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, "http://"+address+"/v1", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(response.Body)
	return answer, errors.Join(err, response.Body.Close())
}
