package domain

import "time"

// NoticeKind is what a notice is.
type NoticeKind string

// The kinds of notices.
const (
	NoticeCommitStatus NoticeKind = "commit_status" // how a build goes, for the host of its repository
	NoticeWebhook      NoticeKind = "webhook"       // an event, for a notification service
	NoticeChat         NoticeKind = "chat"          // how a build goes, for people in a chat
	NoticeMail         NoticeKind = "mail"          // the same by mail
	NoticeNotify       NoticeKind = "notify"        // what the configuration of a build asks for
	NoticeNotifyMail   NoticeKind = "notify_mail"   // the same, by mail
	NoticeMemberMail   NoticeKind = "member_mail"   // how a build goes, for who created it
)

// MaxMails is how many mails an organization sends in a day.
const MaxMails = 1_000

// NoticeState is what became of a notice.
type NoticeState string

// The states of notices.
const (
	NoticeNew      NoticeState = "new"     // nobody has looked at it yet
	NoticeWaiting  NoticeState = "waiting" // to be sent, or to be sent again
	NoticeSent     NoticeState = "sent"
	NoticeFailed   NoticeState = "failed"   // it was tried too often
	NoticeReplaced NoticeState = "replaced" // by a newer one, before it was sent
	NoticeUnwanted NoticeState = "unwanted" // its condition did not hold, or its recipient does not want it
)

// Limits of notices.
const (
	NoticeTimeout   = 10 * time.Second // for one try
	NoticeRetention = 7 * 24 * time.Hour
	MaxNoticeAnswer = 1_000 // characters of an answer that are kept
)

// noticeDelays are how long a notice waits after each try that failed: five tries in an hour.
var noticeDelays = []time.Duration{15 * time.Second, 2 * time.Minute, 10 * time.Minute, 45 * time.Minute}

// NoticeDelay returns how long a notice that failed so many times waits for its next try; false if there is none.
func NoticeDelay(tries int64) (time.Duration, bool) {
	if tries < 1 || tries > int64(len(noticeDelays)) {
		return 0, false
	}
	return noticeDelays[tries-1], true
}

// Notice is a message that goes out. Notices of one lane of a target are sent in order.
type Notice struct {
	ID             NoticeID
	OrganizationID OrganizationID
	Kind           NoticeKind
	Target         string // whom it goes to, such as a connection
	Lane           string
	NewestOnly     bool // a later one of the lane replaces it
	BuildID        *BuildID
	Summary        string // what it says, as people are shown it
	Body           string // JSON; has no secrets
	CreatedAt      time.Time

	State   NoticeState
	DueAt   *time.Time // while it waits; nil: another one of its lane is before it
	Tries   int64
	TriedAt *time.Time
	Answer  string // to the last try
}

// NoticeView is a notice with the build that it is about.
type NoticeView struct {
	Notice
	PipelineSlug string // "": none, or it is gone
	BuildNumber  int64
}

// NoticeTarget is whom notices go to.
type NoticeTarget struct {
	ID         string
	DueAt      *time.Time
	HeldUntil  time.Time // while it does not answer
	Failures   int64     // in a row
	Lease      string    // who sends to it
	LeaseUntil time.Time
}

// NoticeHold is how long a target is left alone that failed so many times in a row, and does not answer at all.
func NoticeHold(failures int64) time.Duration {
	hold := time.Second << min(failures, 6)
	return min(hold, time.Minute)
}
