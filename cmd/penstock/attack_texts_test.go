package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// Attacks with texts: Markdown, patterns, logs, searches and lists that take more than their size. docs/adr/0025-bounds-of-callers-texts.md
// lists the bounds that hold against them.

const textScopes = "read_user, read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds, read_artifacts, read_build_logs, " +
	"read_organizations, graphql"

// besiegeJob attacks a server with a job that the attacker's own agent runs.
func besiegeJob(t *testing.T, prepare func(*siege, *hostileJob), attack func(context.Context, *siege, *hostileJob)) {
	t.Helper()
	// Who runs agents of their own administers the organization.
	users := strings.Replace(attackersFile, "{user: attacker@example.com}", "{user: attacker@example.com, role: admin}", 1)
	file := write(t, "bootstrap.yaml", strings.ReplaceAll(users, "ALL_SCOPES", textScopes))
	cmd := penstock(t, attackEnvironment(), with("serve --log-level error --trusted-proxies 127.0.0.1 --bootstrap", file)...)
	var job *hostileJob
	besiegeCommand(t, cmd, func(s *siege) {
		job = startHostileJob(s)
		if prepare != nil {
			prepare(s, job)
		}
	}, func(ctx context.Context, s *siege) { attack(ctx, s, job) })
}

// hostileJob is a job whose token the attacker has.
type hostileJob struct {
	s                     *siege
	id, token             string
	buildID, build, agent string // build is a path
}

// fields are members of a JSON object.
type fields map[string]any

// call sends a request of the attacker's, with the scheme that the address takes, and returns the status and the answer.
func (s *siege) call(token, method, path string, body any) (status int, answer fields) {
	s.t.Helper()
	var text io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		text = bytes.NewReader(encoded)
	}
	req, err := http.NewRequest(method, s.url+path, text)
	if err != nil {
		s.t.Fatal(err)
	}
	scheme := "Bearer "
	if strings.HasPrefix(path, "/v3/") {
		scheme = "Token "
	}
	req.Header.Set("Authorization", scheme+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil
	}
	_ = json.Unmarshal(read, &answer) // which may be a list
	return resp.StatusCode, answer
}

// must is call, before the attack: it has to succeed.
func (s *siege) must(token, method, path string, body any) fields {
	s.t.Helper()
	status, answer := s.call(token, method, path, body)
	if status/100 != 2 {
		s.t.Fatalf("%s %s: %d %v", method, path, status, answer)
	}
	return answer
}

// startHostileJob makes a cluster, a pipeline and a build, and lets an agent start its job.
func startHostileJob(s *siege) *hostileJob {
	s.t.Helper()
	const acme = "/v2/organizations/acme-inc"
	cluster := s.must(attackerToken, http.MethodPost, acme+"/clusters", fields{"name": "Hostile"})["id"].(string)
	queue := s.must(attackerToken, http.MethodPost, acme+"/clusters/"+cluster+"/queues", fields{"key": "default"})["id"].(string)
	s.must(attackerToken, http.MethodPatch, acme+"/clusters/"+cluster, fields{"default_queue_id": queue})
	agentToken := s.must(attackerToken, http.MethodPost, acme+"/clusters/"+cluster+"/tokens", fields{"description": "Hostile"})["token"].(string)
	s.must(attackerToken, http.MethodPost, acme+"/pipelines", fields{"name": "Hostile", "repository": "r", "cluster_id": cluster, "configuration": "steps: [{command: a}]"})
	build := s.must(attackerToken, http.MethodPost, acme+"/pipelines/hostile/builds", fields{"commit": "HEAD", "branch": "main"})
	session := s.must(agentToken, http.MethodPost, "/v3/register", fields{"name": "hostile", "version": "3.138.1"})["access_token"].(string)
	s.must(session, http.MethodPost, "/v3/connect", fields{})
	var taken map[string]any
	for end := time.Now().Add(30 * time.Second); taken == nil; {
		if time.Now().After(end) {
			s.t.Fatal("no job came")
		}
		taken, _ = s.must(session, http.MethodGet, "/v3/ping", nil)["job"].(map[string]any)
	}
	id := taken["id"].(string)
	token := s.must(session, http.MethodPut, "/v3/jobs/"+id+"/accept", fields{})["token"].(string)
	s.must(token, http.MethodPut, "/v3/jobs/"+id+"/start", fields{"started_at": time.Now().UTC().Format(time.RFC3339Nano)})
	number := fmt.Sprint(build["number"])
	return &hostileJob{s: s, id: id, token: token, buildID: build["id"].(string), build: acme + "/pipelines/hostile/builds/" + number, agent: agentToken}
}

