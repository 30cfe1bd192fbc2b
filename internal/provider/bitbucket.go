package provider

import (
	"net/mail"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
)

type bucketTarget struct {
	Hash    string `json:"hash"`
	Message string `json:"message"`
	Author  struct {
		Raw string `json:"raw"` // such as Ada <ada@example.com>
	} `json:"author"`
}

func (t bucketTarget) author() domain.Author {
	if address, err := mail.ParseAddress(t.Author.Raw); err == nil {
		return domain.Author{Name: address.Name, Email: address.Address}
	}
	return domain.Author{Name: t.Author.Raw}
}

type bucketRef struct {
	Type   string       `json:"type"`
	Name   string       `json:"name"`
	Target bucketTarget `json:"target"`
}

type bucketEnd struct {
	Branch struct {
		Name string `json:"name"`
	} `json:"branch"`
	Commit struct {
		Hash string `json:"hash"`
	} `json:"commit"`
	Repository *struct {
		FullName string `json:"full_name"`
		Links    struct {
			HTML struct {
				Href string `json:"href"`
			} `json:"html"`
		} `json:"links"`
	} `json:"repository"`
}

// bucketDelivery is what Bitbucket delivers.
type bucketDelivery struct {
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	Push *struct {
		Changes []struct {
			New *bucketRef `json:"new"`
			Old *bucketRef `json:"old"`
		} `json:"changes"`
	} `json:"push"`
	PullRequest *struct {
		ID          int64     `json:"id"`
		Title       string    `json:"title"`
		State       string    `json:"state"`
		Draft       bool      `json:"draft"`
		Source      bucketEnd `json:"source"`
		Destination bucketEnd `json:"destination"`
		Author      struct {
			DisplayName string `json:"display_name"`
		} `json:"author"`
	} `json:"pullrequest"`
}

func readBitbucket(name string, body []byte) (Event, error) {
	if name == "repo:refs_changed" || strings.HasPrefix(name, "pr:") || name == "diagnostics:ping" {
		return readBitbucketServer(name, body)
	}
	e := Event{Host: domain.Bitbucket, Kind: OtherEvent}
	var d bucketDelivery
	if err := json.Unmarshal(body, &d); err != nil {
		return e, ErrBroken
	}
	e.Repository = d.Repository.FullName
	switch {
	case name == "repo:push":
		if d.Push == nil {
			return e, ErrBroken
		}
		if len(d.Push.Changes) == 0 { // more than Bitbucket lists
			return e, nil
		}
		change := d.Push.Changes[0]
		return readBucketChange(e, change.New, change.Old)
	case strings.HasPrefix(name, "pullrequest:"):
		return readBucketRequest(e, d, strings.TrimPrefix(name, "pullrequest:"))
	}
	return e, nil
}

func readBucketChange(e Event, now, old *bucketRef) (Event, error) {
	switch {
	case now == nil && old == nil:
		return e, ErrBroken
	case now == nil:
		e.Kind, e.Branch = BranchDeleted, old.Name
		if old.Type == "tag" {
			e.Kind = TagDeleted
		}
		return e, nil
	}
	e.Kind, e.Branch, e.Commit, e.Message, e.Author = Push, now.Name, now.Target.Hash, now.Target.Message,
		now.Target.author()
	if now.Type == "tag" || now.Type == "annotated_tag" {
		e.Kind, e.Tag = TagPush, now.Name
	}
	if e.Commit == "" {
		return e, ErrBroken
	}
	return e, nil
}

