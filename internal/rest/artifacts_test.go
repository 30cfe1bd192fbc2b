package rest_test

import (
	"crypto/sha1"
	"encoding/hex"
	"io"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
	"penstock/internal/testkit"
)

// announce tells of a file that the job is about to upload, and returns its artifact's id and the ticket to upload it with.
func (j running) announce(path, content, destination string) (id, ticket string) {
	j.r.t.Helper()
	sum := sha1.Sum([]byte(content))
	in := domain.ArtifactInput{Path: path, FileSize: int64(len(content)), SHA1Sum: hex.EncodeToString(sum[:]), ContentType: "text/plain"}
	if strings.HasPrefix(destination, "http") {
		in.URL = destination + "/" + path
	}
	told, err := j.r.s.Artifacts.CreateArtifacts(j.r.t.Context(), j.token, j.ID,
		artifacts.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{in}, UploadDestination: destination})
	if err != nil {
		j.r.t.Fatal(err)
	}
	return string(told.IDs[0]), told.Ticket
}

// end notes that an artifact was uploaded, or could not be.
func (j running) end(artifact string, state domain.ArtifactState) {
	j.r.t.Helper()
	if err := j.r.s.Artifacts.UpdateArtifacts(j.r.t.Context(), j.token, j.ID, []artifacts.ArtifactChange{{ID: artifact, State: state}}); err != nil {
		j.r.t.Fatal(err)
	}
}

// store uploads a file, and returns its artifact's id.
func (j running) store(path, content string) string {
	j.r.t.Helper()
	id, ticket := j.announce(path, content, "")
	upload, err := j.r.s.Artifacts.OpenUpload(j.r.t.Context(), authz.Actor{}, ticket, path)
	if err == nil {
		_, err = j.r.s.Artifacts.StoreUpload(j.r.t.Context(), authz.Actor{}, upload, strings.NewReader(content))
	}
	if err != nil {
		j.r.t.Fatal(err)
	}
	j.end(id, domain.ArtifactFinished)
	return id
}

// download returns the content at an address that the API has given out.
func download(t testing.TB, s *testkit.Server, address string) (string, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	id, found := strings.CutPrefix(u.Path, "/v3/artifacts/")
	id, isDownload := strings.CutSuffix(id, "/download")
	if !found || !isDownload || !strings.HasPrefix(address, s.URL+"/") {
		t.Fatalf("%s is no address of an artifact", address)
	}
	d, err := s.Artifacts.OpenDownload(t.Context(), authz.Actor{}, id, u.Query().Get("ticket"))
	if err != nil {
		return "", err
	}
	defer func() { _ = d.Content.Close() }()
	content, err := io.ReadAll(d.Content)
	return string(content), err
}

func TestArtifactFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		id := j.store("dist/app/ü b.txt", "hello")
		at := s.URL + path + "/artifacts/" + id
		want := map[string]any{
			"id": id, "job_id": j.ID, "url": at, "download_url": at + "/download", "state": "finished", "path": "dist/app/ü b.txt", "dirname": "dist/app",
			"filename": "ü b.txt", "mime_type": "text/plain", "file_size": 5.0, "glob_path": nil, "original_path": nil, "sha1sum": "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d",
		}
		for _, path := range []string{path + "/artifacts/" + id, "/v2/organizations/acme-inc/jobs/" + j.ID + "/artifacts/" + id} {
			if got := s.Get(testkit.MemberToken, path).Want(t, 200).Object(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, not %v", path, got, want)
			}
		}
		for _, path := range []string{path, strings.TrimSuffix(path, "/jobs/"+j.ID), "/v2/organizations/acme-inc/jobs/" + j.ID} {
			if got := s.Get(testkit.MemberToken, path+"/artifacts").Want(t, 200).List(); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
				t.Errorf("%s: %v, not %v", path, got, want)
			}
		}
		// It is nowhere else.
		other := createdBuild(t, s, createdBuilt(t, s, "Other", "steps: [{command: make}]"))
		otherJob := pathOf(s, other) + "/jobs/" + jobsIn(other)[0]["id"].(string)
		s.Get(testkit.AdminToken, otherJob+"/artifacts/"+id).WantMessage(t, 404, "No artifact found")
		s.Get(testkit.AdminToken, otherJob+"/artifacts/"+id+"/download").WantMessage(t, 404, "No artifact found")
		s.Get(testkit.AdminToken, path+"/artifacts/nonsense").WantMessage(t, 404, "No artifact found")
		if got := s.Get(testkit.AdminToken, otherJob+"/artifacts").Want(t, 200).List(); len(got) != 0 {
			t.Errorf("another job has %v", got)
		}
		s.Get(testkit.OutsiderToken, path+"/artifacts/"+id).Want(t, 404)
	})
}

