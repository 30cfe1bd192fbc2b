package agentapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func randomBytes(seed byte, size int) []byte {
	all, err := io.ReadAll(io.LimitReader(rand.NewChaCha8([32]byte{seed}), int64(size)))
	if err != nil {
		panic(err)
	}
	return all
}

// find returns the one artifact that a search finds.
func (j *artifactJob) find(query string) found {
	j.s.T.Helper()
	var all []found
	j.search(j.build, query).want(200).decode(&all)
	if len(all) != 1 {
		j.s.T.Fatalf("%q finds %d artifacts: %+v", query, len(all), all)
	}
	return all[0]
}

func TestArtifactsAreUploadedAndDownloaded(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		files := map[string][]byte{
			"empty": {}, "a.txt": []byte("hello"), "dist/ü b.txt": []byte("umlaut"), "dist/\r\n--x \"q\"": []byte("lines"), "../../etc/passwd": []byte("root"),
			"dist/large.bin": randomBytes(1, 3<<20+7),
		}
		for path, id := range j.upload(files) {
			f := j.find(strings.ReplaceAll(path, "*", ""))
			want := describe(path, files[path])
			if f.ID != id || f.JobID != j.id || f.FileSize != int64(len(files[path])) || f.SHA1Sum != want["sha1sum"] || f.SHA256Sum != want["sha256sum"] {
				t.Errorf("found %+v of %s", f, path)
			}
			got := s.send("GET", f.URL, nil).want(200)
			if !bytes.Equal(got.body, files[path]) {
				t.Errorf("%s has %d bytes, not %d", path, len(got.body), len(files[path]))
			}
		}
		// No name becomes that of an object.
		for _, key := range s.keys() {
			if _, isID := domain.ParseID[string](key[strings.LastIndexByte(key, '/')+1:]); !isID || strings.Count(key, "/") != 2 {
				t.Errorf("the key %s", key)
			}
		}
	})
}

func TestArtifactsOfSeveralBatches(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		var files []map[string]any
		for i := range 65 {
			files = append(files, describe(fmt.Sprintf("log/%02d.log", i), []byte(strconv.Itoa(i))))
		}
		j.announce(files[:31]...).refused(422, "artifacts must list 1 to 30 artifacts")
		j.announce().refused(422, "artifacts must list 1 to 30 artifacts")
		batches := 0
		for batch := range slices.Chunk(files, 30) {
			batches++
			var told announced
			j.announce(batch...).want(200).decode(&told)
			if len(told.ArtifactIDs) != len(batch) {
				t.Fatalf("%d ids for %d artifacts", len(told.ArtifactIDs), len(batch))
			}
			for i, file := range batch {
				path := file["path"].(string)
				s.uploadForm(told.UploadInstructions, path, []byte(strconv.Itoa((batches-1)*30+i))).want(200)
			}
			j.finish(told.ArtifactIDs...).want(200)
			j.finish(told.ArtifactIDs...).want(200) // the answer was lost
		}
		if found := j.paths("log/*"); batches != 3 || len(found) != 65 {
			t.Errorf("%d batches, %d artifacts", batches, len(found))
		}
	})
}

func TestABatchIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		batch := map[string]any{"id": domain.NewID[string](), "multipart_supported": true,
			"artifacts": []any{describe("b", []byte("b")), describe("a", []byte("a")), map[string]any{"path": "large", "file_size": 200 << 20}}}
		var answers [8]announced
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { j.call("POST", "artifacts", batch).want(200).decode(&answers[i]) })
		}
		all.Wait()
		for _, told := range answers {
			if !slices.Equal(told.ArtifactIDs, answers[0].ArtifactIDs) || len(told.ArtifactIDs) != 3 || len(told.PerArtifact[told.ArtifactIDs[2]].Actions) != 4 {
				t.Errorf("the batch has the artifacts %v, and before %v", told, answers[0])
			}
		}
		if n := s.Text(`SELECT CAST(count(*) AS TEXT) FROM artifacts WHERE job_id = $1`, j.id); n != "3" {
			t.Errorf("there are %s artifacts", n)
		}
		uploads := 0
		for _, err := range s.blobs.ListUploads(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			uploads++
		}
		if uploads != 1 {
			t.Errorf("%d uploads in parts have begun", uploads)
		}
		batch["artifacts"] = []any{describe("c", []byte("c"))}
		j.call("POST", "artifacts", batch).refused(422, "This id was already used for other artifacts")
		batch["id"] = "../x"
		j.call("POST", "artifacts", batch).refused(422, "id must be a UUID")
	})
}

