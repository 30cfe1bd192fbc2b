package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/bench/load"
	"penstock/internal/graph"
	"penstock/internal/httpcall"
	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/read"
)

const (
	scaleQuestions = 15 // of each kind, at each size; the median counts
	scaleFactor    = 3  // how much longer a question may take at the largest size than at the smallest
)

// scalePipelines is how many pipelines the organization has whose builds are asked for. Tests have fewer.
var scalePipelines = 10_000

// question is something that people and programs ask an installation with many builds.
type question struct {
	name    string
	address string
	request string
}

// measureScale asks the same of one installation at each of the sizes, and says what takes longer with more builds.
func measureScale(ctx context.Context, engine string, sizes []int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	in, stop, err := newInstallation(ctx, d, nil)
	if err != nil {
		return err
	}
	defer stop()
	if err := seedPipelines(ctx, d, scalePipelines); err != nil {
		return err
	}
	if err := in.addAgents(ctx, 1); err != nil {
		return err
	}
	questions, stop, err := in.questions(ctx)
	if err != nil {
		return err
	}
	defer stop()
	took := make([][]time.Duration, len(questions))
	for i, size := range sizes {
		before := 0
		if i > 0 {
			before = sizes[i-1]
		}
		if err := in.addNumbered(ctx, before, size, "finished", in.queue); err != nil {
			return err
		}
		if err := analyze(ctx, d); err != nil {
			return err
		}
		for n, q := range questions {
			median, err := q.ask()
			if err != nil {
				return fmt.Errorf("%s at %d builds: %w", q.name, size, err)
			}
			took[n] = append(took[n], median)
		}
	}
	for n, q := range questions {
		line := make([]string, len(sizes))
		for i, size := range sizes {
			line[i] = fmt.Sprintf("%s at %d", took[n][i].Round(10*time.Microsecond), size)
		}
		grown := float64(took[n][len(sizes)-1]) / float64(took[n][0])
		verdict := ""
		if grown > scaleFactor {
			verdict = ", NOT FLAT"
		}
		fmt.Printf("%-9s builds, %s: %s (%.1f times%s)\n", engine, q.name, strings.Join(line, ", "), grown, verdict)
	}
	return nil
}

// questions serves all surfaces, and returns what is asked of them.
func (in *installation) questions(ctx context.Context) ([]question, func(), error) {
	settings := httpcall.Settings{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	svc := service.New(service.Options{Core: in.core})
	const baseURL = "https://penstock.example.com"
	documents := graph.New(graph.Options{Settings: settings, Service: svc, Agents: in.agents, Builds: in.builds, Artifacts: in.artifacts,
		Reader: read.New(in.core), BaseURL: baseURL})
	mux := http.NewServeMux()
	mux.Handle("/v1", documents)
	mux.Handle("/v2/", rest.New(rest.Options{Settings: settings, Service: svc, Agents: in.agents, Builds: in.builds, Logs: in.logs,
		Artifacts: in.artifacts, BaseURL: baseURL}))
	api, stopAPI, err := load.Serve(mux)
	if err != nil {
		return nil, nil, err
	}
	site, stopSite, err := in.servePages(ctx)
	if err != nil {
		stopAPI()
		return nil, nil, err
	}
	const organization = "/v2/organizations/acme-inc"
	const pipeline = organization + "/pipelines/" + singlePipeline
	const pages = "/organizations/acme-inc"
	get := func(path string) question { return question{path, api, wire(http.MethodGet, path, "")} }
	query := func(of, text string) question {
		body, failure := json.Marshal(map[string]string{"query": "{ " + of + " { " + text + " } }"})
		if failure != nil {
			err = failure
		}
		return question{"GraphQL " + of + " " + text, api, wire(http.MethodPost, "/v1", string(body))}
	}
	ofOrganization := func(text string) question { return query(`organization(slug: "acme-inc")`, text) }
	ofPipeline := func(text string) question { return query(`pipeline(slug: "acme-inc/`+singlePipeline+`")`, text) }
	page := func(path string) question { return question{"page " + path, site.address, site.wire(path)} }
	questions := []question{
		get(organization + "/builds"),
		get(organization + "/builds?page=100"),
		get(organization + "/builds?state=failed"),
		get(organization + "/builds?state=running"),
		get(organization + "/builds?branch=none"),
		get(organization + "/builds?commit=none"),
		get(organization + "/builds?meta_data%5Ba%5D=b"),
		get(organization + "/builds?creator=" + url.QueryEscape("01900000-0000-7000-8000-000000000000")),
		get(organization + "/builds?finished_from=2030-01-01T00:00:00Z"),
		get(pipeline + "/builds"),
		get(pipeline + "/builds?page=100"),
		get(pipeline + "/builds?state=failed"),
		get(pipeline + "/builds?meta_data%5Ba%5D=b"),
		get(pipeline + "/builds/1000001"),
		get(organization + "/pipelines"),
		ofPipeline("builds(first: 50) { edges { node { number state } } }"),
		ofPipeline("builds { count }"),
		ofPipeline("builds(state: [FAILED]) { count }"),
		ofOrganization("jobs(first: 50, state: [FINISHED]) { edges { node { __typename } } }"),
		ofOrganization("jobs(state: [FINISHED]) { count }"),
		ofOrganization("jobs { count }"),
		page(pages),
		page(pages + "/pipelines"),
		page(pages + "/builds"),
		page(pages + "/builds?state=failed"),
		page(pages + "/builds?message=nowhere"),
		page(pages + "/pipelines/" + singlePipeline),
		page(pages + "/pipelines/" + singlePipeline + "?page=100"),
		page(pages + "/search?q=nowhere"),
		page(pages + "/search?q=1000001"),
		{"ping of an idle agent", in.address, agentWire(http.MethodGet, "/v3/ping", in.sessions[0], "")},
	}
	return questions, func() { stopSite(); stopAPI() }, err
}

// ask asks once without counting, then several times, and returns the median.
func (q question) ask() (time.Duration, error) {
	conn, err := net.Dial("tcp", q.address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 64<<10)
	var took []time.Duration
	for range scaleQuestions + 1 {
		start := time.Now()
		if _, err := io.WriteString(conn, q.request); err != nil {
			return 0, err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if closed := answer.Body.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return 0, err
		}
		if answer.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("status %d", answer.StatusCode)
		}
		took = append(took, time.Since(start))
	}
	took = slices.Sorted(slices.Values(took[1:]))
	return took[len(took)/2], nil
}

// sizesOf returns the sizes that a flag names.
func sizesOf(list string) (sizes []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			sizes = append(sizes, n)
		}
	}
	return sizes, nil
}
