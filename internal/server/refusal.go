package server

import (
	"bytes"
	"cmp"
	"net"
	"strconv"
	"strings"

	"penstock/internal/authn"
)

// jsonListener's connections turn the refusals of net/http itself, of what is no HTTP request, from plain text into JSON.
type jsonListener struct{ net.Listener }

func (l jsonListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return jsonConn{conn}, nil
}

type jsonConn struct{ net.Conn }

var (
	statusLine    = []byte("HTTP/1.1 ")
	lineBreak     = []byte("\r\n")
	plainRefusal  = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	refusalReason = map[string]string{
		"400 Bad Request":                     "The request is not valid HTTP",
		"431 Request Header Fields Too Large": "The request's headers are too large",
		"501 Not Implemented":                 "The request's transfer encoding is not supported",
		"505 HTTP Version Not Supported":      "The HTTP version is not supported",
	}
)

// Write sends p, which for a refusal is the whole of it. Answers of handlers begin otherwise.
func (c jsonConn) Write(p []byte) (int, error) {
	rest, begins := bytes.CutPrefix(p, statusLine)
	if !begins {
		return c.Conn.Write(p)
	}
	line, rest, _ := bytes.Cut(rest, lineBreak)
	if !bytes.HasPrefix(rest, plainRefusal) {
		return c.Conn.Write(p)
	}
	status, _, _ := strings.Cut(string(line), ":")
	body := message(cmp.Or(refusalReason[status], "The request was refused"))
	_, err := c.Conn.Write([]byte("HTTP/1.1 " + status + "\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nX-Request-Id: " + authn.NewRequestID() + "\r\nConnection: close\r\n\r\n" + body))
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite lets the caller read the refusal before the connection is closed.
func (c jsonConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
