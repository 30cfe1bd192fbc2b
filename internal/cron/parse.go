package cron

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var named = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
}

// field says which numbers a field can have, and what else they are called.
type field struct {
	label    string
	min, max int
	names    []string // of the numbers from min on
}

var (
	minuteField = field{label: "minute", min: 0, max: 59}
	hourField   = field{label: "hour", min: 0, max: 23}
	dayField    = field{label: "day of month", min: 1, max: 31}
	monthField  = field{label: "month", min: 1, max: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul",
		"aug", "sep", "oct", "nov", "dec"}}
	weekdayField = field{label: "day of week", min: 0, max: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri",
		"sat"}}
)

// Parse reads a line. What is wrong with it is said in words for its author.
func Parse(line string) (*Schedule, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("it is longer than %d bytes", maxLine)
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("it is empty")
	}
	if strings.HasPrefix(words[0], "@") {
		fields, known := named[words[0]]
		if !known {
			return nil, fmt.Errorf("%q is not one of @hourly, @daily, @midnight, @weekly, @monthly and @yearly", words[0])
		}
		words = append(strings.Fields(fields), words[1:]...)
	}
	if strings.Contains(line, "~") {
		return nil, errors.New("random times (~) are not supported")
	}
	if len(words) != 5 && len(words) != 6 {
		return nil, fmt.Errorf("it has %d fields; it needs minute, hour, day of month, month and day of week, and may end "+
			"with a time zone", len(words))
	}
	s := &Schedule{zone: time.UTC}
	if err := s.readFields(words); err != nil {
		return nil, err
	}
	if len(words) == 6 {
		zone, err := parseZone(words[5])
		if err != nil {
			return nil, err
		}
		s.zone = zone
	}
	s.allHours = s.hours == 1<<24-1
	if err := s.checkInterval(); err != nil {
		return nil, err
	}
	if _, ever := s.nextLocal(firstWeek, firstWeek.AddDate(maxYears, 0, 0)); !ever {
		return nil, ErrNever
	}
	return s, nil
}

func (s *Schedule) readFields(words []string) (err error) {
	if s.minutes, err = minuteField.parse(words[0]); err != nil {
		return err
	}
	if s.hours, err = hourField.parse(words[1]); err != nil {
		return err
	}
	if s.days, err = parseDays(words[2]); err != nil {
		return err
	}
	if s.months, err = monthField.parse(words[3]); err != nil {
		return err
	}
	s.weekdays, err = parseWeekdays(words[4])
	return err
}

func (f field) faultf(format string, args ...any) error {
	return fmt.Errorf("the %s %s", f.label, fmt.Sprintf(format, args...))
}

// parse reads a list of numbers and ranges, with steps.
func (f field) parse(list string) (set, error) {
	var all set
	for item := range strings.SplitSeq(list, ",") {
		some, err := f.parseItem(item)
		if err != nil {
			return 0, err
		}
		all |= some
	}
	return all, nil
}

// parseItem reads a number or a range, with a step. A range may go over the end: 22-2 are five hours.
func (f field) parseItem(item string) (set, error) {
	span, stepText, hasStep := strings.Cut(item, "/")
	step, err := f.parseStep(stepText, hasStep)
	if err != nil {
		return 0, err
	}
	from, to := f.min, f.max
	if f.max == 7 { // Sunday has two numbers
		to = 6
	}
	if span != "*" {
		first, second, isRange := strings.Cut(span, "-")
		if from, err = f.number(first); err != nil {
			return 0, err
		}
		switch {
		case isRange:
			if to, err = f.number(second); err != nil {
				return 0, err
			}
		case !hasStep:
			to = from
		}
	}
	size := f.max - f.min + 1
	if f.max == 7 {
		size, from = 7, from%7
		if to %= 7; to < from && span != "*" && strings.HasSuffix(span, "7") {
			to = 7
		}
	}
	if to < from {
		to += size
	}
	var numbers set
	for n := from; n <= to; n += step {
		numbers |= 1 << ((n-f.min)%size + f.min)
	}
	return numbers, nil
}

