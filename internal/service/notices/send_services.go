package notices

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
)

// maxReply is how many bytes of an answer are read.
const maxReply = 4 << 10

// openedEvent is an event with the service that is notified of it.
type openedEvent struct {
	serviceEvent
	service      domain.NotificationServiceView
	secrets      domain.ServiceSecrets
	build        domain.Build // the zero value: it is about the service
	pipelineSlug string
	pipelineName string
	page         string // of the build
}

// openEvent reads what a notice for a notification service needs.
func (s *Service) openEvent(ctx context.Context, n domain.Notice) (o openedEvent, err error) {
	if err := json.Unmarshal([]byte(n.Body), &o.serviceEvent); err != nil {
		return o, &SendError{Reason: "It cannot be read", Final: true}
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		var found bool
		o.service, found, err = tx.NotificationService(o.Service)
		switch {
		case err != nil:
			return err
		case !found:
			return &SendError{Reason: "The notification service was deleted", Final: true}
		case !o.service.Enabled && o.Event != domain.EventPing:
			return &SendError{Reason: "The notification service is disabled", Final: true}
		}
		if o.secrets, err = s.openSecrets(tx, o.service.ID); err != nil || o.Subject.Build == "" {
			return err
		}
		o.build, found, err = tx.Build(o.Subject.Build)
		if err == nil && !found {
			err = &SendError{Reason: "The build was deleted", Final: true}
		}
		if err != nil {
			return err
		}
		o.build.State, o.build.StartedAt, o.build.FinishedAt = o.Subject.State, o.Subject.StartedAt, o.Subject.FinishedAt
		x, err := tx.JobContext(o.build.ID)
		o.pipelineSlug, o.pipelineName = x.PipelineSlug, x.PipelineName
		o.page = s.baseURL + domain.BuildPath(x.OrganizationSlug, x.PipelineSlug, o.build.Number)
		return err
	})
	return o, err
}

// webhookSender is who created a webhook.
type webhookSender struct {
	ID   domain.UserID `json:"id"`
	Name string        `json:"name"`
}

// webhookService is a service in its own ping.
type webhookService struct {
	ID       domain.NotificationServiceID `json:"id"`
	Provider domain.ServiceProvider       `json:"provider"`
	Settings map[string]string            `json:"settings"`
}

// webhookStep is the step that a notification is about.
type webhookStep struct {
	ID      domain.StepID `json:"id"`
	Key     *string       `json:"key"`
	Label   string        `json:"label"`
	Outcome flow.Outcome  `json:"outcome"`
}

// webhookBody is what webhooks are sent.
type webhookBody struct {
	Event    string          `json:"event"`
	Job      jsontext.Value  `json:"job,omitzero"`
	Step     *webhookStep    `json:"step,omitzero"`
	Build    jsontext.Value  `json:"build,omitzero"`
	Pipeline jsontext.Value  `json:"pipeline,omitzero"`
	Service  *webhookService `json:"service,omitzero"`

	BlockedIP    string         `json:"blocked_ip,omitzero"`
	Agent        jsontext.Value `json:"agent,omitzero"`
	ClusterToken jsontext.Value `json:"cluster_token,omitzero"`

	Sender *webhookSender `json:"sender"`
}

// sendWebhook posts an event.
func (s *Service) sendWebhook(ctx context.Context, n domain.Notice) (string, error) {
	o, err := s.openEvent(ctx, n)
	if err != nil {
		return "", err
	}
	content := webhookBody{Event: o.Event}
	if by := o.service.CreatedBy; by != nil {
		content.Sender = &webhookSender{by.ID, by.Name}
	}
	switch {
	case o.Subject.IsAboutAgents():
		rendered, err := s.render(ctx, o.Subject)
		if domain.CodeOf(err) == domain.NotFound {
			return "", &SendError{Reason: "The agent or its token was deleted", Final: true}
		}
		if err != nil {
			return "", err
		}
		content.Agent, content.ClusterToken, content.BlockedIP = rendered.Agent, rendered.Token, o.Subject.BlockedIP
	case o.Subject.Build == "":
		content.Service = &webhookService{o.service.ID, o.service.Provider, map[string]string{"url": o.service.Settings.URL}}
	default:
		rendered, err := s.render(ctx, o.Subject)
		if err != nil {
			return "", err
		}
		content.Build, content.Pipeline, content.Job = rendered.Build, rendered.Pipeline, rendered.Job
	}
	body, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	header := http.Header{"X-Buildkite-Event": {o.Event}}
	if token := o.secrets.Token; token != "" {
		if o.service.Settings.TokenMode == domain.TokenInSignature {
			header.Set("X-Buildkite-Signature", signBody(token, n.CreatedAt, body))
		} else {
			header.Set("X-Buildkite-Token", token)
		}
	}
	return s.post(ctx, o.service.Settings.URL, header, body)
}

// signBody returns the signature of a webhook.
func signBody(token string, at time.Time, body []byte) string {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signed := hmac.New(sha256.New, []byte(token))
	signed.Write([]byte(timestamp + "."))
	signed.Write(body)
	return "timestamp=" + timestamp + ",signature=" + hex.EncodeToString(signed.Sum(nil))
}

