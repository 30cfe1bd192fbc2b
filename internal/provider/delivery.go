package provider

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
)

// EventKind is what happened to a repository.
type EventKind string

// The kinds of events.
const (
	Ping                EventKind = "ping"
	Push                EventKind = "push" // to a branch, a new one among them
	TagPush             EventKind = "tag"
	BranchDeleted       EventKind = "branch deleted"
	TagDeleted          EventKind = "tag deleted"
	PullRequest         EventKind = "pull request"
	MergeGroup          EventKind = "merge group"
	MergeGroupDestroyed EventKind = "merge group destroyed"
	OtherEvent          EventKind = "other"
)

// PullRequestAction is what happened to a pull request.
type PullRequestAction string

// What can happen to a pull request.
const (
	Opened           PullRequestAction = "opened"
	Synchronized     PullRequestAction = "synchronize" // it has more commits
	Reopened         PullRequestAction = "reopened"
	Closed           PullRequestAction = "closed"
	ReadyForReview   PullRequestAction = "ready_for_review"
	ConvertedToDraft PullRequestAction = "converted_to_draft"
	Labeled          PullRequestAction = "labeled"
	Unlabeled        PullRequestAction = "unlabeled"
	Edited           PullRequestAction = "edited"
	BaseChanged      PullRequestAction = "base_changed"
	ReviewRequested  PullRequestAction = "review_requested"
	Dequeued         PullRequestAction = "dequeued"
)

// Event is what a host delivered.
type Event struct {
	Host       domain.ProviderKind
	Kind       EventKind
	Name       string // what the host calls it, such as push
	Action     string // what the host calls what was done, such as opened
	DeliveryID string // "": the host sends none
	Repository string // such as acme/web
	Branch     string
	Tag        string
	Commit     string
	Message    string // of the head commit
	Author     domain.Author
	Pusher     string // the email address of who pushed, which the host knows; "": it does not say
	IsNew      bool   // the branch or tag is

	Request    *Request // of a pull request
	MergeQueue *domain.MergeQueue
}

// Request is a pull or merge request.
type Request struct {
	domain.PullRequest
	Action    PullRequestAction
	Title     string
	IsFork    bool
	ForkOwner string // who has the fork
	IsClosed  bool   // or merged
	HasLabel  bool   // labels were changed
}

// ErrUnknownHost means that a delivery has no header of a known host.
var ErrUnknownHost = errors.New("this is no event of a known repository host: it has none of the headers " +
	"X-GitHub-Event, X-Gitea-Event, X-Gitlab-Event and X-Event-Key")

// ErrBroken means that a delivery cannot be read.
var ErrBroken = errors.New("the body is not as this repository host sends it")

// Read returns what a host delivered.
func Read(header http.Header, body []byte) (Event, error) {
	body = payloadOf(header, body)
	switch {
	case header.Get("X-Gitea-Event") != "" || header.Get("X-Forgejo-Event") != "":
		e, err := readGitHub(first(header.Get("X-Gitea-Event"), header.Get("X-Forgejo-Event")), body)
		e.Host, e.DeliveryID = domain.Gitea, first(header.Get("X-Gitea-Delivery"), header.Get("X-Forgejo-Delivery"))
		return e, err
	case header.Get("X-GitHub-Event") != "":
		e, err := readGitHub(header.Get("X-GitHub-Event"), body)
		e.Host, e.DeliveryID = domain.GitHub, header.Get("X-GitHub-Delivery")
		if header.Get("X-GitHub-Enterprise-Host") != "" {
			e.Host = domain.GitHubEnterprise
		}
		return e, err
	case header.Get("X-Gitlab-Event") != "":
		e, err := readGitLab(header.Get("X-Gitlab-Event"), body)
		e.Host, e.DeliveryID = domain.GitLab, first(header.Get("X-Gitlab-Event-UUID"), header.Get("Idempotency-Key"))
		return e, err
	case header.Get("X-Event-Key") != "":
		name := header.Get("X-Event-Key")
		e, err := readBitbucket(name, body)
		e.Name, e.DeliveryID = name, first(header.Get("X-Request-UUID"), header.Get("X-Request-Id"))
		return e, err
	}
	return Event{}, ErrUnknownHost
}

// payloadOf returns the JSON of a delivery: GitHub can send it as a form.
func payloadOf(header http.Header, body []byte) []byte {
	if !strings.HasPrefix(header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return body
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil
	}
	return []byte(form.Get("payload"))
}

// Payload returns the JSON of a delivery.
func Payload(header http.Header, body []byte) []byte { return payloadOf(header, body) }