func TestArtifactsThatAreRefused(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		of := func(changes map[string]any) map[string]any {
			file := describe("a", []byte("a"))
			for name, value := range changes {
				file[name] = value
			}
			return file
		}
		for _, c := range []struct {
			file    map[string]any
			status  int
			message string
		}{
			{of(map[string]any{"path": ""}), 422, "Artifact path can't be blank"},
			{of(map[string]any{"path": strings.Repeat("a", 5000)}), 422, "Artifact path is too long"},
			{of(map[string]any{"path": "a\x00b"}), 422, "Artifact path is too long (maximum is 1024 bytes), or not valid text"},
			{of(map[string]any{"file_size": -1}), 422, "Artifact file_size must not be negative"},
			{of(map[string]any{"file_size": "1"}), 400, "`artifacts.file_size` has the wrong type"},
			{of(map[string]any{"sha1sum": "abc"}), 422, "Artifact sha1sum must be 40 hexadecimal digits"},
			{of(map[string]any{"sha256sum": strings.Repeat("x", 64)}), 422, "Artifact sha256sum must be 64 hexadecimal digits"},
			{of(map[string]any{"file_size": 10<<30 + 1}), 403, "The artifact is too large: at most 10 GiB"},
		} {
			j.announce(c.file).refused(c.status, c.message)
		}
		whole := map[string]any{"id": domain.NewID[string](), "artifacts": []any{of(map[string]any{"file_size": 5<<30 + 1})}}
		j.call("POST", "artifacts", whole).refused(403, "The artifact is too large: at most 5 GiB")
		whole["upload_destination"] = "s3://bucket/there" // where it is not ours to say
		j.call("POST", "artifacts", whole).want(200)

		five := of(map[string]any{"file_size": 5 << 30})
		for range 10 {
			j.announce(five).want(200)
		}
		j.announce(of(nil)).refused(403, "The job's artifacts are too large: at most 50 GiB")

		other := s.start(running.Cluster)
		s.Exec(`INSERT INTO artifacts (id, organization_id, build_id, job_id, upload_id, path, path_key, absolute_path, glob_path, file_size, sha1sum, sha256sum,
			content_type, upload_destination, url, multipart_id, is_stored, state, created_at)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
			SELECT 'a' || n.i, j.organization_id, j.build_id, j.id, '', 'x', 'x', '', '', 0, '', '', '', '', '', NULL, FALSE, 'error', 0 FROM jobs j, n WHERE j.id = $1`, other.id)
		other.announce(of(nil), of(nil)).refused(403, "The job has too many artifacts: at most 5,000")
		other.announce(of(nil)).want(200)
		other.announce(of(nil)).refused(403, "The job has too many artifacts: at most 5,000")
	})
}

