package service

import (
	"errors"
	"slices"
	"strings"

	"penstock/internal/bootstrap"
)

// refusals are why something that the file declares cannot be made.
type refusals []refusal

type refusal struct {
	fault bootstrap.Fault
	means meaning
}

// meaning is what comes of a refusal.
type meaning int

// The meanings, the gravest first. What the file declares and is not there was deleted after it was declared.
const (
	atFault    meaning = iota // the file is wrong
	skipped                   // what the item belongs to was deleted
	incomplete                // the item would lack something that was deleted, and so the file is wrong
)

func (r refusals) Error() string {
	reasons := make([]string, len(r))
	for i, one := range r {
		reasons[i] = one.fault.Reason
	}
	return strings.Join(reasons, "; ")
}

// gravest returns those whose meaning decides what becomes of the item.
func (r refusals) gravest() (decisive refusals) {
	for _, one := range r {
		if !slices.ContainsFunc(r, func(other refusal) bool { return other.means < one.means }) {
			decisive = append(decisive, one)
		}
	}
	return decisive
}

func refuse(at bootstrap.Place, reason string) error { return refusals{{fault: at.Fault(reason)}} }

// together returns all the refusals among errs as one error, or else the first other error.
func together(errs ...error) error {
	var all refusals
	for _, err := range errs {
		found, ok := errors.AsType[refusals](err)
		if err != nil && !ok {
			return err
		}
		all = append(all, found...)
	}
	if all == nil {
		return nil
	}
	return all
}

// needed makes a refusal a fault also if what is missing was deleted: without it, the item would be another.
func needed(err error) error {
	found, ok := errors.AsType[refusals](err)
	if !ok {
		return err
	}
	all := slices.Clone(found)
	for i := range all {
		if all[i].means == skipped {
			all[i].means = incomplete
		}
	}
	return all
}