// CheckSignature reports whether a delivery proves that its sender knows the secret.
func CheckSignature(header http.Header, body []byte, secret string) bool {
	if token := header.Get("X-Gitlab-Token"); header.Get("X-Gitlab-Event") != "" {
		return subtle.ConstantTimeCompare([]byte(token), []byte(secret)) == 1
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	want := mac.Sum(nil)
	for _, name := range []string{"X-Hub-Signature-256", "X-Gitea-Signature", "X-Hub-Signature"} {
		given := header.Get(name)
		if given == "" {
			continue
		}
		sum, err := hex.DecodeString(strings.TrimPrefix(given, "sha256="))
		return err == nil && hmac.Equal(sum, want)
	}
	return false
}

// isZero reports whether a commit is what hosts write where there is none.
func isZero(commit string) bool { return strings.Trim(commit, "0") == "" }

type person struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Username string `json:"username"`
	Login    string `json:"login"`
}

func (p person) author() domain.Author {
	return domain.Author{Name: first(p.Name, p.Username, p.Login), Email: p.Email}
}

type hubCommit struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Author  person `json:"author"`
}

type hubRepository struct {
	FullName string `json:"full_name"`
	CloneURL string `json:"clone_url"`
	SSHURL   string `json:"ssh_url"`
	Fork     bool   `json:"fork"`
	Owner    person `json:"owner"`
}

type hubLabel struct {
	Name string `json:"name"`
}

type hubRequest struct {
	Number int64      `json:"number"`
	Title  string     `json:"title"`
	Body   string     `json:"body"`
	State  string     `json:"state"`
	Draft  bool       `json:"draft"`
	Merged bool       `json:"merged"`
	Labels []hubLabel `json:"labels"`
	User   person     `json:"user"`
	Head   struct {
		Ref  string         `json:"ref"`
		SHA  string         `json:"sha"`
		Repo *hubRepository `json:"repo"`
	} `json:"head"`
	Base struct {
		Ref  string         `json:"ref"`
		SHA  string         `json:"sha"`
		Repo *hubRepository `json:"repo"`
	} `json:"base"`
}

// hubDelivery is what GitHub and Gitea deliver.
type hubDelivery struct {
	Ref         string        `json:"ref"`
	RefType     string        `json:"ref_type"`
	SHA         string        `json:"sha"` // of Gitea's create
	Before      string        `json:"before"`
	After       string        `json:"after"`
	Pusher      person        `json:"pusher"`
	Deleted     bool          `json:"deleted"`
	HeadCommit  *hubCommit    `json:"head_commit"`
	Commits     []hubCommit   `json:"commits"`
	Repository  hubRepository `json:"repository"`
	Action      string        `json:"action"`
	PullRequest *hubRequest   `json:"pull_request"`
	Changes     struct {
		Base *struct{} `json:"base"`
		Ref  *struct{} `json:"ref"` // Gitea's word for a changed base
	} `json:"changes"`
	MergeGroup *struct {
		HeadSHA    string    `json:"head_sha"`
		HeadRef    string    `json:"head_ref"`
		BaseSHA    string    `json:"base_sha"`
		BaseRef    string    `json:"base_ref"`
		HeadCommit hubCommit `json:"head_commit"`
	} `json:"merge_group"`
}

func readGitHub(name string, body []byte) (e Event, err error) {
	e = Event{Name: name, Kind: OtherEvent}
	var d hubDelivery
	if err := json.Unmarshal(body, &d); err != nil {
		return e, ErrBroken
	}
	e.Repository, e.Action = d.Repository.FullName, d.Action
	switch name {
	case "ping":
		e.Kind = Ping
	case "push":
		return readHubPush(e, d)
	case "create":
		return readHubCreate(e, d)
	case "delete":
		e.Kind = map[string]EventKind{"branch": BranchDeleted, "tag": TagDeleted}[d.RefType]
		e.Branch = strings.TrimPrefix(d.Ref, "refs/heads/")
		if e.Kind == "" || e.Branch == "" {
			return e, ErrBroken
		}
	case "pull_request", "pull_request_sync", "pull_request_label", "pull_request_review_request":
		return readHubRequest(e, d)
	case "merge_group":
		if d.MergeGroup == nil || d.MergeGroup.HeadSHA == "" {
			return e, ErrBroken
		}
		g := d.MergeGroup
		e.Kind = map[string]EventKind{"checks_requested": MergeGroup, "destroyed": MergeGroupDestroyed}[d.Action]
		if e.Kind == "" {
			e.Kind = OtherEvent
		}
		e.Branch, e.Commit, e.Message, e.Author = strings.TrimPrefix(g.HeadRef, "refs/heads/"), g.HeadSHA,
			g.HeadCommit.Message, g.HeadCommit.Author.author()
		e.MergeQueue = &domain.MergeQueue{BaseBranch: strings.TrimPrefix(g.BaseRef, "refs/heads/"), BaseCommit: g.BaseSHA,
			HeadRef: g.HeadRef, HeadCommit: g.HeadSHA}
	}
	return e, nil
}

