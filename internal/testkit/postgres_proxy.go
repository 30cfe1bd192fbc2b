package testkit

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// PostgresProxy stands between a program and PostgreSQL, and loses what a test wants lost.
type PostgresProxy struct {
	URL string // of the database, through the proxy

	network  string // of the server's address
	server   string
	listener net.Listener
	mutex    sync.Mutex
	fault    PostgresFault
	left     int           // how many times the fault is yet to happen
	silent   chan struct{} // closed: the connections that are open say nothing more
	deaf     bool          // notifications are lost
	away     bool          // nobody gets through
	sent     map[string]int
	open     map[net.Conn]bool
}

// PostgresFault is what the proxy does to a commit.
type PostgresFault int

// The faults, after each of which the connection is broken.
const (
	LoseCommit       PostgresFault = iota + 1 // the commit never arrives
	LoseCommitAnswer                          // the answer never arrives
	// the commit never arrives, and the server does not notice that the connection is gone
	HoldCommit
)

// NewPostgresProxy returns a proxy to the database at an address, postgres://….
func NewPostgresProxy(t testing.TB, address string) *PostgresProxy {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &PostgresProxy{listener: listener, silent: make(chan struct{}), sent: map[string]int{}, open: map[net.Conn]bool{}}
	p.network, p.server = pgconn.NetworkAddress(server.Host, server.Port)
	u.Host = listener.Addr().String()
	q := u.Query()
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	p.URL = u.String()
	go p.accept()
	t.Cleanup(p.Close)
	return p
}

// Fail makes the next n commits meet the fault.
func (p *PostgresProxy) Fail(fault PostgresFault, n int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.fault, p.left = fault, n
}

// Left returns how many commits are yet to meet the fault.
func (p *PostgresProxy) Left() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.left
}

// Silence makes the open connections say nothing more, without closing them. New ones work.
func (p *PostgresProxy) Silence() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	close(p.silent)
	p.silent = make(chan struct{})
}

// LoseNotifications says whether notifications are lost, as by a pooler.
func (p *PostgresProxy) LoseNotifications(lost bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.deaf = lost
}

// Sent returns how many times prepared statements were sent whose text has this in it.
func (p *PostgresProxy) Sent(text string) (n int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for statement, times := range p.sent {
		if strings.Contains(statement, text) {
			n += times
		}
	}
	return n
}

// Drop breaks the open connections. New ones work.
func (p *PostgresProxy) Drop() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
	clear(p.open)
}

// SetAway breaks the open connections and lets nobody connect, or lets everybody connect again.
func (p *PostgresProxy) SetAway(away bool) {
	p.mutex.Lock()
	p.away = away
	p.mutex.Unlock()
	if away {
		p.Drop()
	}
}

// Refuse lets nobody connect any more.
func (p *PostgresProxy) Refuse() { _ = p.listener.Close() }

// Close ends the proxy and its connections.
func (p *PostgresProxy) Close() {
	_ = p.listener.Close()
	p.Drop()
}

// meets reports whether a commit meets the fault now.
func (p *PostgresProxy) meets(faults ...PostgresFault) (PostgresFault, bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, fault := range faults {
		if p.left > 0 && p.fault == fault {
			p.left--
			return fault, true
		}
	}
	return 0, false
}

func (p *PostgresProxy) count(statement string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sent[statement]++
}

func (p *PostgresProxy) losesNotifications() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.deaf
}

func (p *PostgresProxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := new(net.Dialer).DialContext(context.Background(), p.network, p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mutex.Lock()
		if p.away {
			p.mutex.Unlock()
			_, _ = client.Close(), server.Close()
			continue
		}
		p.open[client], p.open[server] = true, true
		link := &postgresLink{proxy: p, client: client, server: server, silent: p.silent, statements: map[string]string{}}
		p.mutex.Unlock()
		go link.forwardRequests()
		go link.forwardAnswers()
	}
}

// postgresLink is a connection through the proxy.
type postgresLink struct {
	proxy          *PostgresProxy
	client, server net.Conn
	silent         chan struct{}
	statements     map[string]string // the text of each prepared one, by its name
}

func (l *postgresLink) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// forwardRequests forwards what the client sends, message by message.
func (l *postgresLink) forwardRequests() {
	closeServer := true
	defer func() {
		_ = l.client.Close()
		if closeServer {
			_ = l.server.Close()
		}
	}()
	if !l.forward(l.client, l.server, 0, nil) { // the first message has no type
		return
	}
	for {
		if !l.forward(l.client, l.server, 1, func(kind byte, body []byte) bool {
			if !l.isCommit(kind, body) {
				return true
			}
			fault, met := l.proxy.meets(LoseCommit, HoldCommit)
			closeServer = fault != HoldCommit
			return !met
		}) {
			return
		}
	}
}

// isCommit reports whether a client's message runs a commit.
func (l *postgresLink) isCommit(kind byte, body []byte) bool {
	parts := bytes.SplitN(body, []byte{0}, 3)
	switch kind {
	case 'P': // parse: the statement's name and text
		l.statements[string(parts[0])] = string(parts[1])
	case 'B': // bind: the portal's name and the statement's
		l.proxy.count(l.statements[string(parts[1])])
		return l.statements[string(parts[1])] == "commit"
	case 'Q':
		return string(parts[0]) == "commit"
	}
	return false
}

// forwardAnswers forwards what the server sends.
func (l *postgresLink) forwardAnswers() {
	defer func() { _ = l.client.Close() }()
	for {
		if !l.forward(l.server, l.client, 1, func(kind byte, body []byte) bool {
			if kind != 'C' || !bytes.HasPrefix(body, []byte("COMMIT")) {
				return true
			}
			_, met := l.proxy.meets(LoseCommitAnswer)
			if met {
				l.close()
			}
			return !met
		}) {
			return
		}
	}
}

// forward forwards a message whose type takes so many bytes, if wanted.
func (l *postgresLink) forward(from io.Reader, to io.Writer, typeBytes int,
	wanted func(kind byte, body []byte) bool) bool {
	head := make([]byte, typeBytes+4)
	if _, err := io.ReadFull(from, head); err != nil {
		return false
	}
	body := make([]byte, binary.BigEndian.Uint32(head[typeBytes:])-4)
	if _, err := io.ReadFull(from, body); err != nil {
		return false
	}
	select {
	case <-l.silent:
		return true
	default:
	}
	if typeBytes > 0 && head[0] == 'A' && l.proxy.losesNotifications() { // only the server sends these
		return true
	}
	if wanted != nil && !wanted(head[0], body) {
		return false
	}
	_, err := to.Write(append(head, body...))
	return err == nil
}