// post posts JSON to an address, and returns the answer in words. The address is not in them: it may be a secret.
func (s *Service) post(ctx context.Context, address string, header http.Header, body []byte) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return "", &SendError{Reason: "The address cannot be used", Final: true}
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Penstock-Webhook")
	response, err := s.client.Do(request)
	if err != nil {
		reason := err.Error()
		if unwrapped := errors.Unwrap(err); unwrapped != nil { // *url.Error names the address
			reason = unwrapped.Error()
		}
		return "", &SendError{Reason: "It was not reached: " + reason, Away: true}
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxReply))
	answer := strings.TrimSpace(response.Status + " " + string(text))
	if response.StatusCode/100 == 2 {
		return answer, nil
	}
	failed := &SendError{Reason: answer, Away: response.StatusCode >= 500 ||
		response.StatusCode == http.StatusTooManyRequests}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		failed.After = time.Duration(seconds) * time.Second
	}
	return "", failed
}

// toldWords are what notifications say.
var toldWords = map[string]string{
	domain.ToldPassed: "passed", domain.ToldFixed: "passed again", domain.ToldFailed: "failed",
	domain.ToldBlocked:  "is blocked",
	domain.ToldCanceled: "was canceled", domain.ToldFailing: "is failing", domain.ToldActivated: "was unblocked",
}

// toldEmoji begin lines in chats.
var toldEmoji = map[string]string{
	domain.ToldPassed: ":white_check_mark:", domain.ToldFixed: ":white_check_mark:", domain.ToldFailed: ":x:",
	domain.ToldBlocked:  ":double_vertical_bar:",
	domain.ToldCanceled: ":no_entry_sign:", domain.ToldFailing: ":warning:", domain.ToldActivated: ":arrow_forward:",
}

// firstLine returns the first line of a message.
func firstLine(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return line
}

// chatBody is what a chat is sent.
type chatBody struct {
	Text    string `json:"text"`
	Channel string `json:"channel,omitzero"`
}

// escapeChat is how a text is written to a chat.
var escapeChat = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// sendChat writes a line to a chat.
func (s *Service) sendChat(ctx context.Context, n domain.Notice) (string, error) {
	o, err := s.openEvent(ctx, n)
	if err != nil {
		return "", err
	}
	text := "Penstock can write here."
	if o.Subject.Build != "" {
		text = fmt.Sprintf("<%s|%s #%d> %s", o.page, escapeChat.Replace(o.pipelineName), o.build.Number, o.words())
		if line := firstLine(o.build.Message); line != "" {
			text += ": " + escapeChat.Replace(line)
		}
		text += fmt.Sprintf("\n%s, %.7s", escapeChat.Replace(o.build.Branch), escapeChat.Replace(o.build.Commit))
		if o.service.Settings.Theme == "emoji" {
			text = toldEmoji[o.Told] + " " + text
		}
	}
	body, err := json.Marshal(chatBody{text, o.service.Settings.Channel})
	if err != nil {
		return "", err
	}
	return s.post(ctx, o.secrets.URL, nil, body)
}

// words say what became of a build, and how long it took.
func (o *openedEvent) words() string {
	words := toldWords[o.Told]
	if b := o.build; b.StartedAt != nil && b.FinishedAt != nil && b.FinishedAt.After(*b.StartedAt) {
		words += " (" + sayDuration(b.FinishedAt.Sub(*b.StartedAt)) + ")"
	}
	return words
}

// sendMail mails what became of a build.
func (s *Service) sendMail(ctx context.Context, n domain.Notice) (string, error) {
	if s.mail == nil {
		return "", &SendError{Reason: "This server sends no mail", Final: true}
	}
	o, err := s.openEvent(ctx, n)
	if err != nil {
		return "", err
	}
	if err := s.checkMails(ctx, n); err != nil {
		return "", err
	}
	m := domain.Mail{Subject: "Penstock can send you mail", Text: "This is a try. Mails about builds come to this " +
		"address.\n"}
	if o.Subject.Build != "" {
		m.Subject = fmt.Sprintf("%s #%d %s (%s)", o.pipelineName, o.build.Number, toldWords[o.Told], o.build.Branch)
		m.Text = mailText(fmt.Sprintf("%s #%d %s.", o.pipelineName, o.build.Number, o.words()), o.build, o.page)
	}
	for _, to := range o.service.Settings.Addresses {
		m.To = to
		if err := s.deliverMail(ctx, m); err != nil {
			return "", err
		}
	}
	return "Mailed to " + strings.Join(o.service.Settings.Addresses, ", "), nil
}

// checkMails returns an error if an organization has sent its mails of the day.
func (s *Service) checkMails(ctx context.Context, n domain.Notice) error {
	return s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		sent, err := tx.CountMails(n.OrganizationID, now.Add(-24*time.Hour))
		if err == nil && sent >= domain.MaxMails {
			err = &SendError{Reason: fmt.Sprintf("The organization has sent %d mails within a day", domain.MaxMails),
				Final: true}
		}
		return err
	})
}
