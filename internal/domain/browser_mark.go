package domain

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// BrowserMarks is what a browser keeps of the users who signed in with it, to be known as theirs the next time: for
// each, a random name and a proof that they signed in. It lets nobody in.
type BrowserMarks string

// maxBrowserMarks is how many users a browser is known to.
const maxBrowserMarks = 4

// Known returns the browser's name to a user; empty if they have not signed in with it. A new password makes all their
// browsers unknown.
func (m BrowserMarks) Known(user UserID, passwordHash string) string {
	if passwordHash == "" {
		return ""
	}
	for _, mark := range m.split() {
		name, proof, _ := strings.Cut(mark, "-")
		if hmac.Equal([]byte(proof), []byte(proveBrowser(name, user, passwordHash))) {
			return name
		}
	}
	return ""
}

// With returns the marks with one of a user who has just signed in.
func (m BrowserMarks) With(user UserID, passwordHash string) BrowserMarks {
	if passwordHash == "" || m.Known(user, passwordHash) != "" {
		return m
	}
	name := randomBase62(22)
	marks := append([]string{name + "-" + proveBrowser(name, user, passwordHash)}, m.split()...)
	return BrowserMarks(strings.Join(marks[:min(len(marks), maxBrowserMarks)], "."))
}

func (m BrowserMarks) split() []string {
	if m == "" {
		return nil
	}
	return strings.SplitN(string(m), ".", maxBrowserMarks)
}

// proveBrowser returns the proof in a mark. Its key is what only the database has of the password, so that all nodes
// make the same one.
func proveBrowser(name string, user UserID, passwordHash string) string {
	mac := hmac.New(sha256.New, []byte(passwordHash))
	mac.Write([]byte("browser " + name + " of " + string(user)))
	return hex.EncodeToString(mac.Sum(nil))
}
