package agentapi_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/blob"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
	"penstock/internal/testkit/s3server"
)

// artifactServer is a server on which jobs have artifacts.
type artifactServer struct {
	*running.Server
	blobs  blob.Store
	tokens map[string]string // to register agents with, of each cluster
}

// eachArtifactServer runs fn as a subtest on a server of each engine: on SQLite with blobs in a directory, on PostgreSQL with blobs in S3.
func eachArtifactServer(t *testing.T, fn func(t *testing.T, s *artifactServer)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newArtifactServer(t, d)) })
}

func newArtifactServer(t *testing.T, d *db.DB) *artifactServer {
	t.Helper()
	s := &artifactServer{blobs: openBlobs(t, d.Engine()), tokens: map[string]string{}}
	s.Server = running.NewNode(t, d, running.Options{Blobs: s.blobs, Prefix: "/below"})
	s.Bootstrap()
	for _, cluster := range []string{running.Cluster, running.SecondCluster} {
		s.tokens[cluster] = s.NewAgentToken(cluster, domain.AgentTokenInput{})
	}
	return s
}

func openBlobs(t *testing.T, engine string) blob.Store {
	t.Helper()
	if engine == "sqlite" {
		return running.OpenDirectory(t)
	}
	server := s3server.Start(t)
	server.MakeBucket(t, "blobs")
	store, err := blob.OpenS3(blob.S3Options{Endpoint: server.Endpoint, Region: s3server.Region, Bucket: "blobs", AccessKeyID: s3server.AccessKeyID,
		SecretKey: s3server.SecretKey, Roots: server.Roots})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// answer is what the server answered.
type answer struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

func (s *artifactServer) do(request *http.Request, err error) answer {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return answer{s.T, request.Method + " " + request.URL.Path, response.StatusCode, response.Header, body}
}

// call sends a request with a token and a JSON body.
func (s *artifactServer) call(method, path, token string, body any) answer {
	s.T.Helper()
	a := s.Send(method, path, token, body)
	return answer{s.T, method + " " + path, a.Status, a.Header, a.Body}
}

// send sends a request to an address.
func (s *artifactServer) send(method, address string, content []byte, header ...string) answer {
	s.T.Helper()
	request, err := http.NewRequestWithContext(s.T.Context(), method, address, bytes.NewReader(content))
	for i := 0; i+1 < len(header) && err == nil; i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return s.do(request, err)
}

func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d %.500s; want %d", a.what, a.status, a.body, status)
	}
	return a
}

// refused checks the status and what the message begins with.
func (a answer) refused(status int, message string) {
	a.t.Helper()
	var in struct{ Message string }
	_ = json.Unmarshal(a.body, &in)
	if a.status != status || !strings.HasPrefix(in.Message, message) {
		a.t.Errorf("%s: %d %.500s; want %d %s", a.what, a.status, a.body, status, message)
	}
}

func (a answer) decode(value any) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, value); err != nil {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.body)
	}
}

// artifactJob is a job that an agent runs.
type artifactJob struct {
	s                *artifactServer
	id, token, build string
	number           int64
	slug             string // of the pipeline
}

// start creates a build of a new pipeline in a cluster, with one job, which an agent starts.
func (s *artifactServer) start(cluster string) *artifactJob {
	s.T.Helper()
	return s.startAll(cluster, "steps: [{command: make, key: make, label: Make it}]")[0]
}

// startAll is start for all jobs of a build that can start at once.
func (s *artifactServer) startAll(cluster, configuration string) (jobs []*artifactJob) {
	s.T.Helper()
	slug := s.Pipeline(configuration, func(in *domain.PipelineInput) { in.ClusterID = domain.Some(cluster) })
	b := s.Build(slug)
	for {
		j := s.next(cluster)
		if j == nil {
			return jobs
		}
		j.build, j.number, j.slug = string(b.ID), b.Number, slug
		jobs = append(jobs, j)
	}
}

// next has a new agent of a cluster start the job that is assigned to it; nil if there is none.
func (s *artifactServer) next(cluster string) *artifactJob {
	s.T.Helper()
	s.Token = s.tokens[cluster]
	a := s.NewAgent()
	id := a.Ping()
	if id == "" {
		return nil
	}
	return &artifactJob{s: s, id: id, token: a.Start(id).Token}
}

func (j *artifactJob) call(method, below string, body any) answer {
	j.s.T.Helper()
	return j.s.call(method, "jobs/"+j.id+"/"+below, j.token, body)
}

