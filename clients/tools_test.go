package clients_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// toolServer is a running server of the Model Context Protocol.
type toolServer struct {
	*site
	input   io.Writer
	answers *bufio.Scanner
	last    int
	tally   tally
}

type toolResult struct {
	IsError bool
	Content []struct{ Text string }
	Tools   []struct{ Name string }
}

func (r *toolResult) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

func (s *toolServer) write(message map[string]any) {
	s.t.Helper()
	message["jsonrpc"] = "2.0"
	if err := json.NewEncoder(s.input).Encode(message); err != nil {
		s.t.Fatal(err)
	}
}

// request sends a request and returns its result.
func (s *toolServer) request(method string, params any) (toolResult, error) {
	s.t.Helper()
	s.last++
	s.write(map[string]any{"id": s.last, "method": method, "params": params})
	for s.answers.Scan() {
		var answer struct {
			ID     int
			Result toolResult
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(s.answers.Bytes(), &answer); err != nil {
			s.t.Fatalf("%s answered %q: %v", method, s.answers.Text(), err)
		}
		if answer.ID != s.last {
			continue // a notification
		}
		if answer.Error != nil {
			return toolResult{}, errors.New(answer.Error.Message)
		}
		return answer.Result, nil
	}
	s.t.Fatalf("%s was not answered: %v", method, s.answers.Err())
	return toolResult{}, nil
}

// call calls a tool of an organization and returns what it answers.
func (s *toolServer) call(name string, arguments map[string]any) string {
	s.t.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	arguments["org_slug"] = org
	return s.callWith(name, arguments)
}

func (s *toolServer) callWith(name string, arguments map[string]any) string {
	s.t.Helper()
	result, err := s.request("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err == nil && result.IsError {
		err = errors.New(result.text())
	}
	s.tally.add(s.t, name, err)
	return result.text()
}

// ofBuild are the arguments that name build 1, and others.
func ofBuild(more ...string) map[string]any {
	arguments := map[string]any{"pipeline_slug": "web", "build_number": "1"}
	for i := 0; i < len(more); i += 2 {
		arguments[more[i]] = more[i+1]
	}
	return arguments
}

func (s *toolServer) want(answer, text string) {
	s.t.Helper()
	if !strings.Contains(answer, text) {
		s.t.Errorf("%q is not in %q", text, answer)
	}
}

// create calls a tool that makes something and returns its id.
func (s *toolServer) create(name string, arguments map[string]any) string {
	s.t.Helper()
	answer := s.call(name, arguments)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &made); err != nil || made.ID == "" {
		s.t.Fatalf("%s answered %q: %v", name, answer, err)
	}
	return made.ID
}

// TestTools calls every tool of the server of the Model Context Protocol.
func TestTools(t *testing.T) {
	t.Parallel()
	binary := program(t, "MCP")
	s := &toolServer{site: newSite(t)}
	s.start(binary)
	s.identity()
	s.clusterTools()
	s.pipelineTools()
	s.buildTools()
	s.testTools()
	s.tally.report(t, "get_failed_executions", "get_test", "get_test_run", "list_test_runs", "list_tests", "list_tests_for_build")
	s.wantEveryTool()
}

func (s *toolServer) start(binary string) {
	command := exec.CommandContext(s.t.Context(), binary, "stdio")
	command.Env = s.environment("BUILDKITE_BASE_URL="+s.server, "BKLOG_CACHE_URL=file://"+s.dir)
	command.Stderr = s.t.Output()
	input, err := command.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = input.Close()
		_ = command.Wait()
	})
	s.input, s.answers = input, bufio.NewScanner(output)
	s.answers.Buffer(nil, 8<<20)
	if _, err := s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "penstock", "version": "1"}}); err != nil {
		s.t.Fatal(err)
	}
	s.write(map[string]any{"method": "notifications/initialized"})
}

func (s *toolServer) identity() {
	nothing := map[string]any{}
	s.want(s.callWith("access_token", nothing), "read_builds")
	s.want(s.callWith("current_user", nothing), "admin@example.com")
	s.want(s.callWith("user_token_organization", nothing), "acme-inc")
	s.want(s.callWith("list_skills", nothing), "debug-logs-guide")
	s.callWith("load_skill", map[string]any{"skill_name": "debug-logs-guide"})
}

func (s *toolServer) clusterTools() {
	cluster := s.create("create_cluster", map[string]any{"name": "More", "color": "#FF0000"})
	s.want(s.call("list_clusters", nil), "Machines")
	s.want(s.call("get_cluster", map[string]any{"cluster_id": cluster}), "More")
	s.want(s.call("update_cluster", map[string]any{"cluster_id": cluster, "name": "Others"}), "Others")
	queue := s.create("create_cluster_queue", map[string]any{"cluster_id": cluster, "key": "linux"})
	of := func() map[string]any { return map[string]any{"cluster_id": cluster, "queue_id": queue} }
	s.want(s.call("list_cluster_queues", map[string]any{"cluster_id": cluster}), "linux")
	s.want(s.call("get_cluster_queue", of()), "linux")
	update := of()
	update["description"] = "Linux machines"
	s.want(s.call("update_cluster_queue", update), "Linux machines")
	s.call("pause_cluster_queue_dispatch", of())
	s.call("resume_cluster_queue_dispatch", of())
	s.want(s.call("list_agents", nil), "machine")
	s.want(s.call("get_agent", map[string]any{"agent_id": s.agent}), "machine")
}