func TestUploadsThatAreNotAsAnnounced(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		content := []byte("what was announced")
		var told announced
		j.announce(describe("a.txt", content), describe("empty", nil)).want(200).decode(&told)
		to := told.UploadInstructions
		token := [2]string{"token", to.Data["token"]}

		s.uploadForm(to, "a.txt", []byte("WHAT WAS ANNOUNCED")).refused(422, "The content is not what was announced: its SHA-1 is")
		s.uploadForm(to, "a.txt", content[1:]).refused(422, "The content does not have the announced size")
		s.uploadForm(to, "a.txt", append(content, '!')).refused(422, "The content does not have the announced size")
		s.uploadForm(to, "empty", []byte("x")).refused(422, "The content does not have the announced size")
		s.uploadForm(to, "b.txt", content).refused(404, "No artifact with this path was announced")
		s.sendForm(to, [][2]string{{"path", "a.txt"}}, "a.txt", content).refused(403, "This address is not valid")
		s.sendForm(to, [][2]string{token}, "a.txt", content).refused(404, "No artifact with this path")
		s.sendForm(to, [][2]string{token, {"path", "a.txt"}}, "", nil).refused(400, "The form has no file")
		s.sendForm(to, [][2]string{token, {"path", strings.Repeat("a", 9<<10)}}, "a.txt", content).refused(400, "The form has too many fields, or too large ones")
		for _, bad := range []string{"x", token[1] + "x", "x" + token[1], strings.Replace(token[1], j.id, domain.NewID[string](), 1), "....", strings.Repeat(".", 5000)} {
			s.sendForm(to, [][2]string{{"token", bad}, {"path", "a.txt"}}, "a.txt", content).refused(403, "This address is not valid")
		}
		upload := s.URL + "/v3/artifacts/upload"
		s.send("POST", upload, content).refused(415, "The body must be a form")
		s.send("POST", upload, []byte("--x\r\n"), "Content-Type", "multipart/form-data; boundary=x").refused(400, "The form has no file")
		s.send("POST", upload, []byte("--x\r\nA"), "Content-Type", "multipart/form-data; boundary=x").refused(400, "The form can't be read")
		body, contentType := form(t, [][2]string{token, {"path", "a.txt"}}, "a.txt", content)
		s.send("POST", upload, body[:len(body)-30], "Content-Type", contentType).refused(400, "The upload ended early")
		s.send("POST", upload, append([]byte("--x\r\nContent-Disposition: form-data; name=a\r\nX: "), bytes.Repeat([]byte("a"), 1<<20)...),
			"Content-Type", "multipart/form-data; boundary=x").refused(400, "The form has too many fields, or too large ones")
		if keys := s.keys(); len(keys) != 0 {
			t.Errorf("what was refused is kept: %v", keys)
		}
		j.finish(told.ArtifactIDs[0]).refused(422, `The artifact "a.txt" has not been uploaded`)
		if found := j.paths("*"); len(found) != 0 {
			t.Errorf("found %v", found)
		}

		s.uploadForm(to, "a.txt", content).want(200)
		s.uploadForm(to, "a.txt", content).want(200) // the answer was lost
		j.finish(told.ArtifactIDs[0]).want(200)
		s.uploadForm(to, "a.txt", content).refused(422, "The artifact is no longer being uploaded")
		j.call("PUT", "artifacts", map[string]any{"artifacts": []any{map[string]any{"id": told.ArtifactIDs[1], "state": "error"}}}).want(200)
		s.uploadForm(to, "empty", nil).refused(422, "The artifact is no longer being uploaded")
		j.finish(told.ArtifactIDs[1]).refused(422, "The artifact is no longer being uploaded")
		j.call("PUT", "artifacts", map[string]any{"artifacts": []any{map[string]any{"id": told.ArtifactIDs[0], "state": "gone"}}}).refused(422, "state must be finished or error")
		j.finish(told.ArtifactIDs[0], told.ArtifactIDs[0]).refused(422, "An artifact is listed twice")
		j.finish("x").refused(404, "No artifact found")
		if got := s.send("GET", j.find("a.txt").URL, nil).want(200); !bytes.Equal(got.body, content) {
			t.Errorf("downloaded %q", got.body)
		}
	})
}

func TestTwoArtifactsWithOnePathInABatch(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		var told announced
		j.announce(describe("a", []byte("first")), describe("a", []byte("the second"))).want(200).decode(&told)
		s.uploadForm(told.PerArtifact[told.ArtifactIDs[1]], "a", []byte("the second")).want(200)
		s.uploadForm(told.PerArtifact[told.ArtifactIDs[0]], "a", []byte("first")).want(200)
		j.finish(told.ArtifactIDs...).want(200)
		if f := j.find("a"); f.ID != told.ArtifactIDs[1] {
			t.Errorf("found %+v, not the newest", f)
		}
		if all := j.paths("a", "&include_duplicates=true"); len(all) != 2 {
			t.Errorf("found %v", all)
		}
	})
}

// announceParts announces a large artifact, and returns it and how its parts are uploaded.
func announceParts(j *artifactJob) (content []byte, id string, to []action) {
	j.s.T.Helper()
	content = randomBytes(7, 100<<20+1)
	var told announced
	j.announce(describe("large.bin", content)).want(200).decode(&told)
	id = told.ArtifactIDs[0]
	return content, id, told.PerArtifact[id].Actions
}

