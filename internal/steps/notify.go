package steps

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"slices"
	"strings"
)

// NotificationKind is how somebody is notified.
type NotificationKind string

// The kinds of notifications.
const (
	NotifyEmail        NotificationKind = "email"
	NotifyWebhook      NotificationKind = "webhook"
	NotifySlack        NotificationKind = "slack"
	NotifyCommitStatus NotificationKind = "github_commit_status"
	NotifyCheck        NotificationKind = "github_check"
	NotifyPagerDuty    NotificationKind = "pagerduty_change_event"
	NotifyCampfire     NotificationKind = "basecamp_campfire"
)

var notificationKinds = []NotificationKind{NotifyEmail, NotifyWebhook, NotifySlack, NotifyCommitStatus, NotifyCheck,
	NotifyPagerDuty, NotifyCampfire}

// MaxNotifications is how many notifications a build has, and how many a step.
const MaxNotifications = 50

const (
	maxChannels   = 20
	maxNotifyText = 4_000 // bytes
)

// Notification is an entry of `notify`.
type Notification struct {
	Kind     NotificationKind `json:"kind"`
	If       string           `json:"if,omitzero"`      // "": always
	Address  string           `json:"address,omitzero"` // of a mail or a webhook, or a key
	Channels []string         `json:"channels,omitzero"`
	Message  string           `json:"message,omitzero"`
	// of a commit status, or the name of a check; "": by default
	Context          string `json:"context,omitzero"`
	BlockedAsPending bool   `json:"blocked_as_pending,omitzero"`
	Title            string `json:"title,omitzero"` // of a check's output
}

// Notifications reads the notifications of a step that were checked when they came.
func Notifications(raw string) (all []Notification) {
	var entries []json.RawMessage
	_ = json.Unmarshal([]byte(raw), &entries)
	for _, entry := range entries {
		n, _ := readNotification(entry)
		all = append(all, n)
	}
	return all
}

// CheckNotify returns what is wrong with the notifications of a step.
func (w *Work) CheckNotify(raw []byte) error {
	_, err := w.readNotify(raw, true)
	return err
}

// readNotify reads the notifications of a step or of a build.
func (w *Work) readNotify(raw json.RawMessage, ofStep bool) (all []Notification, err error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, Fault("`notify` is invalid: it is a list")
	}
	if len(entries) > MaxNotifications {
		return nil, faultf("`notify` is invalid: it has more than %d entries", MaxNotifications)
	}
	names := slices.Concat(VariableNames, BuildNotifyVariableNames)
	if ofStep {
		names = slices.DeleteFunc(slices.Concat(VariableNames, NotifyVariableNames),
			func(name string) bool { return name == "build.state" })
	}
	for _, entry := range entries {
		n, fault := readNotification(entry)
		if fault == nil && ofStep && n.Kind == NotifyEmail {
			fault = Fault("`notify` is invalid: a step can't send an email; set it for the whole build")
		}
		if fault != nil {
			return nil, fault
		}
		if n.If != "" {
			_, err := w.parseCondition(n.If, names)
			if w.err != nil {
				return nil, w.err
			}
			if err != nil {
				return nil, faultf("`if` is invalid: %s", err)
			}
		}
		all = append(all, n)
	}
	return all, nil
}

// NotificationHolds reports whether the condition of a notification holds.
func (w *Work) NotificationHolds(n Notification, variables Variables) (bool, error) {
	condition, err := w.parseCondition(n.If, slices.Concat(VariableNames, NotifyVariableNames))
	if err != nil {
		return false, err
	}
	return condition.Eval(&Evaluation{Variables: variables, Work: w})
}

func readNotification(raw json.RawMessage) (n Notification, fault error) {
	var word string
	var o object
	switch {
	case json.Unmarshal(raw, &word) == nil:
		o = object{word: json.RawMessage("null")}
	case json.Unmarshal(raw, &o) != nil:
		return n, Fault("`notify` is invalid: each entry is an object")
	}
	m := members{of: o}
	n.If = m.text("if")
	for name := range o {
		switch kind := NotificationKind(name); {
		case name == "if":
		case !slices.Contains(notificationKinds, kind):
			return n, faultf("`notify` is invalid: `%s` is not one of %s", name, kindNames())
		case n.Kind != "":
			return n, faultf("`notify` is invalid: `%s` and `%s` must be separate entries", min(n.Kind, kind), max(n.Kind, kind))
		default:
			n.Kind = kind
		}
	}
	if n.Kind == "" && m.fault == nil {
		return n, faultf("`notify` is invalid: an entry needs one of %s", kindNames())
	}
	m.notification(&n)
	return n, m.fault
}

func kindNames() string {
	names := make([]string, len(notificationKinds))
	for i, kind := range notificationKinds {
		names[i] = string(kind)
	}
	return strings.Join(names, ", ")
}

// notification reads what stands below the kind of a notification.
func (m *members) notification(n *Notification) {
	if m.fault != nil {
		return
	}
	kind := string(n.Kind)
	switch n.Kind {
	case NotifySlack:
		m.slack(n)
	case NotifyCommitStatus, NotifyCheck:
		var o object
		if raw := m.of[kind]; json.Unmarshal(raw, &o) != nil {
			m.refuse(kind, "it is an object")
			return
		}
		in := members{of: o}
		n.Context = in.text("context")
		if n.Kind == NotifyCheck {
			n.Context = in.text("name")
			var output object
			in.read("output", &output)
			n.Title = (&members{of: output}).text("title")
		} else {
			n.BlockedAsPending = in.flag("blocked_builds_as_pending")
		}
		m.adopt(in.fault)
	default:
		n.Address = m.text(kind)
		m.checkAddress(kind, n)
	}
	if len(n.Message) > maxNotifyText || len(n.Address) > maxNotifyText || len(n.Context) > maxContext {
		m.refuse(kind, "it is too long")
	}
}

const maxContext = 255 // bytes

// checkAddress refuses an address that cannot be one, unless it is what a variable is to become, or has become.
func (m *members) checkAddress(kind string, n *Notification) {
	if m.fault != nil || n.Address == "" && m.of.has(kind) || strings.Contains(n.Address, "$") {
		return
	}
	switch n.Kind {
	case NotifyEmail:
		if !IsMailAddress(n.Address) {
			m.refuse(kind, "it is one address, such as team@example.com")
		}
	case NotifyPagerDuty:
		if n.Address == "" || strings.ContainsAny(n.Address, " \n") {
			m.refuse(kind, "it is the integration key of a service")
		}
	default:
		if address, err := url.Parse(n.Address); err != nil || address.Scheme != "https" && address.Scheme != "http" ||
			address.Host == "" {
			m.refuse(kind, "it is an address that begins with https:// or http://")
		}
	}
}

// IsMailAddress reports whether a text is a bare mail address.
func IsMailAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}

func (m *members) slack(n *Notification) {
	var channel string
	if json.Unmarshal(m.of[string(NotifySlack)], &channel) == nil {
		n.Channels = []string{channel}
	} else {
		var o object
		if json.Unmarshal(m.of[string(NotifySlack)], &o) != nil {
			m.refuse("slack", "it is a channel, or an object with `channels` and `message`")
			return
		}
		in := members{of: o}
		n.Channels, n.Message = in.list("channels"), in.text("message")
		m.adopt(in.fault)
	}
	n.Channels = slices.DeleteFunc(n.Channels, func(channel string) bool { return strings.TrimSpace(channel) == "" })
	if len(n.Channels) == 0 || len(n.Channels) > maxChannels {
		m.refuse("slack", "it needs a channel, such as #builds, and takes at most 20")
	}
}
