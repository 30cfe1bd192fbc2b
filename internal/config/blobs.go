package config

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	s3Scheme = "s3"
	// blobsFolder is the folder of the data directory that blobs are stored in unless another place is named.
	blobsFolder = "blobs"
	// defaultRegion is what stores of one region mostly say theirs is.
	defaultRegion = "us-east-1"
)

// BlobFlags adds the flag that says where logs and artifacts are stored.
func (c *Config) BlobFlags(f *Flags) {
	f.Text(&c.Blobs, "blobs", "PLACE", "where to store artifacts and the logs of finished jobs: a directory, or a "+
		"bucket of an S3-compatible store, as "+
		"s3://BUCKET/PREFIX?region=REGION&endpoint=URL with its keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. If "+
		"unset, the directory "+
		"blobs in --data. Servers that share a database need a bucket or a shared directory")
}

// BlobPlace is where logs and artifacts are stored: a directory, or a bucket of an S3-compatible store.
type BlobPlace struct {
	Directory string // empty: a bucket
	Bucket    string
	Prefix    string // of the keys in the bucket, without a slash at either end
	Region    string
	Endpoint  string // empty: Amazon's, of the region
}

// BlobPlace returns the place that Blobs names, or the default. Validate has found nothing wrong.
func (c *Config) BlobPlace() BlobPlace {
	if c.Blobs == "" {
		return BlobPlace{Directory: filepath.Join(c.Data, blobsFolder)}
	}
	place, _ := parseBlobs(c.Blobs)
	return place
}

func blobsFault(blobs string) string {
	_, fault := parseBlobs(blobs)
	return fault
}

// What can be in the name of a bucket, and between two slashes of a prefix.
var (
	bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixPattern = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*$`)
)

// parseBlobs reads the place, and returns what is wrong with it. That does not repeat a URL, which may have been given
// with a secret in it.
func parseBlobs(blobs string) (place BlobPlace, fault string) {
	scheme, _, isURL := strings.Cut(blobs, ":")
	if scheme != s3Scheme && !strings.Contains(blobs, "://") {
		return BlobPlace{Directory: blobs}, ""
	}
	u, err := url.Parse(blobs)
	if !isURL || err != nil || u.Scheme != s3Scheme || u.Host == "" {
		return BlobPlace{}, "must be a directory, or a bucket as s3://bucket/prefix?region=eu-central-1"
	}
	query, err := url.ParseQuery(u.RawQuery)
	place = BlobPlace{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Region: query.Get("region"),
		Endpoint: strings.TrimSuffix(query.Get("endpoint"), "/")}
	switch {
	case u.User != nil:
		return place, "must not hold keys: they are given by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
	case err != nil || u.Fragment != "" || unknownParameter(query) != "":
		return place, "takes after its ? only region and endpoint, each once"
	case !bucketPattern.MatchString(place.Bucket):
		return place, "must name a bucket, of 3 to 63 lower-case letters, digits, dots and hyphens, after s3://"
	case place.Prefix != "" && !prefixPattern.MatchString(place.Prefix+"/"):
		return place, "must have a prefix of letters, digits, dots, hyphens, underscores and single slashes after its bucket"
	case place.Endpoint == "" && place.Region == "":
		return place, "must say the bucket's region, as s3://bucket?region=eu-central-1, or the endpoint of a store that " +
			"is not Amazon's"
	case place.Endpoint != "" && !isEndpoint(place.Endpoint):
		return place, "must have the http:// or https:// URL of a host, such as https://s3.example.com, as its endpoint"
	}
	place.Region = cmp.Or(place.Region, defaultRegion)
	return place, ""
}

// unknownParameter returns the name of a parameter that is none of ours, or is there twice.
func unknownParameter(query url.Values) string {
	for name, values := range query {
		if !slices.Contains([]string{"region", "endpoint"}, name) || len(values) > 1 {
			return name
		}
	}
	return ""
}

func isEndpoint(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && isHTTP(u) && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

// String returns the directory, or the bucket as a URL.
func (p BlobPlace) String() string {
	if p.Directory != "" {
		return p.Directory
	}
	return fmt.Sprintf("%s://%s/%s", s3Scheme, p.Bucket, p.Prefix)
}