func TestArtifactsInParts(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		content, id, to := announceParts(j)
		if len(to) != 2 || to[0].PartNumber != 1 || to[0].Method != http.MethodPut {
			t.Fatalf("the parts %+v", to)
		}
		first, second := content[:len(content)/2+1], content[len(content)/2+1:]
		tags := map[int]string{}
		put := func(number int, part []byte) {
			t.Helper()
			answer := s.send("PUT", to[number-1].URL, part).want(200)
			tags[number] = answer.header.Get("ETag")
		}
		complete := func(numbers ...int) answer {
			t.Helper()
			var parts []any
			for _, number := range numbers {
				parts = append(parts, map[string]any{"part_number": number, "etag": tags[number]})
			}
			body, err := json.Marshal(map[string]any{"artifacts": []any{map[string]any{"id": id, "state": "finished", "multipart": true, "multipart_etags": parts}}})
			if err != nil {
				t.Fatal(err)
			}
			return s.send("PUT", s.URL+"/v3/jobs/"+j.id+"/artifacts", body, "Authorization", "Token "+j.token)
		}
		// Out of order, and more than once.
		put(2, bytes.Repeat([]byte("x"), len(second)))
		wrong := tags[2]
		complete(1).refused(422, `The artifact "large.bin" has 2 parts`)
		put(2, second)
		put(1, first)
		put(1, first)
		s.send("PUT", to[0].URL, first[1:]).refused(400, "The length of a part must be known, and be what was announced")
		s.send("PUT", to[1].URL, first).refused(400, "The length of a part must be known, and be what was announced")
		s.send("PUT", strings.Replace(to[0].URL, "/parts/1", "/parts/2", 1), second).refused(403, "This address is not valid")
		s.send("PUT", strings.Replace(to[0].URL, "/parts/1", "/parts/x", 1), second).refused(404, "No part found")
		s.send("PUT", to[0].URL+"x", first).refused(403, "This address is not valid")
		complete(1).refused(422, `The artifact "large.bin" has 2 parts`)
		complete(1, 1).refused(422, `The artifact "large.bin" has 2 parts`)
		complete(1, 2, 3).refused(422, `The artifact "large.bin" has 2 parts`)
		right := tags[2]
		if tags[2] = wrong; wrong == right {
			t.Fatal("different parts have the same tag")
		}
		complete(1, 2).refused(422, `The parts of the artifact "large.bin" are not those that were uploaded`)
		tags[2] = right
		var all sync.WaitGroup // agents ask again when they hear nothing
		statuses := make([]int, 3)
		for i := range statuses {
			all.Go(func() { statuses[i] = complete(2, 1).status })
		}
		all.Wait()
		if !slices.Contains(statuses, 200) || slices.ContainsFunc(statuses, func(status int) bool { return status != 200 && status != 503 }) {
			t.Errorf("completing at the same time is answered with %v", statuses)
		}
		complete(1, 2).want(200)
		s.send("PUT", to[0].URL, first).refused(422, "The artifact is no longer being uploaded")
		if got := s.send("GET", j.find("*.bin").URL, nil).want(200); !bytes.Equal(got.body, content) {
			t.Errorf("downloaded %d bytes that are not what was uploaded", len(got.body))
		}
	})
}