func (f field) parseStep(text string, given bool) (int, error) {
	if !given {
		return 1, nil
	}
	step, err := strconv.Atoi(text)
	if err != nil || step < 1 || step > f.max {
		return 0, f.faultf("has a step that is not a number from 1 to %d: %q", f.max, text)
	}
	return step, nil
}

func (f field) number(text string) (int, error) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.min + i, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || strings.HasPrefix(text, "+") || n < f.min || n > f.max {
		more := ""
		if f.names != nil {
			more = " or a name such as " + f.names[1]
		}
		return 0, f.faultf("is not a number from %d to %d%s: %q", f.min, f.max, more, text)
	}
	return n, nil
}

var dayPattern = regexp.MustCompile(`^(\*|-?\d{1,2}|[Ll]|last)(?:-(-?\d{1,2}|[Ll]|last))?(?:/(.*))?$`)

// parseDays reads days of the month, of which the last have names of their own. Nil is every day.
func parseDays(list string) (items []dayItem, err error) {
	if list == "*" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		parts := dayPattern.FindStringSubmatch(text)
		if parts == nil {
			return nil, dayField.faultf("is not a number from 1 to 31, L or a range of them: %q", text)
		}
		item := dayItem{from: 1, to: 31}
		hasStep := strings.Contains(text, "/")
		if item.step, err = dayField.parseStep(parts[3], hasStep); err != nil {
			return nil, err
		}
		if parts[1] != "*" {
			if item.from, err = dayNumber(parts[1]); err != nil {
				return nil, err
			}
			switch {
			case parts[2] != "":
				item.to, err = dayNumber(parts[2])
			case !hasStep:
				item.to = item.from
			}
			if err != nil {
				return nil, err
			}
		} else if parts[2] != "" {
			return nil, dayField.faultf("is not a range of days: %q", text)
		}
		if (item.from > 0) == (item.to > 0) && item.to < item.from {
			return nil, dayField.faultf("is a range that ends before it begins: %q", text)
		}
		items = append(items, item)
	}
	return items, nil
}

func dayNumber(text string) (int, error) {
	if strings.EqualFold(text, "l") || text == "last" {
		return -1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 || n < -31 || n > 31 {
		return 0, dayField.faultf("is not a number from 1 to 31, or L: %q", text)
	}
	return n, nil
}

var weekdayPattern = regexp.MustCompile(`^([^%]+)(?:%(\d{1,4})(?:\+(\d{1,4}))?)?$`)

// parseWeekdays reads days of the week, some of them in each of several weeks only. Nil is every day.
func parseWeekdays(list string) (items []weekdayItem, err error) {
	if list == "*" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		parts := weekdayPattern.FindStringSubmatch(text)
		if parts == nil {
			return nil, weekdayField.faultf("is not a number, a name or a range of them, which %%n or %%n+m may follow: %q",
				text)
		}
		item := weekdayItem{modulo: 1}
		if item.days, err = weekdayField.parseItem(parts[1]); err != nil {
			return nil, err
		}
		if parts[2] != "" {
			item.modulo, _ = strconv.Atoi(parts[2])
			item.offset, _ = strconv.Atoi(parts[3])
		}
		if item.modulo < 1 {
			return nil, weekdayField.faultf("has a modulo of 0: %q", text)
		}
		items = append(items, item)
	}
	return items, nil
}

var offsetPattern = regexp.MustCompile(`^([+-])(\d\d):(\d\d)$`)

func parseZone(name string) (*time.Location, error) {
	if parts := offsetPattern.FindStringSubmatch(name); parts != nil {
		hours, _ := strconv.Atoi(parts[2])
		minutes, _ := strconv.Atoi(parts[3])
		if seconds := (hours*60 + minutes) * 60; minutes < 60 && seconds <= 14*60*60 {
			if parts[1] == "-" {
				seconds = -seconds
			}
			return time.FixedZone(name, seconds), nil
		}
	} else if zone, err := time.LoadLocation(name); err == nil && name != "Local" {
		return zone, nil
	}
	return nil, fmt.Errorf("%q is not a time zone: use a name such as Europe/Berlin, or an offset such as +09:00", name)
}
