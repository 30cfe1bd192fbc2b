package domain_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
)

func TestParseCommitReport(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("a1", 20)
	head := "commit " + hash + "\nabbrev-commit a1a1a1\nAuthor: Ann Lee <ann@example.com>\n"
	ann := domain.Author{Name: "Ann Lee", Email: "ann@example.com"}
	for name, test := range map[string]struct {
		text string
		want domain.CommitReport
		ok   bool
	}{
		"as agents send it":       {head + "\n    Mend the\n    build\n    \n    At length.\n", domain.CommitReport{Commit: hash, Author: ann, Subject: "Mend the build"}, true},
		"a body":                  {head + "\n    Mend it\n\n    At length.\n", domain.CommitReport{Commit: hash, Author: ann, Subject: "Mend it"}, true},
		"lines of Windows":        {strings.ReplaceAll(head+"\n    Mend it\n", "\n", "\r\n"), domain.CommitReport{Commit: hash, Author: ann, Subject: "Mend it"}, true},
		"the commit alone":        {"commit " + hash, domain.CommitReport{Commit: hash}, true},
		"a merge":                 {"commit " + hash + " (HEAD -> main)\n", domain.CommitReport{Commit: hash}, true},
		"no name":                 {"commit " + hash + "\nAuthor: <a@example.com>\n", domain.CommitReport{Commit: hash, Author: domain.Author{Email: "a@example.com"}}, true},
		"a name in brackets":      {"commit " + hash + "\nAuthor: A <b> <a@example.com>\n", domain.CommitReport{Commit: hash, Author: domain.Author{Name: "A", Email: "b> <a@example.com"}}, true},
		"an author too long":      {"commit " + hash + "\nAuthor: " + strings.Repeat("n", 1_000) + " <a@example.com>\n\n    S", domain.CommitReport{Commit: hash, Subject: "S"}, true},
		"a subject too long":      {head + "\n    " + strings.Repeat("s", domain.MaxBuildMessage+1), domain.CommitReport{Commit: hash, Author: ann}, true},
		"a branch":                {"commit main\n", domain.CommitReport{}, false},
		"nothing":                 {"", domain.CommitReport{}, false},
		"a commit in the message": {"x\n\n    commit " + hash, domain.CommitReport{}, false},
	} {
		got, ok := domain.ParseCommitReport(test.text)
		if got != test.want || ok != test.ok {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}
