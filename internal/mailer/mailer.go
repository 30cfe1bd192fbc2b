// Package mailer sends mail by SMTP. It imports only internal/domain of ours.
package mailer

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"penstock/internal/domain"
)

// SendTimeout is how long sending one mail may take.
const SendTimeout = 10 * time.Second

// The values of Options.TLS.
const (
	StartTLS = "starttls" // the connection is encrypted before anything is sent, or closed
	TLS      = "tls"      // it is encrypted from the beginning
	NoTLS    = "none"
)

// Options says which server mail is sent by, and from whom.
type Options struct {
	Address  string // host:port
	TLS      string
	User     string // empty: who sends is not said
	Password domain.Secret
	From     string         // an address, perhaps with a name before it
	BaseURL  string         // that links in mails begin with
	Roots    *x509.CertPool // who vouches for the server; nil: whom the system trusts
}

// Mailer sends mail by one server.
type Mailer struct {
	Options
	from *mail.Address
	host string
}

// New returns a mailer.
func New(o Options) (*Mailer, error) {
	from, err := mail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("the sender's address: %w", err)
	}
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("the mail server's address: %w", err)
	}
	return &Mailer{Options: o, from: from, host: host}, nil
}

// message is a mail. It is sent as plain text and as HTML, which say the same.
type message struct{ to, subject, text string }

// send sends a message. The error is Invalid if the server wants neither this recipient nor this message, ever, and
// Unavailable otherwise. Its text is for users; what caused it is for logs.
func (m *Mailer) send(ctx context.Context, msg message) error {
	ctx, cancel := context.WithTimeout(ctx, SendTimeout)
	defer cancel()
	conn, err := m.dial(ctx)
	if err != nil {
		return failed("The mail server can't be reached", err)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := smtp.NewClient(conn, m.host)
	if err != nil {
		_ = conn.Close()
		return failed("The mail server can't be reached", err)
	}
	defer func() { _ = client.Close() }()
	if err := m.greet(client); err != nil {
		return err
	}
	if err := client.Mail(m.from.Address); err != nil {
		return failed("The mail server doesn't take the configured sender", err)
	}
	if err := client.Rcpt(msg.to); err != nil {
		return refused("The mail server doesn't take the address", err)
	}
	if err := write(client, m.encode(msg)); err != nil {
		return refused("The mail server doesn't take the mail", err)
	}
	_ = client.Quit() // the mail is on its way, whatever it answers
	return nil
}

func (m *Mailer) dial(ctx context.Context) (net.Conn, error) {
	if m.TLS == TLS {
		return (&tls.Dialer{Config: m.tlsConfig()}).DialContext(ctx, "tcp", m.Address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", m.Address)
}

func (m *Mailer) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: m.host, RootCAs: m.Roots, MinVersion: tls.VersionTLS12}
}

// greet says which machine sends, turns to TLS, and signs in.
func (m *Mailer) greet(client *smtp.Client) error {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "localhost"
	}
	if err := client.Hello(name); err != nil {
		return failed("The mail server can't be reached", err)
	}
	if m.TLS == StartTLS {
		if err := client.StartTLS(m.tlsConfig()); err != nil {
			return failed("There is no safe connection to the mail server", err)
		}
	}
	if m.User == "" {
		return nil
	}
	// It refuses to send a password to another machine without TLS.
	if err := client.Auth(smtp.PlainAuth("", m.User, m.Password.Reveal(), m.host)); err != nil {
		return failed("The mail server doesn't take the configured user and password", err)
	}
	return nil
}

func write(client *smtp.Client, encoded []byte) error {
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(encoded); err != nil {
		return err
	}
	return w.Close()
}

// encode returns the message as it is sent. No text in it can make a header: the encodings leave no line break.
func (m *Mailer) encode(msg message) []byte {
	_, domainOfSender, _ := strings.Cut(m.from.Address, "@")
	boundary := rand.Text()
	var b bytes.Buffer
	for _, header := range [][2]string{
		{"From", m.from.String()},
		{"To", (&mail.Address{Address: msg.to}).String()},
		{"Subject", encodeWords(onOneLine(msg.subject))},
		{"Date", time.Now().UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + rand.Text() + "@" + domainOfSender + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "multipart/alternative; boundary=" + boundary},
		{"Content-Transfer-Encoding", "7bit"},
	} {
		b.WriteString(header[0] + ": " + header[1] + "\r\n")
	}
	for _, part := range [][2]string{{"text/plain", msg.text}, {"text/html", m.htmlOf(msg.text)}} {
		b.WriteString("\r\n--" + boundary + "\r\nContent-Type: " + part[0] +
			"; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
		text := quotedprintable.NewWriter(&b)
		_, _ = text.Write([]byte(part[1])) // a buffer takes everything
		_ = text.Close()
	}
	b.WriteString("\r\n--" + boundary + "--\r\n")
	return b.Bytes()
}

// encodeWords encodes a text, also one that needs no encoding: else what looks like an encoded word in it would be
// decoded. Each word is on a line of its own, and no character is in two of them.
func encodeWords(text string) string {
	const most = 45 // bytes of a word, which has at most 75 characters
	var words []string
	for begin := 0; begin < len(text); {
		end := begin
		for _, r := range text[begin:] {
			if size := utf8.RuneLen(r); end+size-begin <= most {
				end += size
				continue
			}
			break
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[begin:end]))+"?=")
		begin = end
	}
	return strings.Join(words, "\r\n ")
}

// onOneLine puts a space in the place of line breaks and of what cannot be seen.
func onOneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// failed returns an error after which it is worth trying again.
func failed(what string, err error) error {
	return domain.NewError(domain.Unavailable, what).Because(err)
}

// refused returns an error with what the server said; it is of no use to try again if it said so for good.
func refused(what string, err error) error {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return failed(what, err)
	}
	code := domain.Unavailable
	if reply.Code >= 500 {
		code = domain.Invalid
	}
	said := []rune(onOneLine(strings.ToValidUTF8(reply.Msg, " ")))
	return domain.NewError(code, fmt.Sprintf("%s: %d %s", what, reply.Code, string(said[:min(len(said), maxReply)]))).
		Because(err)
}

const maxReply = 300 // characters of a reply that are kept