func TestArtifactsAreChosen(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		for _, name := range []string{"log/b.txt", "log/a.txt", "a%_.bin", "LOG/c.txt"} {
			j.store(name, name)
		}
		j.announce("new", "x", "")
		failed, _ := j.announce("failed", "x", "")
		j.end(failed, domain.ArtifactError)
		build := strings.TrimSuffix(path, "/jobs/"+j.ID)
		for query, want := range map[string]string{
			"":                                 "[LOG/c.txt a%_.bin failed log/a.txt log/b.txt new]",
			"?state=finished":                  "[LOG/c.txt a%_.bin log/a.txt log/b.txt]",
			"?state[]=new&state[]=error":       "[failed new]",
			"?state=deleted":                   "[]",
			"?path=log/a.txt":                  "[log/a.txt]",
			"?path=log/*":                      "[log/a.txt log/b.txt]",
			"?path=*.txt&state=finished":       "[LOG/c.txt log/a.txt log/b.txt]",
			"?path=a%25_*":                     "[a%_.bin]",
			"?path=%25*":                       "[]",
			"?per_page=2&page=2":               "[failed log/a.txt]",
			"?path=*" + strings.Repeat("x", 9): "[]",
		} {
			for _, list := range []string{build, path} {
				if got := column(s.Get(testkit.MemberToken, list+"/artifacts"+query).Want(t, 200).List(), "path"); got != want {
					t.Errorf("%s: %s, not %s", query, got, want)
				}
			}
		}
		s.Get(testkit.MemberToken, path+"/artifacts?state=lost").WantMessage(t, 400, "state must be one of new, error, finished, deleted, expired")
		s.Get(testkit.MemberToken, path+"/artifacts?page=0").Want(t, 400)
		s.Get(testkit.MemberToken, path+"/artifacts?path="+strings.Repeat("*a", 20)).Want(t, 200)
		for _, list := range []string{build, path} {
			s.Get(testkit.MemberToken, list+"/artifacts?path="+strings.Repeat("*a", 21)).WantMessage(t, 400, "path has too many wildcards (maximum is 20)")
			s.Get(testkit.MemberToken, list+"/artifacts?path="+strings.Repeat("a", 4097)).WantMessage(t, 400, "path is too long (maximum is 4096 bytes)")
			s.Get(testkit.MemberToken, list+"/artifacts?path=*"+strings.Repeat("a", 255)).WantMessage(t, 400, "path is too long (maximum is 255 bytes with wildcards)")
		}
		for _, list := range []string{"/v2/builds", "/v2/organizations/acme-inc/builds", strings.TrimSuffix(build, build[strings.LastIndexByte(build, '/'):])} {
			s.Get(testkit.AdminToken, list+"?branch[]="+strings.Repeat("*a", 11)+"&branch[]="+strings.Repeat("*a", 11)).
				WantMessage(t, 400, "branch has too many wildcards (maximum is 20)")
		}
	})
}

func TestArtifactDownload(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		id := j.store("a.txt", "hello")
		answer := s.Get(testkit.MemberToken, path+"/artifacts/"+id+"/download").Want(t, 302)
		address := answer.Text("url")
		if answer.Header.Get("Location") != address || answer.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", answer.Header)
		}
		if content, err := download(t, s, address); err != nil || content != "hello" {
			t.Errorf("%q, %v", content, err)
		}
		// The address is good for a minute, for this artifact.
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(u.Query().Get("ticket"), ".")
		until, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if left := time.Until(time.Unix(until, 0)); left > time.Minute+2*time.Second || left < 0 {
			t.Errorf("the address is good for %s", left)
		}
		other := j.store("b.txt", "secret")
		if content, err := download(t, s, strings.Replace(address, id, other, 1)); domain.CodeOf(err) != domain.Forbidden {
			t.Errorf("another artifact: %q, %v", content, err)
		}
		// What is not there cannot be downloaded.
		unfinished, _ := j.announce("new", "x", "")
		s.Get(testkit.MemberToken, path+"/artifacts/"+unfinished+"/download").WantMessage(t, 404, "The artifact can't be downloaded: its state is new")
		// What agents keep elsewhere is there.
		elsewhere, _ := j.announce("c.txt", "x", "https://files.example.com/kept")
		j.end(elsewhere, domain.ArtifactFinished)
		if at := s.Get(testkit.MemberToken, path+"/artifacts/"+elsewhere+"/download").Want(t, 302).Header.Get("Location"); at != "https://files.example.com/kept/c.txt" {
			t.Errorf("kept at %s", at)
		}
		bucket, _ := j.announce("d.txt", "x", "s3://bucket")
		j.end(bucket, domain.ArtifactFinished)
		s.Get(testkit.MemberToken, path+"/artifacts/"+bucket+"/download").WantMessage(t, 404,
			"The artifact can't be downloaded: the agent that keeps it gave no address of it")
	})
}

func TestDeletingAnArtifact(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		id, kept := j.store("a.txt", "hello"), j.store("b.txt", "world")
		address := s.Get(testkit.AdminToken, path+"/artifacts/"+id+"/download").Text("url")
		keptAt := s.Get(testkit.AdminToken, path+"/artifacts/"+kept+"/download").Text("url")
		s.Delete(testkit.OutsiderToken, path+"/artifacts/"+id).Want(t, 404)
		for range 2 { // again, it changes nothing
			s.Delete(testkit.AdminToken, path+"/artifacts/"+id).Want(t, 204)
		}
		if state := s.Get(testkit.AdminToken, path+"/artifacts/"+id).Want(t, 200).Text("state"); state != "deleted" {
			t.Errorf("the state is %s", state)
		}
		s.Get(testkit.AdminToken, path+"/artifacts/"+id+"/download").Want(t, 404)
		if content, err := download(t, s, address); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("%q, %v", content, err)
		}
		if err := s.Artifacts.DeleteBlobs(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		if content, err := download(t, s, keptAt); err != nil || content != "world" {
			t.Errorf("the other one: %q, %v", content, err)
		}
		s.Delete(testkit.AdminToken, path+"/artifacts/"+domain.NewID[string]()).WantMessage(t, 404, "No artifact found")
	})
}
