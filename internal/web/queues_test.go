package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

func TestQueues(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		const list = theCluster + "/queues"
		b.submit(list+"/new", "key", "two words", "description", "Kept text", "hosted_agents.instance_shape", "HUGE", "retry_agent_affinity", "random").
			want(t, http.StatusUnprocessableEntity, "Key can only contain", `value="two words"`, "Kept text", "Agents must be one of", "The preference must be")
		b.submit(list+"/new", "key", "default", "retry_agent_affinity", "prefer-warmest").want(t, http.StatusUnprocessableEntity, "Key has already been taken")
		b.submit(list+"/new", "key", "hosted-mac", "description", "For apps", "hosted_agents.instance_shape", "MACOS_ARM64_M4_6X28", "retry_agent_affinity", "prefer-different").
			wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Queue hosted-mac created.", "Hosted: macOS arm64, 6 CPUs, 28 GB", "For apps", "2 queues")

		b.submit(theQueue+"/edit", "description", "Changed", "retry_agent_affinity", "prefer-different").wantRedirect(t, theQueue)
		b.get(theQueue).want(t, http.StatusOK, "Queue saved.", "Changed", "a different agent", "Self-hosted", "--build-path builds --tags queue=default")
		b.get(acme+"/agents").want(t, http.StatusOK, "buildkite-agent start --token TOKEN", "--build-path builds")

		b.submit(theQueue+"/pause", "dispatch_paused_note", strings.Repeat("long ", 2001)).want(t, http.StatusUnprocessableEntity, "Note is too long", "long long")
		b.submit(theQueue+"/pause", "dispatch_paused_note", "Out for lunch").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Queue default paused.", "Out for lunch", "Resume")
		s.signedIn("member@example.com").get(theQueue).want(t, http.StatusOK, "by Maintainer", "Out for lunch")
		b.submit(theQueue+"/pause").want(t, http.StatusUnprocessableEntity, "Cluster queue is already paused")
		b.submitTo(list, theQueue+"/resume").wantRedirect(t, list)
		b.submitTo(theQueue, theQueue+"/resume").want(t, http.StatusUnprocessableEntity, "Cluster queue is not paused")

		b.submitTo(theQueue, theQueue+"/default").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "default is now the default queue.", `<span class="tag good">default</span>`)
		b.get(theQueue+"/delete").want(t, http.StatusOK, "This is the cluster's default queue")
		b.submit(theQueue+"/delete").wantRedirect(t, list)
		b.get(theQueue).want(t, http.StatusNotFound, "No cluster queue found")
	})
}

func TestHostedQueuesAreEdited(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		made := func(key, shape string) string {
			q, err := s.Service.CreateQueue(t.Context(), admin(), testkit.Maintained(), core.Value(domain.QueueInput{Key: domain.Some(key),
				Hosted: domain.Some(domain.HostedAgentsInput{InstanceShape: domain.Some(shape)})}))
			if err != nil {
				t.Fatal(err)
			}
			return theCluster + "/queues/" + string(q.ID)
		}
		linux, mac := made("linux", "LINUX_AMD64_2X4"), made("mac", "MACOS_ARM64_M4_6X28")
		if a := b.get(linux + "/edit"); strings.Contains(a.Body, "macOS") || !strings.Contains(a.Body, "Agent image") {
			t.Errorf("the form of a Linux queue is %s", a.Body)
		}
		b.submit(linux+"/edit", "retry_agent_affinity", "prefer-warmest", "hosted_agents.instance_shape", "LINUX_AMD64_4X16", "hosted_agents.platform_settings", "registry.example.com/agent:1").
			wantRedirect(t, linux)
		b.get(linux).want(t, http.StatusOK, "4 CPUs, 16 GB", "registry.example.com/agent:1")
		b.submit(linux+"/edit", "retry_agent_affinity", "prefer-warmest", "hosted_agents.instance_shape", "MACOS_ARM64_M4_6X28").
			want(t, http.StatusUnprocessableEntity, "Machines can't change between linux and macos")
		b.submit(mac+"/edit", "retry_agent_affinity", "prefer-warmest", "hosted_agents.instance_shape", "MACOS_ARM64_M4_12X56", "macos_version", "SEQUOIA", "hosted_agents.platform_settings", "16.1").
			wantRedirect(t, mac)
		b.get(mac).want(t, http.StatusOK, "12 CPUs, 56 GB", "SEQUOIA", "16.1")
		b.submit(mac+"/edit", "retry_agent_affinity", "prefer-warmest", "hosted_agents.instance_shape", "MACOS_ARM64_M4_6X28", "macos_version", "NINE").
			want(t, http.StatusUnprocessableEntity, "macos_version must be one of")
		b.submit(linux+"/delete").wantRedirect(t, theCluster+"/queues")
		b.get(mac+"/delete").want(t, http.StatusOK, "last queue with hosted agents")
	})
}

func TestHostedMachinesAreOfferedWhereTheyExist(t *testing.T) {
	t.Parallel()
	for _, hosted := range []bool{true, false} {
		s := newSite(t, testkit.OpenDB(t, "sqlite"), func(o *web.Options) { o.HostedAgents = hosted })
		a := s.signedIn("admin@example.com").get(theCluster+"/queues/new").want(t, http.StatusOK, "Key")
		if strings.Contains(a.Body, "Hosted: ") != hosted {
			t.Errorf("with a hosted-agent service %v: %s", hosted, a.Body)
		}
	}
}
