package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// form is a form of a page. The template "form" shows all of it: its fields with what was typed and what is wrong with
// it.
type form struct {
	Fields   []field
	Submit   string // what the button says
	Cancel   string // address to go back to; empty: none
	Keep     string // what the link back says; empty: Cancel
	Danger   bool   // the button destroys something
	Guarded  bool   // browsers ask before what was typed is lost
	Action   string // address to send it to; empty: the page's own
	ReturnTo string // for the page that takes it; empty: nowhere
	Token    string
	Version  string    // of what there was when the form was first shown; empty: it makes something new
	Problems []problem // for the summary
	present  string    // the version of what there is now
}

// problem is something wrong with what was typed.
type problem struct {
	Field  string // empty, or the name of a field of the form
	Reason string
}

// field is an input of a form. Its name is that of the domain's field, so that faults find it.
type field struct {
	Name  string
	Label string
	// text if empty; email, password, number, date, emoji, color, textarea, select, radio, checkbox, checkboxes, hidden
	Kind         string
	Noun         string // what messages call it; empty: as the label does
	Help         string
	Required     bool
	Autofocus    bool
	Autocomplete string
	Placeholder  string
	Code         bool     // is shown in a fixed width
	Language     string   // of a textarea with code: json, yaml or graphql, whose parts have colors
	Rows         int      // of a textarea
	Options      []option // of a select, radio or checkboxes
	Examples     []string // of a select: what the form's field "variables" begins with, for each option
	Value        string   // at first; of a checkbox: on
	Values       []string // at first, of checkboxes
	Errors       []string // what is wrong with it
	stored       string   // of an emoji: what there is
}

// option is a choice of a field.
type option struct{ Value, Label, Help string }

// newForm returns a form with those fields. If it was sent, they have what was typed; passwords are not kept.
func (c *call) newForm(submit string, fields ...field) *form {
	f := &form{Fields: fields, Submit: submit, Token: c.formToken()}
	if !c.isPost() {
		return f
	}
	for i := range f.Fields {
		f.Fields[i].setTyped(c.R.PostForm)
	}
	return f
}

// versionField is the name of the field with a form's Version.
const versionField = "shown_version"

// editForm is newForm for a form that changes something; at first, its fields have what there is.
func (c *call) editForm(submit string, fields ...field) *form {
	present := versionOf(fields)
	f := c.newForm(submit, fields...)
	f.present, f.Version = present, present
	if c.isPost() {
		f.Version = c.R.PostForm.Get(versionField)
	}
	return f
}

// versionOf returns a text that differs if the values of fields do.
func versionOf(fields []field) string {
	hash := sha256.New()
	for _, fd := range fields {
		fmt.Fprintf(hash, "%q %q %q ", fd.Name, strings.ReplaceAll(fd.Value, "\r\n", "\n"), fd.Values)
	}
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil))
}

var errChangedMeanwhile = domain.NewError(domain.PreconditionFailed,
	"Someone else changed this after you opened it. Your changes aren't saved yet: save again to replace theirs.")

// expectUnchanged expects that the form's fields still have the values that it was first shown with, or have what was
// typed already.
func expectUnchanged[V any](f *form, fields func(V) []field) *core.Precondition[V] {
	if f.Version == "" {
		return nil
	}
	return core.Expect(func(v V) bool {
		present := versionOf(fields(v))
		return present == f.Version || present == versionOf(f.Fields)
	}, errChangedMeanwhile)
}

func (fd *field) setTyped(typed url.Values) {
	switch fd.Kind {
	case "checkboxes":
		fd.Values = typed[fd.Name]
	default:
		fd.Value = typed.Get(fd.Name)
	}
}

// Input is the id of a field's element.
func (fd field) Input() string { return "field-" + fd.Name }

