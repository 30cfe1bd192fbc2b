package graph_test

import (
	"io"
	"net/url"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/testkit"
)

// TestAnnotationsOverGraphQL makes, reads and deletes annotations of a build and of its job.
func TestAnnotationsOverGraphQL(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		job := fillBuilds(t, s).take()
		build := global("Build", s.Get(testkit.AdminToken, buildPath("release", 1)).Text("id"))
		made := dig(t, wantData(t, mutate(s, testkit.AdminToken, "buildAnnotate", fields{"buildID": build, "body": "# Hi\n\n<script>x</script>there", "context": "a/b", "style": "INFO", "priority": 7, "clientMutationId": "m"},
			"clientMutationId annotation { id uuid context style priority scope createdAt updatedAt body { text html } } annotationEdge { cursor node { id } } build { number annotations { edges { cursor node { id } } } }")), "buildAnnotate").(item)
		id := dig(t, made, "annotation", "id")
		wantMembers(t, made, item{"clientMutationId": "m", "annotation.context": "a/b", "annotation.style": "INFO", "annotation.priority": 7.0, "annotation.scope": "BUILD", "build.number": 1.0,
			"annotation.body": item{"text": "# Hi\n\n<script>x</script>there", "html": "<h1>Hi</h1>\nthere"}, "annotationEdge.node.id": id, "build.annotations.edges": []any{made["annotationEdge"]}})
		// What is not said goes back to its default, and null leaves it.
		change := func(besides fields) any {
			input := fields{"buildID": build, "body": " more", "context": "a/b", "append": true}
			for member, value := range besides {
				input[member] = value
			}
			return dig(t, wantData(t, mutate(s, testkit.AdminToken, "buildAnnotate", input, "annotation { id style priority }")), "buildAnnotate", "annotation")
		}
		wantEqual(t, change(fields{"style": nil, "priority": nil}), any(item{"id": id, "style": "INFO", "priority": 7.0}))
		wantEqual(t, change(nil), any(item{"id": id, "style": "DEFAULT", "priority": 3.0}))

		ofJob := dig(t, wantData(t, mutate(s, testkit.AdminToken, "jobAnnotate", fields{"jobId": global("JobTypeCommand", job.id), "body": "of the job"},
			"annotation { id context scope style } annotationEdge { cursor node { id } } job { uuid annotations { count edges { cursor node { id } } } build { annotations { count } } }")), "jobAnnotate").(item)
		jobs := ofJob["annotation"].(item)["id"]
		wantMembers(t, ofJob, item{"annotation": item{"id": jobs, "context": "default", "scope": "JOB", "style": "DEFAULT"}, "job.uuid": job.id, "job.annotations.count": 1.0,
			"job.annotations.edges": []any{ofJob["annotationEdge"]}, "job.build.annotations.count": 2.0})

		deleted := dig(t, wantData(t, mutate(s, testkit.AdminToken, "annotationDelete", fields{"id": jobs}, "deletedAnnotationId build { annotations { nodes { id body { text } } } }")), "annotationDelete")
		wantEqual(t, deleted, any(item{"deletedAnnotationId": jobs, "build": item{"annotations": item{"nodes": []any{item{"id": id, "body": item{"text": "# Hi\n\n<script>x</script>there more more"}}}}}}))
		wantError(t, mutate(s, testkit.AdminToken, "annotationDelete", fields{"id": jobs}, "clientMutationId"), "No annotation found", "annotationDelete")
	})
}

// TestArtifactsOverGraphQL reads artifacts, downloads one, and deletes it.
func TestArtifactsOverGraphQL(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		job := fillBuilds(t, s).take()
		uuid := job.upload("out/a.txt", "content")
		const all = `id uuid path state mimeType size sha1sum sha256sum expiresAt downloadURL job { uuid artifacts { count nodes { path } } }`
		read := func(token string) any {
			return wantData(t, s.GraphQL(token, `query ($id: ID!) { artifact(uuid: $id) { `+all+` } }`, fields{"id": uuid}))["artifact"]
		}
		artifact := read(testkit.MemberToken).(item)
		wantMembers(t, artifact, item{"id": global("Artifact", uuid), "path": "out/a.txt", "state": "finished", "mimeType": "application/octet-stream", "size": 7.0, "sha1sum": "040f06fd774092478d450774f5ba30c5da78acc8",
			"sha256sum": nil, "job": item{"uuid": job.id, "artifacts": item{"count": 1.0, "nodes": []any{item{"path": "out/a.txt"}}}}})
		if seen := read(testkit.OutsiderToken); seen != nil {
			t.Errorf("an outsider sees %v", seen)
		}
		address, err := url.Parse(artifact["downloadURL"].(string))
		if err != nil {
			t.Fatal(err)
		}
		download, err := s.Artifacts.OpenDownload(t.Context(), authz.Actor{}, uuid, address.Query().Get("ticket"))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(download.Content)
		_ = download.Content.Close()
		if err != nil || string(content) != "content" {
			t.Errorf("the artifact is %q, %v", content, err)
		}

		// Its content goes, and that it was there stays.
		wantError(t, mutate(s, testkit.OutsiderToken, "artifactDelete", fields{"id": global("Artifact", uuid)}, "clientMutationId"), "No artifact found", "artifactDelete")
		deleted := dig(t, wantData(t, mutate(s, testkit.MemberToken, "artifactDelete", fields{"id": global("Artifact", uuid), "clientMutationId": "m"},
			"clientMutationId deletedArtifactId artifact { state downloadURL }")), "artifactDelete")
		wantEqual(t, deleted, any(item{"clientMutationId": "m", "deletedArtifactId": global("Artifact", uuid), "artifact": item{"state": "deleted", "downloadURL": ""}}))
		wantEqual(t, read(testkit.MemberToken).(item)["state"], any("deleted"))
		for _, id := range append(notIDs("Artifact"), global("Artifact", noSuchID)) {
			wantError(t, mutate(s, testkit.AdminToken, "artifactDelete", fields{"id": id}, "clientMutationId"), "No artifact found", "artifactDelete")
		}
	})
}