func TestRangesOfArtifacts(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		content := randomBytes(3, 1000)
		j.upload(map[string][]byte{"dist/a b\"ü.txt": content, "page.html": []byte("<script>"), "picture.svg": []byte("<svg/>")})
		address := j.find("dist/*").URL
		for _, c := range []struct {
			header string
			status int
			want   []byte
		}{
			{"bytes=0-9", 206, content[:10]}, {"bytes=990-", 206, content[990:]}, {"bytes=-5", 206, content[995:]}, {"bytes=10-5000", 206, content[10:]},
			{"bytes=1000-", 416, nil}, {"lines=1-2", 416, nil},
		} {
			got := s.send("GET", address, nil, "Range", c.header)
			if got.status != c.status || c.want != nil && !bytes.Equal(got.body, c.want) {
				t.Errorf("%s: %d, %d bytes", c.header, got.status, len(got.body))
			}
		}
		both := s.send("GET", address, nil, "Range", "bytes=0-1,5-6").want(206)
		if !strings.HasPrefix(both.header.Get("Content-Type"), "multipart/byteranges") {
			t.Errorf("two ranges are sent as %s", both.header.Get("Content-Type"))
		}
		head := s.send("HEAD", address, nil).want(200)
		if head.header.Get("Content-Length") != "1000" || head.header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("the header %v", head.header)
		}
		s.send("GET", address, nil, "If-None-Match", head.header.Get("ETag")).want(304)
		for query, want := range map[string]string{
			"dist/*": `attachment; filename*=utf-8''a%20b%22%C3%BC.txt`, "page.html": "attachment; filename=page.html", "picture.svg": "attachment; filename=picture.svg",
		} {
			got := s.send("GET", j.find(query).URL, nil).want(200)
			if h := got.header; h.Get("Content-Disposition") != want || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
				!strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
				t.Errorf("%s is sent with %v", query, h)
			}
		}
	})
}

func TestBrowsersRunNoArtifacts(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"text/html": "application/octet-stream", "TEXT/HTML; charset=utf-8": "application/octet-stream", "image/svg+xml": "application/octet-stream",
		"application/xhtml+xml": "application/octet-stream", "text/javascript": "application/octet-stream", "": "application/octet-stream",
		"audio/x\r\nSet-Cookie: a": "application/octet-stream", "text/plain, text/html": "application/octet-stream",
		"text/plain": "text/plain; charset=utf-8", "Image/PNG": "image/png", "video/mp4": "video/mp4", "application/json": "application/json",
	} {
		a := domain.Artifact{ContentType: given}
		if got := a.ServedType(); got != want {
			t.Errorf("%q is sent as %q, not %q", given, got, want)
		}
	}
}

func TestSearchForArtifacts(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		jobs := s.startAll(running.Cluster, "steps: [{command: a, key: one, label: The first}, {command: b, key: two, label: The second}]")
		if len(jobs) != 2 {
			t.Fatalf("%d jobs", len(jobs))
		}
		one, two := jobs[0], jobs[1]
		one.upload(map[string][]byte{"dist/index.html": []byte("1"), "dist/js/a.js": []byte("2"), "dist/js/deep/b.js": []byte("3"), `win\dir\c.js`: []byte("4"), "same.txt": []byte("of one")})
		old := two.upload(map[string][]byte{"same.txt": []byte("of two"), "100%_[a].txt": []byte("5"), "twice.txt": []byte("old")})
		again := two.upload(map[string][]byte{"twice.txt": []byte("new")})
		for _, c := range []struct {
			query, more string
			want        []string
		}{
			{"dist/index.html", "", []string{"dist/index.html"}},
			{"index.html", "", nil},
			{"dist/*", "", []string{"dist/index.html", "dist/js/a.js", "dist/js/deep/b.js"}},
			{"dist/**", "", []string{"dist/index.html", "dist/js/a.js", "dist/js/deep/b.js"}},
			{"dist/**/*", "", []string{"dist/index.html", "dist/js/a.js", "dist/js/deep/b.js"}},
			{"dist/**/*.js", "", []string{"dist/js/a.js", "dist/js/deep/b.js"}},
			{"**/*.js", "", []string{"dist/js/a.js", "dist/js/deep/b.js", `win\dir\c.js`}},
			{"*.js", "", []string{"dist/js/a.js", "dist/js/deep/b.js", `win\dir\c.js`}},
			{"win/dir/*", "", []string{`win\dir\c.js`}},
			{`win\dir\c.js`, "", []string{`win\dir\c.js`}},
			{"100%_[a].txt", "", []string{"100%_[a].txt"}},
			{"1?0%*", "", nil},
			{"same.*", "", []string{"same.txt"}},
			{"same.*", "&include_duplicates=true", []string{"same.txt", "same.txt"}},
			{"same.txt", "&include_duplicates=true", []string{"same.txt", "same.txt"}},
			{"same.txt", "&scope=one", []string{"same.txt"}},
			{"same.txt", "&scope=The+second", []string{"same.txt"}},
			{"same.txt", "&scope=" + one.id, []string{"same.txt"}},
			{"same.txt", "&scope=none", nil},
			{"twice.txt", "", []string{"twice.txt"}},
		} {
			paths := one.paths(c.query, c.more)
			slices.Sort(paths)
			if !slices.Equal(paths, c.want) {
				t.Errorf("%s%s finds %v, not %v", c.query, c.more, paths, c.want)
			}
		}
		one.search(one.build, "same.txt").refused(400, "Multiple artifacts were found for query: `same.txt`. Try scoping by the job ID or name.")
		if f := one.find("same.*"); f.ID != old["same.txt"] {
			t.Errorf("found %+v, not the newest", f)
		}
		if f := one.find("twice.txt"); f.ID != again["twice.txt"] {
			t.Errorf("found %+v, not the newest", f)
		}
		if paths := one.paths(strings.Repeat("**/", 300)+"a.js", ""); !slices.Equal(paths, []string{"dist/js/a.js"}) {
			t.Errorf("many directories: %v", paths)
		}
		one.search(one.build, strings.Repeat("*a", 21)).refused(400, "query has too many wildcards (maximum is 20)")
		one.search(one.build, "").refused(400, "query must be a path")
		one.search(one.build, strings.Repeat("*a", 5000)).refused(400, "query must be a path")
		one.search("x", "*").refused(404, "No build found")
		var unfinished []found
		s.call("GET", "builds/"+one.build+"/artifacts/search?query=*&state=new", one.token, nil).want(200).decode(&unfinished)
		if len(unfinished) != 0 {
			t.Errorf("%d are new", len(unfinished))
		}
	})
}

