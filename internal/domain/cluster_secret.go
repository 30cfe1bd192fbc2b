package domain

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxSecretKey   = 255     // characters
	maxSecretValue = 8 << 10 // bytes
	maxPolicy      = 10_000  // characters
)

var (
	secretKeyPattern  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	reservedSecretKey = regexp.MustCompile(`(?i)^(buildkite|bk)`)
)

// SecretKeyTaken is the reason why a key is refused that another secret of the cluster has.
const SecretKeyTaken = "Key has already been taken"

// ClusterSecret is a value that jobs of a cluster can ask for by its key. The value itself is stored apart, encrypted.
type ClusterSecret struct {
	ID          ClusterSecretID
	ClusterID   ClusterID
	Key         string
	Description *string
	Policy      *string // as it was written, in YAML; nil: every job of the cluster may read the value
	CreatedAt   time.Time
	UpdatedAt   time.Time
	LastReadAt  *time.Time // by a job; kept to the minute
}

// ClusterSecretInput is what a caller sends to make or change a secret.
type ClusterSecretInput struct {
	Key         Optional[string]
	Value       Optional[Secret]
	Description Optional[string]
	Policy      Optional[string]
}

// NewClusterSecret returns the secret that the input describes.
func NewClusterSecret(in ClusterSecretInput, cluster ClusterID, now time.Time, faults *Faults) (ClusterSecret, Secret) {
	s := ClusterSecret{ID: NewID[ClusterSecretID](), ClusterID: cluster, Key: in.Key.Value, CreatedAt: now}
	if !faults.Has("key") {
		checkSecretKey(in.Key.Value, faults)
	}
	value := CheckSecretValue(in.Value, faults)
	s.apply(in, now, faults)
	return s, value
}

// Apply makes the changes of the input.
func (s *ClusterSecret) Apply(in ClusterSecretInput, now time.Time, faults *Faults) {
	if in.Key.Given {
		faults.AddWhole("key", "The key parameter cannot be updated.")
	}
	if in.Value.Given {
		faults.AddWhole("value", "The value parameter cannot be updated here. Send it to the secret's value.")
	}
	s.apply(in, now, faults)
}

func (s *ClusterSecret) apply(in ClusterSecretInput, now time.Time, faults *Faults) {
	if in.Description.HasValue() {
		in.Description.Value = CheckText("description", "Description", in.Description.Value, maxDescription, faults)
	}
	in.Description.ApplyTo(&s.Description)
	if in.Policy.HasValue() {
		if strings.TrimSpace(in.Policy.Value) == "" {
			in.Policy.Null = true
		} else if _, err := ParseSecretPolicy(in.Policy.Value); err != nil && !faults.Has("policy") {
			faults.Add("policy", "Policy is not valid: "+err.Error())
		}
	}
	in.Policy.ApplyTo(&s.Policy)
	s.UpdatedAt = now
}

func checkSecretKey(key string, faults *Faults) {
	switch {
	case key == "":
		faults.Add("key", "Key can't be blank")
	case !secretKeyPattern.MatchString(key):
		faults.Add("key", "Key can only contain letters, digits and underscores, and must begin with a letter")
	case reservedSecretKey.MatchString(key):
		faults.Add("key", "Key can't begin with buildkite or bk")
	case len(key) > maxSecretKey:
		faults.Add("key", tooLongReason("Key", maxSecretKey))
	}
}

// CheckSecretValue returns a new value of a secret.
func CheckSecretValue(value Optional[Secret], faults *Faults) Secret {
	text := value.Value.Reveal()
	switch {
	case faults.Has("value"):
	case text == "":
		faults.Add("value", "Value can't be blank")
	case !ValidText(text):
		faults.Add("value", "Value must be valid UTF-8 without NUL")
	case len(text) > maxSecretValue:
		faults.Add("value", "Value is too long (maximum is "+strconv.Itoa(maxSecretValue)+" bytes)")
	}
	return value.Value
}

// ClusterSecretView is a secret with what is shown along with it.
type ClusterSecretView struct {
	ClusterSecret
	OrganizationID   OrganizationID
	OrganizationSlug string
	CreatedBy        *User
	UpdatedBy        *User
}

// WithoutCounts returns the secret without when it was read last, which jobs change all the time.
func (v ClusterSecretView) WithoutCounts() ClusterSecretView {
	v.LastReadAt = nil
	return v
}