func readHubPush(e Event, d hubDelivery) (Event, error) {
	e.Pusher, e.IsNew = d.Pusher.Email, d.Before != "" && isZero(d.Before)
	branch, isBranch := strings.CutPrefix(d.Ref, "refs/heads/")
	tag, isTag := strings.CutPrefix(d.Ref, "refs/tags/")
	e.Commit = d.After
	switch isGone := d.Deleted || isZero(d.After); {
	case !isBranch && !isTag:
		if d.Ref == "" {
			return e, ErrBroken
		}
		return e, nil // notes and such
	case d.After == "":
		return e, ErrBroken
	case isGone && isTag:
		e.Kind, e.Branch = TagDeleted, tag
		return e, nil
	case isGone:
		e.Kind, e.Branch = BranchDeleted, branch
		return e, nil
	case isTag:
		e.Kind, e.Branch, e.Tag = TagPush, tag, tag
	default:
		e.Kind, e.Branch = Push, branch
	}
	head := d.HeadCommit
	for i := range d.Commits {
		if head == nil && d.Commits[i].ID == d.After {
			head = &d.Commits[i]
		}
	}
	if head != nil {
		e.Message, e.Author = head.Message, head.Author.author()
		if isTag && head.ID != "" { // of an annotated tag, after is the tag's own
			e.Commit = head.ID
		}
	}
	return e, nil
}

// readHubCreate reads that a branch or a tag is new. GitHub sends a push too, and does not say at which commit; Gitea
// may send either first.
func readHubCreate(e Event, d hubDelivery) (Event, error) {
	if d.Ref == "" {
		return e, ErrBroken
	}
	if d.SHA == "" {
		return e, nil
	}
	e.Commit, e.IsNew = d.SHA, true
	switch d.RefType {
	case "branch":
		e.Kind, e.Branch = Push, strings.TrimPrefix(d.Ref, "refs/heads/")
	case "tag":
		name := strings.TrimPrefix(d.Ref, "refs/tags/")
		e.Kind, e.Branch, e.Tag = TagPush, name, name
	}
	return e, nil
}

// hubActions are the words of GitHub and Gitea for what happened to a pull request.
var hubActions = map[string]PullRequestAction{
	"opened": Opened, "synchronize": Synchronized, "synchronized": Synchronized, "reopened": Reopened, "closed": Closed,
	"ready_for_review":   ReadyForReview,
	"converted_to_draft": ConvertedToDraft, "labeled": Labeled, "unlabeled": Unlabeled, "label_updated": Labeled,
	"label_cleared": Unlabeled,
	"edited":        Edited, "review_requested": ReviewRequested, "dequeued": Dequeued,
}

func readHubRequest(e Event, d hubDelivery) (Event, error) {
	p := d.PullRequest
	if p == nil || p.Head.SHA == "" || p.Number == 0 {
		return e, ErrBroken
	}
	e.Kind, e.Branch, e.Commit, e.Message, e.Author = PullRequest, p.Head.Ref, p.Head.SHA, p.Title, p.User.author()
	r := Request{Action: hubActions[d.Action], Title: p.Title, IsClosed: p.State == "closed" || p.Merged}
	r.PullRequest = domain.PullRequest{ID: strconv.FormatInt(p.Number, 10), Base: p.Base.Ref, Draft: p.Draft}
	if r.Action == Edited && (d.Changes.Base != nil || d.Changes.Ref != nil) {
		r.Action = BaseChanged
	}
	for _, label := range p.Labels {
		r.Labels = append(r.Labels, label.Name)
	}
	base := d.Repository.FullName
	if p.Base.Repo != nil {
		base = p.Base.Repo.FullName
	}
	if head := p.Head.Repo; head == nil { // the fork is gone
		r.IsFork = true
	} else {
		r.Repository, r.IsFork = head.CloneURL, !strings.EqualFold(head.FullName, base)
		r.ForkOwner = first(head.Owner.Login, head.Owner.Username)
	}
	e.Request = &r
	return e, nil
}

