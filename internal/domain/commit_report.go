package domain

import (
	"regexp"
	"strings"
)

var fullCommit = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// IsFullCommit says whether a commit is named by its whole hash, and not by a branch or HEAD.
func IsFullCommit(commit string) bool { return fullCommit.MatchString(commit) }

// CommitReport is what the first checkout of a build says of the commit that it found.
type CommitReport struct {
	Commit  string
	Author  Author
	Subject string
}

var authorLine = regexp.MustCompile(`^(.*?)\s*<(.*)>$`)

// ParseCommitReport reads what an agent reports of a commit: lines with the commit, its abbreviation and its author, an
// empty line, and the message, indented. What is too long for a build, or no text, is left out.
func ParseCommitReport(text string) (r CommitReport, ok bool) {
	head, message, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if commit, found := strings.CutPrefix(line, "commit "); found {
			r.Commit, _, _ = strings.Cut(commit, " ")
		}
		if author, found := strings.CutPrefix(line, "Author: "); found {
			if parts := authorLine.FindStringSubmatch(author); parts != nil {
				r.Author = Author{Name: parts[1], Email: parts[2]}
			}
		}
	}
	if !IsFullCommit(r.Commit) {
		return CommitReport{}, false
	}
	var subject []string
	for line := range strings.Lines(strings.TrimSpace(message)) {
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		subject = append(subject, line)
	}
	r.Subject = strings.Join(subject, " ")
	var faults Faults
	in := BuildInput{Commit: r.Commit, Branch: r.Commit, Message: r.Subject, Author: r.Author}
	in.Check(&faults)
	if faults.Has("message") {
		r.Subject = ""
	}
	if faults.Has("author") {
		r.Author = Author{}
	}
	return r, true
}
