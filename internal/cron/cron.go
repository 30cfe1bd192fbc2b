// Package cron reads lines that say when builds are to be created, and computes the times. It is pure and imports
// nothing of ours.
//
// A line has five fields (minute, hour, day of month, month, day of week) and may end with a time zone, or is one of
// the names such as @daily.
//
// Clocks change. A line that names every hour goes by time that passes: it neither repeats nor skips what clocks do. Of
// any other line, a time that the clock shows twice counts once, the first time, and times that the clock skips count
// as one, at the moment of the change.
package cron

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // the machine may have none
)

const (
	maxLine     = 255 // bytes
	minInterval = 10  // minutes between two builds
	maxYears    = 60  // until the next time
)

// Schedule is a line that was read.
type Schedule struct {
	minutes, hours, months set
	days                   []dayItem     // of the month; none: all
	weekdays               []weekdayItem // none: all
	zone                   *time.Location
	allHours               bool
}

// set is a set of small numbers.
type set uint64

func (s set) has(n int) bool { return s>>n&1 == 1 }

// dayItem is a range of days of a month. Negative ones count from the end: -1 is the last.
type dayItem struct{ from, to, step int }

func (i dayItem) has(day, last int) bool {
	from, to := fromStart(i.from, last), fromStart(i.to, last)
	return day >= from && day <= to && (day-from)%i.step == 0
}

func fromStart(day, last int) int {
	if day < 0 {
		return last + 1 + day
	}
	return day
}

// weekdayItem is a set of days of the week, in every week or in each of some.
type weekdayItem struct {
	days   set
	modulo int // 1: every week
	offset int
}

// firstWeek is when the first week begins that modulos count.
var firstWeek = time.Date(2019, time.January, 1, 0, 0, 0, 0, time.UTC)

func (i weekdayItem) has(local time.Time) bool {
	if !i.days.has(int(local.Weekday())) {
		return false
	}
	days := int(local.Truncate(24*time.Hour).Sub(firstWeek) / (24 * time.Hour))
	week := floorDiv(days, 7) + 1
	return i.modulo == 1 || mod(week, i.modulo) == mod(i.offset, i.modulo)
}

func mod(a, b int) int { return (a%b + b) % b }

func floorDiv(a, b int) int { return (a - mod(a, b)) / b }

// matchesDay reports whether a local time, written as if it were UTC, is on one of the days. If both the day of the
// month and that of the week are named, one of them is enough.
func (s *Schedule) matchesDay(local time.Time) bool {
	if !s.months.has(int(local.Month())) {
		return false
	}
	byDay, byWeekday := len(s.days) == 0, len(s.weekdays) == 0
	if byDay && byWeekday {
		return true
	}
	last := time.Date(local.Year(), local.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	for _, item := range s.days {
		if item.has(local.Day(), last) {
			return true
		}
	}
	for _, item := range s.weekdays {
		if item.has(local) {
			return true
		}
	}
	return false
}

// nextLocal returns the first local time that matches, from a whole minute on, both written as if they were UTC; false
// if there is none up to the end.
func (s *Schedule) nextLocal(from, end time.Time) (time.Time, bool) {
	day := from.Truncate(24 * time.Hour)
	for !day.After(end) {
		switch {
		case !s.months.has(int(day.Month())):
			day = time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		case s.matchesDay(day):
			if at, found := s.nextInDay(day, from); found {
				return at, true
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}, false
}

func (s *Schedule) nextInDay(day, from time.Time) (time.Time, bool) {
	for hour := range 24 {
		if !s.hours.has(hour) {
			continue
		}
		for minute := range 60 {
			at := day.Add(time.Duration(hour*60+minute) * time.Minute)
			if s.minutes.has(minute) && !at.Before(from) {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

// Next returns the first time after another; false if there is none for many years.
func (s *Schedule) Next(after time.Time) (time.Time, bool) {
	at := after.UTC().Truncate(time.Minute).Add(time.Minute)
	limit := at.AddDate(maxYears, 0, 0)
	for at.Before(limit) {
		// Between two changes of the clock, local time is as far from UTC all the time.
		start, end := at.In(s.zone).ZoneBounds()
		start, end = start.UTC(), end.UTC()
		offset := offsetAt(at, s.zone)
		from := at.Add(offset)
		if before := start.Add(-time.Nanosecond); !start.IsZero() && !s.allHours {
			if repeated := start.Add(offsetAt(before, s.zone)); repeated.After(from) {
				from = repeated // what was shown before the change
			}
		}
		until := limit.Add(offset)
		if !end.IsZero() {
			until = end.Add(offset)
		}
		if local, found := s.nextLocal(from, until); found && local.Before(until) {
			return local.Add(-offset), true
		}
		if end.IsZero() {
			break
		}
		at = ceilMinute(end)
		skipped := end.Add(offsetAt(end, s.zone)) // how far the clock jumps
		if local, found := s.nextLocal(until, skipped); !s.allHours && found && local.Before(skipped) {
			return at, true
		}
	}
	return time.Time{}, false
}

func offsetAt(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

func ceilMinute(at time.Time) time.Time {
	if whole := at.Truncate(time.Minute); whole.Before(at) {
		return whole.Add(time.Minute)
	}
	return at
}

// NextFew returns the first times after another, at most count.
func (s *Schedule) NextFew(after time.Time, count int) (times []time.Time) {
	for range count {
		at, found := s.Next(after)
		if !found {
			break
		}
		times = append(times, at)
		after = at
	}
	return times
}

// Zone returns the time zone of the line.
func (s *Schedule) Zone() *time.Location { return s.zone }

// checkInterval returns an error if two builds can be less than ten minutes apart.
func (s *Schedule) checkInterval() error {
	errTooOften := fmt.Errorf("builds can't be less than %d minutes apart", minInterval)
	first, last := -1, -1
	for minute := range 60 {
		if !s.minutes.has(minute) {
			continue
		}
		if last >= 0 && minute-last < minInterval {
			return errTooOften
		}
		if first < 0 {
			first = minute
		}
		last = minute
	}
	if first+60-last >= minInterval {
		return nil
	}
	for hour := range 24 {
		if s.hours.has(hour) && s.hours.has((hour+1)%24) {
			return errTooOften
		}
	}
	return nil
}

// ErrNever is returned for a line whose times never come.
var ErrNever = errors.New("it names no time that ever comes")
