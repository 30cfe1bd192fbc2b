package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/buildkite/go-buildkite/v4"
)

// sentFields says how the fields of a client's struct are sent, one at a time, and where they are found again.
type sentFields struct {
	fields  any    // whose fields are sent
	method  string // of the request
	path    string // below the organization; %d is another number each time
	base    map[string]any
	inside  string            // the member of the body that the struct is, "" for the body itself
	list    bool              // that member is a list of it
	values  map[string]any    // of fields for which any value will not do
	shown   map[string]string // where the answer has them, with a dot between members, if not under their name
	unshown map[string]string // fields that the answer does not have, and which path shows them
}

// TestEveryFieldThatTheClientSendsIsKept sends each field that the public Go client knows of what is served here. It is in the answer.
func TestEveryFieldThatTheClientSendsIsKept(t *testing.T) {
	c := fieldClient{t, startServer(t) + "/v2/organizations/" + org}
	cluster := c.send("POST", "/clusters", map[string]any{"name": "Fields"}, 201)["id"].(string)
	queue := c.send("POST", "/clusters/"+cluster+"/queues", map[string]any{"key": "fields"}, 201)["id"].(string)
	token := c.send("POST", "/clusters/"+cluster+"/tokens", map[string]any{"description": "Fields"}, 201)["id"].(string)
	team := c.send("POST", "/teams", map[string]any{"name": "Fields"}, 201)["id"].(string)
	c.send("POST", "/pipelines", map[string]any{"name": "Changed", "repository": "git@github.com:acme/web.git"}, 201)
	shared := c.send("POST", "/pipelines", map[string]any{"name": "Shared", "repository": "r"}, 201)["id"].(string)

	newPipeline := map[string]any{"name": "Pipeline %d", "repository": "git@github.com:acme/web.git"}
	pipelineValues := map[string]any{
		"cluster_id": cluster, "configuration": "steps: [wait]", "steps": []any{map[string]any{"type": "waiter"}}, "visibility": "public", "team_uuids": []any{teamID},
		"provider_settings": map[string]any{"build_tags": true},
	}
	settings := map[string]any{"trigger_mode": "deployment", "repository": "acme/web"}
	teamValues := map[string]any{"privacy": "secret", "default_member_role": "maintainer"}
	clusterValues := map[string]any{"emoji": ":rocket:", "color": "#abcdef", "default_queue_id": queue}
	queueValues := map[string]any{"retry_agent_affinity": "prefer-different"}
	for name, s := range map[string]sentFields{
		"CreatePipeline": {fields: buildkite.CreatePipeline{}, method: "POST", path: "/pipelines", base: newPipeline, values: pipelineValues,
			shown: map[string]string{"provider_settings": "provider.settings"}, unshown: map[string]string{"team_uuids": "/teams/" + teamID + "/pipelines"}},
		"UpdatePipeline": {fields: buildkite.UpdatePipeline{}, method: "PATCH", path: "/pipelines/changed", values: mergeValues(pipelineValues, map[string]any{"name": "CHANGED"}), // whose slug is the same
			shown: map[string]string{"provider_settings": "provider.settings"}},
		"GitHubSettings":           {fields: buildkite.GitHubSettings{}, method: "POST", path: "/pipelines", base: newPipeline, inside: "provider_settings", values: settings},
		"GitHubEnterpriseSettings": {fields: buildkite.GitHubEnterpriseSettings{}, method: "POST", path: "/pipelines", base: newPipeline, inside: "provider_settings", values: settings},
		"BitbucketSettings":        {fields: buildkite.BitbucketSettings{}, method: "POST", path: "/pipelines", base: newPipeline, inside: "provider_settings", values: settings},
		"GitLabSettings":           {fields: buildkite.GitLabSettings{}, method: "POST", path: "/pipelines", base: newPipeline, inside: "provider_settings", values: settings},
		"Step": {fields: buildkite.Step{}, method: "POST", path: "/pipelines", base: newPipeline, inside: "steps", list: true,
			values: map[string]any{"type": "script", "agent_query_rules": []any{"queue=fields"}, "plugins": map[string]any{"docker#v1": map[string]any{"image": "go"}}}},
		"CreateTeam": {fields: buildkite.CreateTeam{}, method: "POST", path: "/teams", base: map[string]any{"name": "Team %d"}, values: teamValues,
			shown: map[string]string{"is_default_team": "default"}},
		"CreateTeam, to change one": {fields: buildkite.CreateTeam{}, method: "PATCH", path: "/teams/" + team, values: teamValues, shown: map[string]string{"is_default_team": "default"}},
		"CreateTeamMember": {fields: buildkite.CreateTeamMember{}, method: "POST", path: "/teams/%TEAM/members", base: map[string]any{"user_id": otherID},
			values: map[string]any{"user_id": otherID, "role": "maintainer"}},
		"CreateTeamPipelines": {fields: buildkite.CreateTeamPipelines{}, method: "POST", path: "/teams/%TEAM/pipelines", base: map[string]any{"pipeline_id": shared},
			values: map[string]any{"pipeline_id": shared, "access_level": "build_and_read"}},
		"ClusterCreate": {fields: buildkite.ClusterCreate{}, method: "POST", path: "/clusters", base: map[string]any{"name": "Cluster"},
			values: mergeValues(clusterValues, map[string]any{"maintainers": []any{map[string]any{"team": teamID}}}), unshown: map[string]string{"maintainers": "/clusters/%ID/maintainers"}},
		"ClusterUpdate":      {fields: buildkite.ClusterUpdate{}, method: "PUT", path: "/clusters/" + cluster, values: clusterValues},
		"ClusterQueueCreate": {fields: buildkite.ClusterQueueCreate{}, method: "POST", path: "/clusters/" + cluster + "/queues", base: map[string]any{"key": "queue-%d"}, values: queueValues},
		"ClusterQueueUpdate": {fields: buildkite.ClusterQueueUpdate{}, method: "PUT", path: "/clusters/" + cluster + "/queues/" + queue, values: queueValues},
		"ClusterTokenCreateUpdate": {fields: buildkite.ClusterTokenCreateUpdate{}, method: "POST", path: "/clusters/" + cluster + "/tokens", base: map[string]any{"description": "D"},
			values: map[string]any{"allowed_ip_addresses": "10.0.0.0/8"}},
		"ClusterTokenCreateUpdate, to change one": {fields: buildkite.ClusterTokenCreateUpdate{}, method: "PUT", path: "/clusters/" + cluster + "/tokens/" + token,
			values: map[string]any{"allowed_ip_addresses": "10.0.0.0/8"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := reflect.TypeOf(s.fields)
			for i := range in.NumField() {
				field, _, _ := strings.Cut(in.Field(i).Tag.Get("json"), ",")
				fieldClient{t, c.base}.keeps(s, field, in.Field(i).Type)
			}
		})
	}
}

