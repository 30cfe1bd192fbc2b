package testkit

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"net"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// What a MailServer takes.
const (
	MailUser     = "penstock"
	MailPassword = "the-password-of-the-mail-server"
	// RefusedMailbox is the address of nobody.
	RefusedMailbox = "refused@example.com"
)

// MailServer is an SMTP server that keeps what it is sent.
type MailServer struct {
	Address     string
	certificate *x509.Certificate
	server      *smtp.Server
	listener    net.Listener
	arrived     chan Mail
}

// Mail is a mail that arrived.
type Mail struct {
	From   string
	To     []string
	User   string // who sent it, if the client said so
	TLS    bool   // it came encrypted
	Raw    string
	Header mail.Header
	Text   string // its part in plain text
	HTML   string // its part in HTML
}

// MailServerOptions says how a MailServer differs from one that offers STARTTLS at a free port.
type MailServerOptions struct {
	Address     string // to listen at
	ImplicitTLS bool
	NoTLS       bool
}

// StartMailServer starts a mail server.
func StartMailServer(t testing.TB, o MailServerOptions) *MailServer {
	t.Helper()
	secure := httptest.NewTLSServer(nil) // it has a certificate for 127.0.0.1
	secure.Close()
	s := &MailServer{certificate: secure.Certificate(), arrived: make(chan Mail, 100)}
	s.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &mailSession{server: s, conn: c}, nil
	}))
	s.server.ErrorLog = log.New(io.Discard, "", 0) // what clients do wrong is what is tested
	s.server.EnableSMTPUTF8 = true
	s.server.AllowInsecureAuth = o.NoTLS
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		t.Fatal(err)
	}
	s.Address, s.listener = listener.Addr().String(), listener
	config := &tls.Config{Certificates: secure.TLS.Certificates}
	switch {
	case o.ImplicitTLS:
		listener = tls.NewListener(listener, config)
	case !o.NoTLS:
		s.server.TLSConfig = config
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.server.Serve(listener) }) // until it is closed
	t.Cleanup(func() {
		s.Stop()
		serving.Wait()
	})
	return s
}

// Stop stops the server.
func (s *MailServer) Stop() {
	_ = s.server.Close()
	_ = s.listener.Close() // the server does not know it yet if it has just been started
}

// Roots returns who vouches for the server.
func (s *MailServer) Roots() *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(s.certificate)
	return roots
}

// Certificate returns who vouches for the server, as PEM.
func (s *MailServer) Certificate() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.certificate.Raw}))
}

// Arrived returns the mails that arrive.
func (s *MailServer) Arrived() <-chan Mail { return s.arrived }

// WantMail returns the mail that has arrived.
func (s *MailServer) WantMail(t testing.TB) Mail {
	t.Helper()
	select {
	case m := <-s.arrived:
		return m
	default:
		t.Fatal("no mail has arrived")
		return Mail{}
	}
}

// WantNoMail checks that no mail has arrived.
func (s *MailServer) WantNoMail(t testing.TB) {
	t.Helper()
	select {
	case m := <-s.arrived:
		t.Errorf("a mail has arrived: %s", m.Raw)
	default:
	}
}

type mailSession struct {
	server *MailServer
	conn   *smtp.Conn
	mail   Mail
}

// AuthMechanisms returns how clients say who they are.
func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth lets MailUser in.
func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != MailUser || password != MailPassword {
			return smtp.ErrAuthFailed
		}
		s.mail.User = user
		return nil
	}), nil
}

// Mail begins a mail.
func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.From, s.mail.To = from, nil
	return nil
}

// Rcpt adds a recipient.
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == RefusedMailbox {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No\x00body \xff lives here"}
	}
	s.mail.To = append(s.mail.To, to)
	return nil
}

// Data reads the mail and keeps it.
func (s *mailSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	parsed, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	m := s.mail
	m.To = slices.Clone(m.To)
	m.Raw, m.Header = string(raw), parsed.Header
	_, m.TLS = s.conn.TLSConnectionState()
	if err := m.readParts(parsed); err != nil {
		return err
	}
	s.server.arrived <- m
	return nil
}

// readParts reads the parts of a mail, which are a text and the same as HTML.
func (m *Mail) readParts(parsed *mail.Message) error {
	kind, parameters, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if kind != "multipart/alternative" {
		return errors.New("the mail is " + kind)
	}
	parts := multipart.NewReader(parsed.Body, parameters["boundary"])
	for _, part := range []struct {
		kind string
		text *string
	}{{"text/plain; charset=utf-8", &m.Text}, {"text/html; charset=utf-8", &m.HTML}} {
		next, err := parts.NextPart() // which decodes it
		if err != nil {
			return err
		}
		content, err := io.ReadAll(next)
		if err != nil {
			return err
		}
		if next.Header.Get("Content-Type") != part.kind {
			return errors.New("a part of the mail is " + next.Header.Get("Content-Type"))
		}
		*part.text = strings.ReplaceAll(string(content), "\r\n", "\n")
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		return errors.New("the mail has more than two parts")
	}
	return nil
}

// Subject returns the mail's subject, decoded.
func (m *Mail) Subject() string {
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		return err.Error()
	}
	return subject
}

// Reset forgets the mail that was begun.
func (s *mailSession) Reset() { s.mail.From, s.mail.To = "", nil }

// Logout does nothing.
func (s *mailSession) Logout() error { return nil }