// labDelivery is what GitLab delivers.
type labDelivery struct {
	Kind    string      `json:"object_kind"`
	Ref     string      `json:"ref"`
	Before  string      `json:"before"`
	After   string      `json:"after"`
	Email   string      `json:"user_email"`
	SHA     string      `json:"checkout_sha"`
	Message string      `json:"message"` // of an annotated tag
	Commits []hubCommit `json:"commits"`
	Project labProject  `json:"project"`
	User    person      `json:"user"`
	Request *struct {
		IID            int64      `json:"iid"`
		Title          string     `json:"title"`
		State          string     `json:"state"`
		Action         string     `json:"action"`
		OldRev         string     `json:"oldrev"`
		SourceBranch   string     `json:"source_branch"`
		TargetBranch   string     `json:"target_branch"`
		SourceID       int64      `json:"source_project_id"`
		TargetID       int64      `json:"target_project_id"`
		Source         labProject `json:"source"`
		Target         labProject `json:"target"`
		LastCommit     hubCommit  `json:"last_commit"`
		WorkInProgress bool       `json:"work_in_progress"`
		Draft          bool       `json:"draft"`
	} `json:"object_attributes"`
	Labels []struct {
		Title string `json:"title"`
	} `json:"labels"`
	Changes struct {
		Labels       *struct{} `json:"labels"`
		TargetBranch *struct{} `json:"target_branch"`
		Draft        *struct {
			Current bool `json:"current"`
		} `json:"draft"`
	} `json:"changes"`
}

type labProject struct {
	Path    string `json:"path_with_namespace"`
	HTTPURL string `json:"git_http_url"`
}

func readGitLab(name string, body []byte) (Event, error) {
	e := Event{Name: name, Kind: OtherEvent}
	var d labDelivery
	if err := json.Unmarshal(body, &d); err != nil {
		return e, ErrBroken
	}
	e.Repository = d.Project.Path
	switch d.Kind {
	case "push", "tag_push":
		push := hubDelivery{Ref: d.Ref, Before: d.Before, After: d.After, Commits: d.Commits, Pusher: person{Email: d.Email}}
		e, err := readHubPush(e, push)
		if d.SHA != "" && e.Kind == TagPush {
			e.Commit = d.SHA
		}
		if e.Message == "" {
			e.Message = d.Message
		}
		if n := len(d.Commits); n > 0 && e.Author == (domain.Author{}) && (e.Kind == TagPush || e.Kind == Push) {
			e.Message, e.Author = d.Commits[n-1].Message, d.Commits[n-1].Author.author()
		}
		return e, err
	case "merge_request":
		return readLabRequest(e, d)
	}
	return e, nil
}

func readLabRequest(e Event, d labDelivery) (Event, error) {
	m := d.Request
	if m == nil || m.IID == 0 || m.LastCommit.ID == "" {
		return e, ErrBroken
	}
	e.Kind, e.Action, e.Branch, e.Commit, e.Message = PullRequest, m.Action, m.SourceBranch, m.LastCommit.ID, m.Title
	e.Author = m.LastCommit.Author.author()
	r := Request{Title: m.Title, IsClosed: m.State == "closed" || m.State == "merged", IsFork: m.SourceID != m.TargetID}
	r.PullRequest = domain.PullRequest{ID: strconv.FormatInt(m.IID, 10), Base: m.TargetBranch,
		Repository: m.Source.HTTPURL, Draft: m.Draft || m.WorkInProgress}
	r.ForkOwner, _, _ = strings.Cut(m.Source.Path, "/")
	for _, label := range d.Labels {
		r.Labels = append(r.Labels, label.Title)
	}
	switch {
	case m.Action == "open":
		r.Action = Opened
	case m.Action == "reopen":
		r.Action = Reopened
	case m.Action == "close" || m.Action == "merge":
		r.Action = Closed
	case m.Action == "update" && m.OldRev != "":
		r.Action = Synchronized
	case m.Action == "update" && d.Changes.Draft != nil && d.Changes.Draft.Current:
		r.Action = ConvertedToDraft
	case m.Action == "update" && d.Changes.Draft != nil:
		r.Action = ReadyForReview
	case m.Action == "update" && d.Changes.TargetBranch != nil:
		r.Action = BaseChanged
	case m.Action == "update" && d.Changes.Labels != nil:
		r.Action = Labeled
	case m.Action == "update":
		r.Action = Edited
	}
	e.Request = &r
	return e, nil
}