// TestAttackMarkdownTables annotates a build with small texts that would become large tables, and looks at the largest that is let in.
func TestAttackMarkdownTables(t *testing.T) {
	t.Parallel()
	table := func(columns, rows int) string {
		return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat("|\n", rows)
	}
	huge := []string{table(2_000, 400_000), "x\n::-\n" + table(100_000, 49_000)} // the second after a line that only looks like one below a head
	besiegeJob(t, func(s *siege, j *hostileJob) {
		s.must(j.token, http.MethodPost, "/v3/jobs/"+j.id+"/annotations", fields{"context": "most", "body": table(500, 90)})
	}, func(ctx context.Context, s *siege, j *hostileJob) {
		s.many(ctx, 40, func(context.Context) {
			for _, body := range huge {
				if status, _ := s.call(j.token, http.MethodPost, "/v3/jobs/"+j.id+"/annotations", fields{"body": body}); status/100 == 2 {
					s.t.Errorf("a table of hundreds of millions of cells is answered with %d", status)
				}
			}
			s.call(attackerToken, http.MethodGet, j.build+"/annotations", nil)
		})
	})
}

// TestAttackMarkdownAppends appends to an annotation that is nearly as long as it may be, in parts of a byte, and in shapes that are slow.
func TestAttackMarkdownAppends(t *testing.T) {
	t.Parallel()
	path := func(j *hostileJob) string { return "/v3/jobs/" + j.id + "/annotations" }
	besiegeJob(t, func(s *siege, j *hostileJob) {
		s.must(j.token, http.MethodPost, path(j), fields{"context": "long", "body": strings.Repeat("[a](", 250_000)})
	}, func(ctx context.Context, s *siege, j *hostileJob) {
		slow := []string{strings.Repeat("[a]: b\n", 140_000), strings.Repeat("a <?", 250_000), "[a]: http://e.example/" + strings.Repeat("a", 500_000) + strings.Repeat("\n\n[a]", 90_000)}
		s.many(ctx, 40, func(context.Context) {
			s.call(j.token, http.MethodPost, path(j), fields{"context": "long", "body": "[", "append": true})
			for _, body := range slow {
				s.call(j.token, http.MethodPost, path(j), fields{"context": "slow", "body": body})
			}
		})
	})
}

// TestAttackArtifactPatterns searches for artifacts with long paths, with patterns that have many wildcards.
func TestAttackArtifactPatterns(t *testing.T) {
	t.Parallel()
	besiegeJob(t, func(s *siege, j *hostileJob) {
		for batch := range 30 {
			var files []fields
			for i := range 30 {
				files = append(files, fields{"path": strings.Repeat("a/", 200) + fmt.Sprintf("%03d%02d", batch, i) + strings.Repeat("a", 600), "file_size": 1})
			}
			s.must(j.token, http.MethodPost, "/v3/jobs/"+j.id+"/artifacts",
				fields{"id": fmt.Sprintf("00000000-0000-4000-8000-%012d", batch), "artifacts": files, "upload_destination": "s3://bucket"})
		}
	}, func(ctx context.Context, s *siege, j *hostileJob) {
		s.many(ctx, 40, func(context.Context) {
			for _, query := range []string{strings.Repeat("**/", 200) + "b", strings.Repeat("*a", 19) + "*b", strings.Repeat("a/**/", 20) + "b"} {
				s.call(j.token, http.MethodGet, "/v3/builds/"+j.buildID+"/artifacts/search?state=new&query="+query, nil)
			}
			s.call(attackerToken, http.MethodGet, j.build+"/artifacts?path="+strings.Repeat("*a", 19)+"*b", nil)
			s.call(attackerToken, http.MethodPost, "/v1", fields{"query": `{viewer{builds(first:10,branch:"` + strings.Repeat("*a", 20) + `"){count}}}`})
		})
	})
}

// TestAttackLogs sends logs of long lines, of escapes and of compressed emptiness, and has them shown and searched.
func TestAttackLogs(t *testing.T) {
	t.Parallel()
	bomb := compress(strings.Repeat("\x00", 60<<20))
	texts := []string{strings.Repeat("x", 1<<20), strings.Repeat("\x1b[31m", 150_000), strings.Repeat("\x1b]8;;http://a\x07", 70_000), strings.Repeat("\r\n", 500_000)}
	besiegeJob(t, func(_ *siege, j *hostileJob) {
		offset := 0
		for i, text := range texts {
			if status := j.sendChunk(i+1, offset, text); status/100 != 2 {
				j.s.t.Fatalf("a piece of a log is answered with %d", status)
			}
			offset += len(text)
		}
	}, func(ctx context.Context, s *siege, j *hostileJob) {
		log := j.build + "/jobs/" + j.id + "/log"
		s.many(ctx, 40, func(context.Context) {
			j.sendCompressed(1, 0, 60<<20, bomb)
			for _, path := range []string{log, log + ".html", log + ".txt"} {
				s.call(attackerToken, http.MethodGet, path, nil)
			}
		})
	})
}

