package graph_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// absentReasons are why names of the public schema are not served: the first whose pattern a name matches. docs/conformance.md has them at length.
var absentReasons = []struct{ reason, names string }{
	{"tests", `Suite|SUITE|suite|TEST_ENGINE`},
	{"packages", `Registry|REGISTRY|registries|STORAGE`},
	{"sign-on", `SSO|sso|Authorization|AUTHORIZATION|scalar XML`},
	{"factors", `TOTP|totp|Recovery|TwoFactor|OrganizationMemberSecurity|OrganizationMember\.security`},
	{"billing", `SUBSCRIPTION|Subscription|CREDIT_CARD|complimentary`},
	{"staff", `IMPERSONAT|Impersonation`},
	{"applications", `API_APPLICATION|APIApplication|APIAccessTokenCode|apiAccessTokenCode|OAUTH|PORTAL_TOKEN_CODE`},
	{"public site", `Snippet|Notice|notice\(|noticeDismiss|MODEL_PROVIDER|BUILD_PAGE_SETTING|BUILD_EXPORT|ORGANIZATION_TEAMS|TERMINAL_SESSION`},
	{"addresses", `Email|EMAIL|email`},
	{"services", `NotificationService|NOTIFICATION_SERVICE|notificationService`},
	{"hosts", `RepositoryProvider|repositoryProviders|SCM|GitHubRateLimit`},
	{"queue tokens", `ClusterQueueToken|CLUSTER_QUEUE_TOKEN|CLUSTER_QUEUE_MIGRATION`},
	{"signatures", `\.agentTokens\(|Organization\.members\(|User\.builds\(|Viewer\.(builds|organizations)\(|UpdateInput\.`},
	{"not recorded", `JobEvent|BuildStepUpload|AuditAgentAPIContext|AuditActorNode = Agent|AuditSubjectNode = JobType|AuditSubjectType\.(JOB|PORTAL_SECRET)|SECRET_QUERIED|TEAM_SECRET|AGENT_TOKEN_UPDATED`},
	{"undefined", `stackHealth|commitShortLength|OrganizationMember(\.pipelines|Pipeline)`},
}

func TestEveryAbsentNameHasAReason(t *testing.T) {
	t.Parallel()
	names, err := os.ReadFile("testdata/absent.txt")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	patterns := make([]*regexp.Regexp, len(absentReasons))
	for i, r := range absentReasons {
		patterns[i] = regexp.MustCompile(r.names)
		if !strings.Contains(string(document), "| "+r.reason+" |") {
			t.Errorf("docs/conformance.md does not explain %s", r.reason)
		}
	}
names:
	for name := range strings.Lines(string(names)) {
		for _, pattern := range patterns {
			if pattern.MatchString(name) {
				continue names
			}
		}
		t.Errorf("there is no reason why this is not served: %s", name)
	}
}