// keys returns the keys of all objects that there are.
func (s *artifactServer) keys() (keys []string) {
	s.T.Helper()
	for info, err := range s.blobs.List(s.T.Context(), "") {
		if err != nil {
			s.T.Fatal(err)
		}
		keys = append(keys, info.Key)
	}
	return keys
}

// announced is how an agent is told to upload.
type announced struct {
	ID                 string
	ArtifactIDs        []string                `json:"artifact_ids"`
	UploadInstructions instructions            `json:"upload_instructions"`
	PerArtifact        map[string]instructions `json:"per_artifact_instructions"`
}

type instructions struct {
	Action  action
	Actions []action
	Data    map[string]string
}

type action struct {
	URL, Method, Path string
	FileInput         string `json:"file_input"`
	PartNumber        int    `json:"part_number"`
}

// describe returns what agents say of a file.
func describe(path string, content []byte) map[string]any {
	sum1, sum256 := sha1.Sum(content), sha256.Sum256(content)
	return map[string]any{
		"path": path, "absolute_path": "/builds/" + path, "glob_path": "", "file_size": len(content), "sha1sum": hex.EncodeToString(sum1[:]),
		"sha256sum": hex.EncodeToString(sum256[:]), "content_type": "text/plain",
	}
}

// announce announces files.
func (j *artifactJob) announce(files ...map[string]any) answer {
	j.s.T.Helper()
	return j.call("POST", "artifacts", map[string]any{"id": domain.NewID[string](), "artifacts": files, "upload_destination": "", "multipart_supported": true})
}

// form returns a form with fields before a file, and its type.
func form(t testing.TB, fields [][2]string, name string, content []byte) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, field := range fields {
		if err := w.WriteField(field[0], field[1]); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		file, err := w.CreateFormFile("file", name)
		if err == nil {
			_, err = file.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

// uploadForm uploads a file as an agent does that is told so.
func (s *artifactServer) uploadForm(to instructions, path string, content []byte) answer {
	s.T.Helper()
	var fields [][2]string
	for name, value := range to.Data { // in random order, as agents do it
		fields = append(fields, [2]string{name, strings.ReplaceAll(value, "${artifact:path}", path)})
	}
	return s.sendForm(to, fields, path, content)
}

func (s *artifactServer) sendForm(to instructions, fields [][2]string, path string, content []byte) answer {
	s.T.Helper()
	body, contentType := form(s.T, fields, path, content)
	at := strings.TrimSuffix(to.Action.URL, "/below") + to.Action.Path
	return s.send(to.Action.Method, at, body, "Content-Type", contentType)
}

// upload announces, uploads and finishes files, and returns their ids.
func (j *artifactJob) upload(files map[string][]byte) map[string]string {
	j.s.T.Helper()
	ids := map[string]string{}
	for path, content := range files {
		var told announced
		j.announce(describe(path, content)).want(200).decode(&told)
		j.s.uploadForm(told.UploadInstructions, path, content).want(200)
		j.finish(told.ArtifactIDs[0]).want(200)
		ids[path] = told.ArtifactIDs[0]
	}
	return ids
}

// finish says that artifacts were uploaded.
func (j *artifactJob) finish(ids ...string) answer {
	j.s.T.Helper()
	var states []map[string]any
	for _, id := range ids {
		states = append(states, map[string]any{"id": id, "state": "finished"})
	}
	return j.call("PUT", "artifacts", map[string]any{"artifacts": states})
}

// found is an artifact that a search has found.
type found struct {
	ID, Path, SHA1Sum, SHA256Sum, URL string
	JobID                             string `json:"job_id"`
	FileSize                          int64  `json:"file_size"`
	CreatedAt                         string `json:"created_at"`
	UploadDestination                 string `json:"upload_destination"`
}

// search searches the artifacts of a build.
func (j *artifactJob) search(build, query string, more ...string) answer {
	j.s.T.Helper()
	return j.s.call("GET", "builds/"+build+"/artifacts/search?state=finished&query="+url.QueryEscape(query)+strings.Join(more, ""), j.token, nil)
}

// paths searches, and returns the paths that were found.
func (j *artifactJob) paths(query string, more ...string) (paths []string) {
	j.s.T.Helper()
	var all []found
	j.search(j.build, query, more...).want(200).decode(&all)
	for _, f := range all {
		paths = append(paths, f.Path)
	}
	return paths
}