func (s *toolServer) pipelineTools() {
	s.call("create_pipeline", map[string]any{
		"name": "Docs", "repository_url": "git@example.com:acme/docs.git", "cluster_id": s.cluster, "configuration": "steps: [{command: make}]",
	})
	s.want(s.call("list_pipelines", nil), "docs")
	s.want(s.call("get_pipeline", map[string]any{"pipeline_slug": "docs"}), "docs")
	s.want(s.call("update_pipeline", map[string]any{"pipeline_slug": "docs", "description": "Pages"}), "Pages")
	schedule := s.create("create_pipeline_schedule", map[string]any{"pipeline_slug": "docs", "cronline": "@daily", "label": "Every night", "branch": "main"})
	of := func() map[string]any { return map[string]any{"pipeline_slug": "docs", "schedule_id": schedule} }
	s.want(s.call("list_pipeline_schedules", map[string]any{"pipeline_slug": "docs"}), "Every night")
	s.want(s.call("get_pipeline_schedule", of()), "Every night")
	update := of()
	update["label"] = "Every day"
	s.want(s.call("update_pipeline_schedule", update), "Every day")
}

func (s *toolServer) buildTools() {
	s.want(s.call("list_builds", map[string]any{"pipeline_slug": "web"}), "First")
	s.want(s.call("get_build", ofBuild()), "First")
	s.want(s.call("list_jobs", ofBuild()), s.passed)
	s.want(s.call("get_job", ofBuild("job_id", s.passed)), s.passed)
	s.want(s.call("get_job_env", ofBuild("job_id", s.passed)), "BUILDKITE_BRANCH")
	s.want(s.call("read_logs", ofBuild("job_id", s.passed)), "hello from the agent")
	tail := ofBuild("job_id", s.passed)
	tail["tail"] = 100
	s.want(s.call("tail_logs", tail), "hello from the agent")
	s.want(s.call("search_logs", ofBuild("job_id", s.passed, "pattern", "hello")), "hello from the agent")
	s.want(s.call("list_artifacts_for_build", ofBuild()), "out.txt")
	s.want(s.call("list_artifacts_for_job", ofBuild("job_id", s.passed)), "out.txt")
	s.call("get_artifact", ofBuild("job_id", s.passed, "artifact_id", s.artifact))
	s.want(s.call("list_annotations", ofBuild()), "all is well")
	s.want(s.call("create_annotation", ofBuild("body", "By a tool", "style", "info", "context", "tool")), "By a tool")
	s.want(s.call("list_step_uploads", ofBuild()), s.passed)
	uploads := s.send("GET", "pipelines/web/builds/1/step-uploads", nil)["items"].([]any)
	s.want(s.call("get_step_upload", ofBuild("upload_uuid", fmt.Sprint(uploads[0].(map[string]any)["uuid"]))), "echo uploaded")
	s.want(s.call("get_build_failure_summary", ofBuild()), "went wrong")
	s.call("get_build_test_engine_runs", ofBuild())
	s.call("retry_job", ofBuild("job_id", s.failed))
	s.call("unblock_job", ofBuild("job_id", s.gate))
	s.call("wait_for_build", ofBuild())
	s.call("rebuild_build", ofBuild())
	s.call("create_build", map[string]any{"pipeline_slug": "web", "commit": "HEAD", "branch": "main", "message": "By a tool"})
	number, _ := s.newBuild()
	cancel := ofBuild()
	cancel["build_number"] = number
	s.call("cancel_build", cancel)
}

// testTools calls the tools of the product that collects results of tests. Nothing here serves them.
func (s *toolServer) testTools() {
	s.call("list_test_runs", map[string]any{"test_suite_slug": "web"})
	s.call("list_tests", map[string]any{"test_suite_slug": "web"})
	s.call("get_test", map[string]any{"test_suite_slug": "web", "test_id": userID})
	s.call("get_test_run", map[string]any{"test_suite_slug": "web", "run_id": userID})
	s.call("get_failed_executions", map[string]any{"test_suite_slug": "web", "run_id": userID})
	s.call("list_tests_for_build", map[string]any{"build_uuid": userID})
}

// wantEveryTool fails the test if the server has a tool that was not called.
func (s *toolServer) wantEveryTool() {
	s.t.Helper()
	result, err := s.request("tools/list", map[string]any{})
	if err != nil {
		s.t.Fatal(err)
	}
	called := map[string]bool{}
	for _, name := range append(s.tally.passed, s.tally.failed...) {
		called[name] = true
	}
	for _, tool := range result.Tools {
		if !called[tool.Name] {
			s.t.Errorf("tool %s was not called", tool.Name)
		}
	}
}