func readBucketRequest(e Event, d bucketDelivery, action string) (Event, error) {
	p := d.PullRequest
	if p == nil || p.ID == 0 || p.Source.Commit.Hash == "" {
		return e, ErrBroken
	}
	e.Kind, e.Action, e.Branch, e.Commit, e.Message = PullRequest, action, p.Source.Branch.Name, p.Source.Commit.Hash,
		p.Title
	e.Author = domain.Author{Name: p.Author.DisplayName}
	r := Request{Title: p.Title, IsClosed: p.State != "OPEN"}
	r.Action = map[string]PullRequestAction{"created": Opened, "updated": Synchronized, "fulfilled": Closed,
		"rejected": Closed}[action]
	r.PullRequest = domain.PullRequest{ID: strconv.FormatInt(p.ID, 10), Base: p.Destination.Branch.Name, Draft: p.Draft}
	if p.Source.Repository == nil {
		r.IsFork = true
	} else {
		r.Repository = p.Source.Repository.Links.HTML.Href
		r.IsFork = !strings.EqualFold(p.Source.Repository.FullName, e.Repository)
		r.ForkOwner, _, _ = strings.Cut(p.Source.Repository.FullName, "/")
	}
	e.Request = &r
	return e, nil
}

type serverRepository struct {
	Slug    string `json:"slug"`
	ID      int64  `json:"id"`
	Project struct {
		Key string `json:"key"`
	} `json:"project"`
}

func (r serverRepository) name() string { return r.Project.Key + "/" + r.Slug }

type serverEnd struct {
	DisplayID    string           `json:"displayId"`
	LatestCommit string           `json:"latestCommit"`
	Repository   serverRepository `json:"repository"`
}

// serverDelivery is what Bitbucket Server delivers.
type serverDelivery struct {
	Repository serverRepository `json:"repository"`
	Actor      struct {
		Name  string `json:"displayName"`
		Email string `json:"emailAddress"`
	} `json:"actor"`
	Changes []struct {
		Ref struct {
			ID        string `json:"id"`
			DisplayID string `json:"displayId"`
			Type      string `json:"type"`
		} `json:"ref"`
		FromHash string `json:"fromHash"`
		ToHash   string `json:"toHash"`
		Type     string `json:"type"`
	} `json:"changes"`
	PullRequest *struct {
		ID      int64     `json:"id"`
		Title   string    `json:"title"`
		State   string    `json:"state"`
		Draft   bool      `json:"draft"`
		FromRef serverEnd `json:"fromRef"`
		ToRef   serverEnd `json:"toRef"`
	} `json:"pullRequest"`
}

func readBitbucketServer(name string, body []byte) (Event, error) {
	e := Event{Host: domain.BitbucketServer, Kind: OtherEvent}
	if name == "diagnostics:ping" {
		e.Kind = Ping
		return e, nil
	}
	var d serverDelivery
	if err := json.Unmarshal(body, &d); err != nil {
		return e, ErrBroken
	}
	e.Author = domain.Author{Name: d.Actor.Name, Email: d.Actor.Email}
	if name == "repo:refs_changed" {
		e.Repository = d.Repository.name()
		if len(d.Changes) == 0 {
			return e, ErrBroken
		}
		change := d.Changes[0]
		return readHubPush(e, hubDelivery{Ref: change.Ref.ID, Before: change.FromHash, After: change.ToHash,
			Pusher: person{Email: d.Actor.Email}, Deleted: change.Type == "DELETE"})
	}
	return readServerRequest(e, d, strings.TrimPrefix(name, "pr:"))
}

func readServerRequest(e Event, d serverDelivery, action string) (Event, error) {
	p := d.PullRequest
	if p == nil || p.ID == 0 || p.FromRef.LatestCommit == "" {
		return e, ErrBroken
	}
	e.Kind, e.Action, e.Branch, e.Commit, e.Message = PullRequest, action, p.FromRef.DisplayID, p.FromRef.LatestCommit,
		p.Title
	e.Repository = p.ToRef.Repository.name()
	r := Request{Title: p.Title, IsClosed: p.State != "OPEN", IsFork: p.FromRef.Repository.ID != p.ToRef.Repository.ID,
		ForkOwner: p.FromRef.Repository.Project.Key}
	r.Action = map[string]PullRequestAction{"opened": Opened, "from_ref_updated": Synchronized, "modified": Edited,
		"merged": Closed, "declined": Closed, "deleted": Closed}[action]
	r.PullRequest = domain.PullRequest{ID: strconv.FormatInt(p.ID, 10), Base: p.ToRef.DisplayID, Draft: p.Draft}
	e.Request = &r
	return e, nil
}