// sendChunk sends a piece of the job's log.
func (j *hostileJob) sendChunk(sequence, offset int, text string) (status int) {
	return j.sendCompressed(sequence, offset, len(text), compress(text))
}

// compress returns a text as agents send it.
func compress(text string) []byte {
	var body bytes.Buffer
	compressed := gzip.NewWriter(&body)
	_, _ = io.WriteString(compressed, text) // a buffer takes everything
	_ = compressed.Close()
	return body.Bytes()
}

// sendCompressed sends a piece of the job's log that has so many bytes when it is unpacked.
func (j *hostileJob) sendCompressed(sequence, offset, size int, body []byte) (status int) {
	url := fmt.Sprintf("%s/v3/jobs/%s/chunks?sequence=%d&offset=%d&size=%d", j.s.url, j.id, sequence, offset, size)
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		j.s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+j.token)
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("Content-Type", "text/plain")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestAttackDocuments sends pipelines, cache policies and uploads whose YAML, JSON and conditions would grow.
func TestAttackDocuments(t *testing.T) {
	t.Parallel()
	var aliases strings.Builder
	aliases.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&aliases, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9)+fmt.Sprintf("*a%d", i-1))
	}
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	matrix := `{"setup":{` + strings.TrimSuffix(repeatNumbered(`"d%d":["1","2","3","4","5","6","7","8","9"],`, 6), ",") + `}}`
	besiegeJob(t, nil, func(ctx context.Context, s *siege, j *hostileJob) {
		s.many(ctx, 40, func(context.Context) {
			for _, configuration := range []string{aliases.String() + "steps: *a8\n", "steps: " + deep, "steps: [{command: a, parallelism: 1000000000}]", "steps: [{command: a, matrix: " + matrix + "}]"} {
				status, _ := s.call(attackerToken, http.MethodPost, "/v2/organizations/acme-inc/pipelines", fields{"name": "Documents", "repository": "r", "configuration": configuration})
				if status == http.StatusInternalServerError {
					s.t.Errorf("a configuration is answered with %d", status)
				}
			}
			s.call(j.token, http.MethodPost, "/v3/jobs/"+j.id+"/pipelines", fields{"uuid": "00000000-0000-4000-8000-000000000001", "pipeline": fields{"steps": []any{fields{"command": "a", "parallelism": 1e9}}}})
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v2/organizations/acme-inc/pipelines", strings.NewReader(`{"name": `+deep+`}`))
			if err != nil {
				return
			}
			req.Header.Set("Authorization", "Bearer "+attackerToken)
			req.Header.Set("Content-Type", "application/json")
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
	})
}

// TestAttackCursorsAndSearches sends cursors and search texts that are as long as a request may be.
func TestAttackCursorsAndSearches(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("%", 15_000)
	besiege(t, nil, createPipelines(300, ""), func(ctx context.Context, s *siege) {
		s.many(ctx, 40, func(context.Context) {
			for _, path := range []string{"/pipelines?name=", "/pipelines?repository=", "/audit-events?after=", "/clusters?page="} {
				s.call(attackerToken, http.MethodGet, "/v2/organizations/acme-inc"+path+strings.ReplaceAll(long, "%", "%25"), nil)
			}
			s.call(attackerToken, http.MethodPost, "/v1", fields{"query": `{organization(slug:"acme-inc"){pipelines(first:100,search:"` + strings.Repeat("%a", 9_000) + `"){count nodes{name}}}}`})
			s.call(attackerToken, http.MethodPost, "/v1", fields{"query": `{organization(slug:"acme-inc"){pipelines(first:100,after:"` + strings.Repeat("A", 100_000) + `"){count}}}`})
		})
	})
}

// TestAttackHalfSentBodiesBesideTheInnocent sends half of requests from the address of the innocent caller, whose own agents come from there.
func TestAttackHalfSentBodiesBesideTheInnocent(t *testing.T) {
	t.Parallel()
	half := func(path string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: penstock\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
	}
	requests := 300 // more than the share of an address
	if fewPlaces() != nil {
		requests = 60
	}
	besiege(t, fewPlaces(), nil, func(ctx context.Context, s *siege) {
		s.many(ctx, requests, func(ctx context.Context) {
			s.hold(ctx, half("/v3/register"))
			s.hold(ctx, half("/sign-in"))
			<-ctx.Done() // how many come a second is another attack
		})
	})
}