// TestSearchReadsSomeArtifactsAtATime searches among more artifacts than are read at once, some of which have one path.
func TestSearchReadsSomeArtifactsAtATime(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		var last string
		for batch := range 20 {
			var files []any
			for i := range 30 {
				files = append(files, describe(fmt.Sprintf("%02d/%03d.txt", (batch+7)%20, i), []byte("x")))
			}
			files[0] = describe("same.txt", []byte("x"))
			var told announced
			j.call("POST", "artifacts", map[string]any{"id": domain.NewID[string](), "artifacts": files, "upload_destination": "s3://bucket"}).want(200).decode(&told)
			j.finish(told.ArtifactIDs...).want(200)
			last = told.ArtifactIDs[0]
		}
		paths := j.paths("**/*.txt", "")
		if unique := slices.Compact(slices.Sorted(slices.Values(paths))); len(paths) != 20*29+1 || len(unique) != len(paths) {
			t.Errorf("found %d, %d of them once", len(paths), len(unique))
		}
		if paths := j.paths("**/*.txt", "&include_duplicates=true"); len(paths) != 20*30 {
			t.Errorf("found %d with duplicates", len(paths))
		}
		if f := j.find("same.*"); f.ID != last {
			t.Errorf("found %s, not the newest %s", f.ID, last)
		}
	})
}

func TestArtifactsOfRetriedJobs(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		first := s.start(running.Cluster)
		first.upload(map[string][]byte{"a": []byte("of the first attempt"), "b": []byte("only there")})
		first.call("PUT", "finish", map[string]any{"exit_status": "1"}).want(200)
		if _, err := s.Builds.RetryJob(t.Context(), running.Admin, domain.JobRef{Organization: running.Organization, ID: first.id}); err != nil {
			t.Fatal(err)
		}
		second := s.next(running.Cluster)
		second.build = first.build
		newest := second.upload(map[string][]byte{"a": []byte("of the second attempt")})
		if paths := second.paths("*"); !slices.Equal(paths, []string{"a"}) {
			t.Errorf("found %v", paths)
		}
		if paths := second.paths("*", "&include_retried_jobs=true"); len(paths) != 2 {
			t.Errorf("found %v", paths)
		}
		if paths := second.paths("*", "&scope="+first.id); len(paths) != 2 {
			t.Errorf("found %v", paths)
		}
		var all []found
		second.search(second.build, "a", "&include_retried_jobs=true").want(200).decode(&all)
		if len(all) != 1 || all[0].ID != newest["a"] {
			t.Errorf("found %+v", all)
		}
	})
}