func mergeValues(a, b map[string]any) map[string]any {
	merged := maps.Clone(a)
	maps.Copy(merged, b)
	return merged
}

// fieldClient sends requests as the client does, with bodies of the test's own.
type fieldClient struct {
	t    *testing.T
	base string
}

var sentNumber int

// keeps sends a field, and looks for it in the answer.
func (c fieldClient) keeps(s sentFields, field string, kind reflect.Type) {
	c.t.Helper()
	value := s.values[field]
	if value == nil {
		value = someValue(kind)
	}
	sentNumber++
	body := map[string]any{}
	for member, v := range s.base {
		if text, isText := v.(string); isText {
			v = strings.ReplaceAll(text, "%d", fmt.Sprint(sentNumber))
		}
		body[member] = v
	}
	place := field
	if s.shown[field] != "" {
		place = s.shown[field]
	}
	switch {
	case s.list:
		body[s.inside], place = []any{mergeValues(map[string]any{"command": "make"}, map[string]any{field: value})}, s.inside+".0."+field
	case s.inside != "":
		body[s.inside], place = map[string]any{field: value}, "provider.settings."+field
	default:
		body[field] = value
	}
	path := s.path
	if strings.Contains(path, "%TEAM") {
		path = strings.ReplaceAll(path, "%TEAM", c.send("POST", "/teams", map[string]any{"name": fmt.Sprint("Of a member ", sentNumber)}, 201)["id"].(string))
	}
	status := http.StatusOK
	if s.method == "POST" {
		status = http.StatusCreated
	}
	answer := c.send(s.method, path, body, status)
	if elsewhere := s.unshown[field]; elsewhere != "" {
		elsewhere = strings.ReplaceAll(elsewhere, "%ID", fmt.Sprint(answer["id"]))
		if text := c.get(elsewhere); !strings.Contains(text, fmt.Sprint(answer["id"])) && !strings.Contains(text, teamID) {
			c.t.Errorf("%s is not at %s: %s", field, elsewhere, text)
		}
		return
	}
	if got := find(answer, place); !holds(got, value) {
		c.t.Errorf("%s: sent %v, the answer has %v", field, value, got)
	}
}

// someValue returns a value of the type that is not its zero value.
func someValue(kind reflect.Type) any {
	switch kind.Kind() {
	case reflect.Pointer:
		return someValue(kind.Elem())
	case reflect.Bool:
		return true
	case reflect.Int:
		return 7.0
	case reflect.Slice:
		return []any{someValue(kind.Elem())}
	case reflect.Map:
		return map[string]any{"A": someValue(kind.Elem())}
	default:
		sentNumber++
		return fmt.Sprint("text-", sentNumber)
	}
}

// find returns what an answer has at a place, with dots between members.
func find(value any, place string) any {
	for member := range strings.SplitSeq(place, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[member]
		case []any:
			value = v[0]
		default:
			return nil
		}
	}
	return value
}

// holds reports whether got is what was sent, or an object that has it.
func holds(got, sent any) bool {
	object, isObject := sent.(map[string]any)
	if !isObject {
		return reflect.DeepEqual(got, sent)
	}
	has, _ := got.(map[string]any)
	for member, value := range object {
		if !holds(has[member], value) {
			return false
		}
	}
	return true
}

func (c fieldClient) send(method, path string, body any, status int) (answer map[string]any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	request, err := http.NewRequest(method, c.base+path, bytes.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fieldToken)
	request.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != status {
		c.t.Errorf("%s %s %s: %s %v %v", method, path, text, resp.Status, answer, err)
	}
	return answer
}

func (c fieldClient) get(path string) string {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodGet, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+fieldToken)
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		c.t.Errorf("GET %s: %s %v", path, resp.Status, err)
	}
	return b.String()
}
