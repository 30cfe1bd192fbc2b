package policy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/policy"
)

const policyPage = "../../docs/policies.md"

// block is a fenced code block: the heading above it, the language and the label after the fence,
// and the text.
type block struct {
	heading, language, label, text string
	line                           int
}

func readBlocks(t *testing.T) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(policyPage)
	if err != nil {
		t.Fatal(err)
	}
	heading := ""
	var open *block
	for number, line := range strings.Split(string(text), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open != nil:
			blocks = append(blocks, *open)
			open = nil
		case isFence:
			language, label, _ := strings.Cut(fence, " ")
			open = &block{heading: heading, language: language, label: label, line: number + 1}
		case open != nil:
			open.text += line + "\n"
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block is not closed", policyPage, open.line)
	}
	return blocks
}

// Each worked policy of the page is parsed, and each decision under it is made again, with the
// policy and the claims above it.
func TestDocumentedPolicies(t *testing.T) {
	t.Parallel()
	decisions := map[string]int{}
	var current *policy.Policy
	var claims *policy.Claims
	for _, block := range readBlocks(t) {
		switch block.label {
		case "policy":
			parsed, faults := policy.Parse([]byte(block.text))
			if faults != nil {
				t.Fatalf("%s:%d: %s", policyPage, block.line, faults)
			}
			current, claims = parsed, nil
		case "claims":
			parsed, faults := policy.ParseClaims([]byte(block.text))
			if faults != nil {
				t.Fatalf("%s:%d: %s", policyPage, block.line, faults)
			}
			claims = &parsed
		case "save", "restore":
			if current == nil || claims == nil {
				t.Fatalf("%s:%d: a decision without a policy and claims above it", policyPage, block.line)
			}
			if got := policy.Decide(current, policy.Action(block.label), *claims).String(); got != block.text {
				t.Errorf("%s:%d: the decision is now\n%s", policyPage, block.line, got)
			}
			decisions[block.heading]++
		case "", "policy.json", "claims.json": // for a command, which a test of the commands runs
		default:
			t.Errorf("%s:%d: nothing checks a block labelled %s", policyPage, block.line, block.label)
		}
	}
	for _, heading := range []string{
		"Share everything", "Per branch, with a fallback to main", "Pull requests restore but never save", "One pipeline only", "Deny by default",
	} {
		if decisions[heading] < 2 {
			t.Errorf("%s: %q has %d decisions", policyPage, heading, decisions[heading])
		}
		delete(decisions, heading)
	}
	if len(decisions) > 0 {
		t.Errorf("%s: decisions under unexpected headings: %v", policyPage, decisions)
	}
}

// The policy that the page calls unrestricted is the default one.
func TestDocumentedDefault(t *testing.T) {
	t.Parallel()
	for _, block := range readBlocks(t) {
		if block.heading == "Share everything" && block.label == "policy" {
			if got, want := string(mustParse(t, block.text).Normal()), string(policy.Default().Normal()); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			return
		}
	}
	t.Error("not found")
}

// Every claim is on the page. The faults of an unknown one list them all.
func TestDocumentedClaims(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(policyPage)
	if err != nil {
		t.Fatal(err)
	}
	_, faults := policy.ParseClaims([]byte(`{"?":1}`))
	names := regexp.MustCompile(`[a-z]+_[a-z]+`).FindAllString(faults[0].Message, -1)
	if len(names) != 11 {
		t.Fatalf("found %d claims: %q", len(names), names)
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`claims."+name+"`") {
			t.Errorf("%s does not tell of claims.%s", policyPage, name)
		}
	}
}