func TestArtifactsThatAgentsKeep(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		file := describe("a.txt", []byte("a"))
		file["url"] = "https://bucket.s3.amazonaws.com/there/a.txt"
		odd := describe("b.txt", []byte("b"))
		odd["url"] = "javascript:alert(1)"
		var told announced
		j.call("POST", "artifacts", map[string]any{"id": domain.NewID[string](), "artifacts": []any{file, odd}, "upload_destination": "s3://bucket/there"}).want(200).decode(&told)
		j.finish(told.ArtifactIDs...).want(200)
		if f := j.find("a.txt"); f.URL != file["url"] || f.UploadDestination != "s3://bucket/there" {
			t.Errorf("found %+v", f)
		}
		if f := j.find("b.txt"); f.URL != "" {
			t.Errorf("found %+v", f)
		}
		if keys := s.keys(); len(keys) != 0 {
			t.Errorf("there are the objects %v", keys)
		}
	})
}

func TestOthersArtifacts(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j, neighbour, stranger := s.start(running.Cluster), s.start(running.Cluster), s.start(running.SecondCluster)
		ids := j.upload(map[string][]byte{"a.txt": []byte("a")})
		var all []found
		neighbour.search(j.build, "*").want(200).decode(&all)
		if len(all) != 1 {
			t.Errorf("a job of the cluster finds %d artifacts", len(all))
		}
		stranger.search(j.build, "*").refused(404, "No build found")

		batch := map[string]any{"id": domain.NewID[string](), "artifacts": []any{describe("b", nil)}}
		finish := map[string]any{"artifacts": []any{map[string]any{"id": ids["a.txt"], "state": "error"}}}
		s.call("POST", "jobs/"+j.id+"/artifacts", neighbour.token, batch).refused(403, "This token is for another job")
		s.call("PUT", "jobs/"+j.id+"/artifacts", neighbour.token, finish).refused(403, "This token is for another job")
		neighbour.call("PUT", "artifacts", finish).refused(404, "No artifact found")
		for _, token := range []string{"", "x", "pnj_x", s.tokens[running.Cluster]} {
			s.call("POST", "jobs/"+j.id+"/artifacts", token, batch).refused(401, "Authentication required")
			s.call("PUT", "jobs/"+j.id+"/artifacts", token, finish).refused(401, "Authentication required")
			s.call("GET", "builds/"+j.build+"/artifacts/search?query=*", token, nil).refused(401, "Authentication required")
		}

		address := all[0].URL
		s.send("GET", strings.Replace(address, "ticket=", "ticket=x", 1), nil).refused(403, "This address is not valid")
		s.send("GET", address[:strings.Index(address, "?")], nil).refused(403, "This address is not valid")
		s.send("GET", strings.Replace(address, ids["a.txt"], domain.NewID[string](), 1), nil).refused(403, "This address is not valid")
		s.send("POST", address, nil).refused(405, "Method not allowed")
		// A key that is gone takes with it what it has signed.
		s.Exec(`DELETE FROM signing_keys`)
		s.send("GET", address, nil).refused(403, "This address is not valid")
	})
}

func TestAddressesOfArtifactsEnd(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		j.upload(map[string][]byte{"a.txt": []byte("a")})
		address := j.find("a.txt").URL
		s.send("GET", address, nil).want(200)
		// What it says of its end is signed.
		ticket := address[strings.Index(address, "ticket=")+len("ticket="):]
		words := strings.Split(ticket, ".")
		ends, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		later := strings.Join([]string{words[0], strconv.FormatInt(ends+3600, 10), words[2]}, ".")
		s.send("GET", strings.Replace(address, ticket, later, 1), nil).refused(403, "This address is not valid")
		s.Advance(7 * 24 * time.Hour)
		s.send("GET", address, nil).refused(403, "This address is not valid, or has expired")
	})
}

