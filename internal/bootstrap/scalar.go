package bootstrap

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"penstock/internal/domain"
)

var (
	secretType = reflect.TypeFor[domain.Secret]()
	dayType    = reflect.TypeFor[time.Time]()
	policyType = reflect.TypeFor[[]byte]()
)

// decodeScalar reads a single value. The target decides what it is, whether or not it is quoted.
func (d *decoder) decodeScalar(path string, node *yaml.Node, target reflect.Value) {
	text, ok := d.text(path, node)
	if !ok {
		return
	}
	if target.Type() != secretType {
		text = strings.TrimSpace(text)
	}
	switch {
	case target.Type() == dayType:
		day, err := time.Parse(domain.DateLayout, text)
		if err != nil {
			d.fault(path, "must be a date such as 2026-01-31")
		}
		target.Set(reflect.ValueOf(day))
	case target.Kind() == reflect.Bool:
		if !isBoolean(text) {
			d.fault(path, "must be true or false")
		}
		target.SetBool(strings.EqualFold(text, "true"))
	case target.Kind() == reflect.Int64:
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			d.fault(path, "must be a whole number")
		}
		target.SetInt(number)
	default:
		target.SetString(text)
	}
}

func isBoolean(text string) bool {
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}

// text returns a single value with its variables replaced.
func (d *decoder) text(path string, node *yaml.Node) (text string, ok bool) {
	text, err := expand(restoreBraces.Replace(node.Value), d.getenv)
	if err == nil && !domain.ValidText(text) {
		err = errors.New("must be valid UTF-8 without NUL")
	}
	if err != nil {
		d.fault(path, "%v", err)
	}
	return text, err == nil
}

var variableOrBrace = regexp.MustCompile(`\$?(?:` + variable.String() + `|\$\{)`)

// expand replaces each ${NAME} in text by the variable's value, and each $${ by ${.
func expand(text string, getenv func(string) (string, bool)) (_ string, err error) {
	text = variableOrBrace.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "$$") {
			return found[1:]
		}
		name := strings.Trim(found, "${}")
		value, set := getenv(name)
		switch {
		case name == "":
			err = errors.New("${ must begin a variable such as ${NAME} (write $${ for a literal ${)")
		case !set:
			err = fmt.Errorf("environment variable %s is not set", name)
		}
		return value
	})
	return text, err
}