// Describes is the ids of the elements that describe the field.
func (fd field) Describes() string {
	var ids []string
	if fd.Help != "" {
		ids = append(ids, fd.Input()+"-help")
	}
	if len(fd.Errors) > 0 {
		ids = append(ids, fd.Input()+"-error")
	}
	return strings.Join(ids, " ")
}

// Type is the type of the field's input element.
func (fd field) Type() string {
	switch fd.Kind {
	case "", "emoji", "color":
		return "text"
	}
	return fd.Kind
}

// Chosen reports whether an option is the field's value.
func (fd field) Chosen(value string) bool {
	if fd.Kind == "checkboxes" {
		return slices.Contains(fd.Values, value)
	}
	return fd.Value == value
}

func (f *form) fieldNamed(name string) *field {
	i := slices.IndexFunc(f.Fields, func(fd field) bool { return fd.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Fields[i]
}

// typed returns what was typed into a field, or chosen.
func (f *form) typed(name string) string {
	if fd := f.fieldNamed(name); fd != nil {
		return strings.ReplaceAll(fd.Value, "\r\n", "\n")
	}
	return ""
}

// typedInput returns what was typed into a field as an input of the service.
func (f *form) typedInput(name string) domain.Optional[string] { return domain.Some(f.typed(name)) }

// typedOrNull is typedInput, with null for an empty field.
func (f *form) typedOrNull(name string) domain.Optional[string] {
	if text := f.typed(name); strings.TrimSpace(text) != "" {
		return domain.Some(text)
	}
	return domain.Null[string]()
}

// typedNumber returns the number that was typed into a field, with null for an empty field. It adds a fault if that is
// not a number.
func (f *form) typedNumber(name string, faults *domain.Faults) domain.Optional[int64] {
	text := strings.TrimSpace(f.typed(name))
	if text == "" {
		return domain.Null[int64]()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		faults.Add(name, f.fieldNamed(name).noun()+" must be a whole number")
		return domain.Optional[int64]{}
	}
	return domain.Some(n)
}

// isChecked reports whether a checkbox is checked.
func (f *form) isChecked(name string) bool { return f.typed(name) != "" }

// settingFields are the fields of settings that apply to a thing, with its values.
func settingFields[T, In any](settings []domain.Setting[T, In], thing *T) (fields []field) {
	for _, s := range settings {
		if s.AppliesTo != nil && !s.AppliesTo(thing) {
			continue
		}
		fd := field{Name: s.Name, Label: s.FormLabel, Noun: s.FormNoun, Placeholder: s.Placeholder, Help: s.Help}
		switch {
		case s.Flag != nil:
			fd.Kind, fd.Value = "checkbox", checkboxValue(*s.Flag(thing))
		case s.Line != nil:
			fd.Code, fd.Value = true, textOrEmpty(*s.Line(thing))
			if s.Rows > 0 {
				fd.Kind, fd.Rows, fd.Code = "textarea", s.Rows, false
			}
		case s.Minutes != nil:
			fd.Kind = "number"
			if minutes := *s.Minutes(thing); minutes != nil {
				fd.Value = strconv.FormatInt(*minutes, 10)
			}
		case s.Choice != nil:
			fd.Kind, fd.Value = "radio", *s.Choice(thing)
			for _, c := range s.Choices {
				fd.Options = append(fd.Options, option{c.Value, c.FormLabel, c.Help})
			}
		}
		fields = append(fields, fd)
	}
	return fields
}

// readSettings reads those fields of settings that the form has.
func readSettings[T, In any](f *form, settings []domain.Setting[T, In], in *In, faults *domain.Faults) {
	for _, s := range settings {
		switch {
		case f.fieldNamed(s.Name) == nil:
		case s.Flag != nil:
			*s.FlagIn(in) = domain.Some(f.isChecked(s.Name))
		case s.Line != nil:
			*s.LineIn(in) = f.typedOrNull(s.Name)
		case s.Minutes != nil:
			*s.MinutesIn(in) = f.typedNumber(s.Name, faults)
		case s.Choice != nil:
			*s.ChoiceIn(in) = f.typedInput(s.Name)
		}
	}
}

// checkedValues returns which of several checkboxes are checked.
func (f *form) checkedValues(name string) []string {
	if fd := f.fieldNamed(name); fd != nil {
		return fd.Values
	}
	return nil
}

// popSecret returns what was typed into a password field, and forgets it, so that it is not shown again.
func (f *form) popSecret(name string) domain.Secret {
	fd := f.fieldNamed(name)
	if fd == nil {
		return ""
	}
	value := domain.Secret(fd.Value)
	fd.Value = ""
	return value
}

// addError puts what the service found wrong beside the fields. It returns an error that is not about the form.
func (f *form) addError(err error) error {
	if errors.Is(err, errChangedMeanwhile) {
		f.Version = f.present
		f.Problems = append(f.Problems, problem{Reason: errChangedMeanwhile.Error()})
		return nil
	}
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || e.Code != domain.Invalid {
		return err
	}
	if len(e.Fields) == 0 {
		f.Problems = append(f.Problems, problem{Reason: e.Error()})
	}
	for _, fault := range e.Fields {
		f.addFault(fault.Field, fault.Reason)
	}
	slices.SortStableFunc(f.Problems, func(a, b problem) int {
		return cmp.Compare(f.indexOf(a.Field), f.indexOf(b.Field))
	})
	return nil
}

// indexOf returns where a field stands in the form; -1: it has none of that name.
func (f *form) indexOf(name string) int {
	return slices.IndexFunc(f.Fields, func(fd field) bool { return fd.Name == name })
}

// addFault says what is wrong with a field; one that the form does not have is named in the summary only.
func (f *form) addFault(name, reason string) {
	if fd := f.fieldNamed(name); fd != nil {
		reason = strings.Replace(fd.nameIn(reason), ", or null", ", or empty", 1)
		fd.Errors = append(fd.Errors, reason)
		f.Problems = append(f.Problems, problem{Field: name, Reason: reason})
		return
	}
	f.Problems = append(f.Problems, problem{Reason: reason})
}

// noun is what messages call the field.
func (fd *field) noun() string { return cmp.Or(fd.Noun, fd.Label) }

// nameIn returns a fault with the field called as the form calls it: the service knows it by the name that programs
// use.
func (fd *field) nameIn(reason string) string {
	shown := fd.noun()
	if shown == "" {
		return reason
	}
	last := fd.Name[strings.LastIndexByte(fd.Name, '.')+1:]
	words := strings.Fields(strings.ReplaceAll(last, "_", " "))
	names := []string{fd.Name, last, strings.Join(words, " "), strings.Join(words[:len(words)-1], " "),
		words[len(words)-1]}
	for _, name := range names {
		if len(name) < len(reason) && name != "" && strings.EqualFold(reason[:len(name)], name) && reason[len(name)] == ' ' {
			return shown + reason[len(name):]
		}
	}
	return reason
}

// focusFirst lets a page begin at its form's first field, unless something is wrong: then it begins at what that is.
func (f *form) focusFirst() {
	focused := slices.ContainsFunc(f.Fields, func(fd field) bool { return fd.Autofocus })
	if focused || f.Danger || len(f.Problems) > 0 {
		return
	}
	for i := range f.Fields {
		switch f.Fields[i].Kind {
		case "hidden":
			continue
		case "radio", "checkboxes": // one of their choices would have to be chosen
			return
		}
		f.Fields[i].Autofocus = true
		return
	}
}

// showForm answers with a page that has the form, and says by the status whether something is wrong with what was
// typed.
func (c *call) showForm(f *form, p page) *reply {
	if p.template == "form" || p.template == "account_password" {
		f.focusFirst()
	}
	r := c.show(p)
	if len(f.Problems) > 0 {
		r.status = http.StatusUnprocessableEntity
	}
	return r
}