func TestArtifactsAreSweptUp(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		j := s.start(running.Cluster)
		ids := j.upload(map[string][]byte{"kept": []byte("kept"), "expired": []byte("expired")})
		var told announced
		j.announce(describe("stored", []byte("stored")), map[string]any{"path": "large", "file_size": 200 << 20}).want(200).decode(&told)
		s.uploadForm(told.UploadInstructions, "stored", []byte("stored")).want(200)
		sweep := func() {
			t.Helper()
			if err := s.Artifacts.SweepArtifacts(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
			if err := s.Artifacts.DeleteBlobs(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
		}
		sweep()
		if keys := s.keys(); len(keys) != 3 {
			t.Fatalf("there are the objects %v", keys)
		}
		s.Exec(`UPDATE artifacts SET created_at = created_at - $1 WHERE state = 'new'`, (domain.ArtifactUploadTime).Microseconds())
		s.Exec(`UPDATE artifacts SET expires_at = 1 WHERE id = $1`, ids["expired"])
		sweep()
		if keys := s.keys(); len(keys) != 1 || !strings.HasSuffix(keys[0], ids["kept"]) {
			t.Errorf("there are the objects %v", keys)
		}
		for upload, err := range s.blobs.ListUploads(t.Context(), "") {
			t.Errorf("there is the upload %v, %v", upload, err)
		}
		for id, want := range map[string]string{ids["kept"]: "finished", ids["expired"]: "expired", told.ArtifactIDs[0]: "error", told.ArtifactIDs[1]: "error"} {
			if state := s.Text(`SELECT state FROM artifacts WHERE id = $1`, id); state != want {
				t.Errorf("%s is %s, not %s", id, state, want)
			}
		}
		s.uploadForm(told.UploadInstructions, "stored", []byte("stored")).refused(422, "The artifact is no longer being uploaded")
		j.finish(told.ArtifactIDs[0]).refused(422, "The artifact is no longer being uploaded")

		// With the pipeline goes all that its jobs have made.
		_, err := s.Service.DeletePipeline(t.Context(), running.Admin, domain.PipelineRef{Organization: running.Organization, Slug: j.slug}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sweep()
		if keys := s.keys(); len(keys) != 0 {
			t.Errorf("there are the objects %v", keys)
		}
		if err := s.Artifacts.SweepArtifacts(t.Context(), authz.Actor{}); err == nil {
			t.Error("anybody may sweep")
		}
		if err := s.Artifacts.DeleteBlobs(t.Context(), authz.Actor{}); err == nil {
			t.Error("anybody may delete blobs")
		}
	})
}

// TestMemoryOfLargeArtifacts uploads and downloads 200 MB, and looks at the memory in use meanwhile. It runs alone.
func TestMemoryOfLargeArtifacts(t *testing.T) {
	const size, most = 200 << 20, 32 << 20
	s := newArtifactServer(t, testkit.OpenDB(t, "sqlite"))
	j := s.start(running.Cluster)
	var told announced
	j.call("POST", "artifacts", map[string]any{"id": domain.NewID[string](), "artifacts": []any{map[string]any{"path": "large", "file_size": size}}}).want(200).decode(&told)
	token := told.UploadInstructions.Data["token"]
	whole, contentType := form(t, [][2]string{{"path", "large"}, {"token", token}}, "large", []byte("THE-FILE"))
	head, tail, _ := bytes.Cut(whole, []byte("THE-FILE"))
	memory := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := memory()
	look := func(n int64) {
		if now := memory(); now-before > most {
			t.Errorf("%d bytes of memory are in use after %d bytes", now-before, n)
		}
	}
	content := &watched{from: io.LimitReader(rand.NewChaCha8([32]byte{9}), size), look: look}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v3/artifacts/upload", io.MultiReader(bytes.NewReader(head), content, bytes.NewReader(tail)))
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = int64(len(head)) + size + int64(len(tail))
	request.Header.Set("Content-Type", contentType)
	s.do(request, nil).want(200)
	j.finish(told.ArtifactIDs...).want(200)
	response, err := http.Get(j.find("large").URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if n, err := io.Copy(io.Discard, &watched{from: response.Body, look: look}); err != nil || n != size {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// watched reads, and calls look after every 32 MiB.
type watched struct {
	from io.Reader
	read int64
	look func(read int64)
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	const every = 32 << 20
	if (w.read+int64(n))/every > w.read/every {
		w.look(w.read)
	}
	w.read += int64(n)
	return n, err
}
