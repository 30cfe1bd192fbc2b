package cron_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"penstock/internal/cron"
)

// model is a slow schedule: it looks at every minute, and at each word of the line anew.
type model struct {
	words   []string
	minutes [60]bool
	zone    *time.Location
}

func newModel(line, zone string) model {
	for name, fields := range map[string]string{"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *"} {
		if line == name {
			line = fields
		}
	}
	m := model{words: strings.Fields(line), zone: time.UTC}
	for minute := range 60 {
		m.minutes[minute] = hasNumber(m.words[0], minute, 0, 59)
	}
	if zone != "" {
		var err error
		if m.zone, err = time.LoadLocation(zone); err != nil {
			panic(err)
		}
	}
	return m
}

// hasNumber reports whether a list of numbers and ranges has a number.
func hasNumber(list string, n, low, high int) bool {
	for item := range strings.SplitSeq(list, ",") {
		span, every, stepped := strings.Cut(item, "/")
		step := 1
		if stepped {
			step, _ = strconv.Atoi(every)
		}
		from, to := low, high
		if span != "*" {
			a, b, isRange := strings.Cut(span, "-")
			from, _ = strconv.Atoi(a)
			if to = from; isRange {
				to, _ = strconv.Atoi(b)
			} else if stepped {
				to = high
			}
		}
		for i := from; i <= to; i += step {
			if i == n {
				return true
			}
		}
	}
	return false
}

// matches reports whether what a clock shows is a time of the line.
func (m model) matches(shown time.Time) bool {
	if !m.minutes[shown.Minute()] || !hasNumber(m.words[1], shown.Hour(), 0, 23) || !hasNumber(m.words[3], int(shown.Month()), 1, 12) {
		return false
	}
	last := time.Date(shown.Year(), shown.Month()+1, 0, 12, 0, 0, 0, time.UTC).Day()
	day := strings.NewReplacer("-2-L", strconv.Itoa(last-1)+"-"+strconv.Itoa(last), "last", strconv.Itoa(last), "L", strconv.Itoa(last)).Replace(m.words[2])
	byDay := hasNumber(day, shown.Day(), 1, 31)
	byWeekday := false
	for item := range strings.SplitSeq(m.words[4], ",") {
		days, modulo, hasModulo := strings.Cut(item, "%")
		each, offset, _ := strings.Cut(modulo, "+")
		weeks, _ := strconv.Atoi(each)
		odd, _ := strconv.Atoi(offset)
		week := int(math.Floor(shown.Sub(time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)).Hours()/24/7)) + 1
		if hasNumber(days, int(shown.Weekday()), 0, 6) && (!hasModulo || ((week-odd)%weeks+weeks)%weeks == 0) {
			byWeekday = true
		}
	}
	switch {
	case m.words[2] == "*":
		return byWeekday
	case m.words[4] == "*":
		return byDay
	}
	return byDay || byWeekday
}

// show returns what the clock shows, as if it were UTC.
func (m model) show(at time.Time) time.Time {
	local := at.In(m.zone)
	return time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC)
}

// times returns all times from one on until another.
func (m model) times(from, until time.Time) (times []time.Time) {
	everyHour := true
	for hour := range 24 {
		everyHour = everyHour && hasNumber(m.words[1], hour, 0, 23)
	}
	latest := m.show(from.Add(-26 * time.Hour)) // the latest that the clock has shown
	for at := from.Add(-26 * time.Hour); at.Before(until); at = at.Add(time.Minute) {
		shown := m.show(at)
		is := m.matches(shown) && (everyHour || shown.After(latest))
		for skipped := latest.Add(time.Minute); !everyHour && skipped.Before(shown); skipped = skipped.Add(time.Minute) {
			is = is || m.matches(skipped)
		}
		if shown.After(latest) {
			latest = shown
		}
		if is && !at.Before(from) {
			times = append(times, at)
		}
	}
	return times
}

var lines = []string{
	"@hourly", "@daily", "@weekly", "@monthly", "@yearly", "*/10 * * * *", "30 * * * *", "0 */4 * * *", "30 1 * * *", "30 2 * * *", "15,45 0-3 * * *", "0 0 * * 1-5",
	"0 0 L * *", "5 23 -2-L * *", "0 0 1 */2 *", "0 16 last * *", "0 0 * * 2%2+1", "0 8 * * 0%3", "0 0 13 * 5", "0 3 29 2 *", "20 2 */5 3-11 *", "0 0 1,15 * 1%2", "50 1,2 * * *",
}

// TestNextAgainstTheModel compares the times of a year, and of the days around changes of clocks, in zones with odd ones.
func TestNextAgainstTheModel(t *testing.T) {
	t.Parallel()
	for place, in := range []struct {
		zone string
		year int
	}{
		{"", 2024}, {"Europe/London", 2025}, {"America/New_York", 2026}, {"Australia/Lord_Howe", 2025}, {"Asia/Kolkata", 2025}, {"Pacific/Apia", 2011}, {"Africa/Casablanca", 2026},
		{"America/Sao_Paulo", 2018}, {"Asia/Beirut", 2023}, {"Pacific/Chatham", 2025}, {"Africa/Cairo", 2024}, {"America/Caracas", 2016},
	} {
		for i, line := range lines {
			if (place+i)%3 != 0 { // each line in four zones, each zone with many lines
				continue
			}
			t.Run(line+" "+in.zone, func(t *testing.T) {
				t.Parallel()
				zone, year := in.zone, in.year
				from, until := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC)
				wanted := newModel(line, zone).times(from, until)
				s, err := cron.Parse(strings.TrimSpace(line + " " + zone))
				if err != nil {
					t.Fatal(err)
				}
				at := from.Add(-time.Minute)
				for n, want := range wanted {
					got, found := s.Next(at)
					if !found || !got.Equal(want) {
						t.Fatalf("time %d after %s is %s, want %s", n, at, got.In(s.Zone()), want.In(s.Zone()))
					}
					at = got
				}
				if got, _ := s.Next(at); got.Before(until) {
					t.Errorf("there is one more: %s", got)
				}
				// From any moment on, not only from one of the times.
				random := rand.New(rand.NewPCG(1, uint64(i)))
				for range 50 {
					after := from.Add(time.Duration(random.Int64N(int64(until.Sub(from)))))
					want := until
					for _, w := range wanted {
						if w.After(after) {
							want = w
							break
						}
					}
					if got, _ := s.Next(after); want != until && !got.Equal(want) {
						t.Fatalf("after %s comes %s, want %s", after, got, want)
					}
				}
			})
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	after := time.Date(2026, 5, 3, 4, 17, 55, 0, time.UTC) // a Sunday
	for line, want := range map[string]string{
		"*/10 * * * *":                  "2026-05-03T04:20:00Z",
		"@midnight":                     "2026-05-04T00:00:00Z",
		"@daily +09:00":                 "2026-05-03T15:00:00Z",
		"0 0 */2 * * +01:00":            "2026-05-04T23:00:00Z",
		"0 8 * * * America/Vancouver":   "2026-05-03T15:00:00Z",
		"0 16 * * SUN":                  "2026-05-03T16:00:00Z",
		"0 16 * * 7":                    "2026-05-03T16:00:00Z",
		"0 0 * * fri-mon":               "2026-05-04T00:00:00Z",
		"0 0 * * 5-7":                   "2026-05-08T00:00:00Z",
		"0 22-2 * * *":                  "2026-05-03T22:00:00Z",
		"0 0 1 JAN *":                   "2027-01-01T00:00:00Z",
		"0 0 L feb *":                   "2027-02-28T00:00:00Z",
		"0 0 29 2 *":                    "2028-02-29T00:00:00Z",
		"0 0 -2-L * *":                  "2026-05-30T00:00:00Z",
		"0 0 28-L * *":                  "2026-05-28T00:00:00Z",
		"0 0 * * 2%2+1":                 "2026-05-12T00:00:00Z",
		"  5   4 * *  *   ":             "2026-05-04T04:05:00Z",
		"30 2 29 3 * Europe/Berlin":     "2027-03-29T00:30:00Z",
		"0/20 * * * *":                  "2026-05-03T04:20:00Z",
		"15 4 3 5 * -05:30":             "2026-05-03T09:45:00Z",
		"0 0 * * * Etc/GMT+1":           "2026-05-04T01:00:00Z",
		"45 12 * * * Asia/Kathmandu":    "2026-05-03T07:00:00Z",
		"5 0 * * * Antarctica/Troll":    "2026-05-03T22:05:00Z",
		"0 12 * 2,4,6,8,10-12 mon#1 UT": "",
	} {
		s, err := cron.Parse(line)
		if want == "" {
			if err == nil {
				t.Errorf("%q is taken", line)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if got, _ := s.Next(after); got.Format(time.RFC3339) != want {
			t.Errorf("%q: the next time is %s, want %s", line, got.Format(time.RFC3339), want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                        "it is empty",
		"@reboot":                 `"@reboot" is not one of @hourly`,
		"@every 1h":               `"@every" is not one of`,
		"* * * *":                 "it has 4 fields",
		"0 0 0 * * * UTC":         "it has 7 fields",
		"0 ~ * * *":               "random times (~) are not supported",
		"* * * * *":               "less than 10 minutes apart",
		"*/5 * * * *":             "less than 10 minutes apart",
		"0,9 3 * * *":             "less than 10 minutes apart",
		"0,55 * * * *":            "less than 10 minutes apart",
		"60 * * * *":              `the minute is not a number from 0 to 59: "60"`,
		"0 24 * * *":              `the hour is not a number from 0 to 23: "24"`,
		"0 0 32 * *":              "the day of month is not a number from 1 to 31",
		"0 0 0 * *":               "the day of month is not a number from 1 to 31",
		"0 0 20-10 * *":           "is a range that ends before it begins",
		"0 0 1 13 *":              "the month is not a number from 1 to 12 or a name such as feb",
		"0 0 * * 8":               "the day of week is not a number from 0 to 7 or a name such as mon",
		"0 0 * * mon%0":           "has a modulo of 0",
		"0 0 * * mon%x":           "the day of week is not a number, a name or a range of them",
		"0 0 31 2 *":              "it names no time that ever comes",
		"*/0 * * * *":             "the minute has a step that is not a number from 1 to 59",
		"0 0 * * * Mars/Olympus":  `"Mars/Olympus" is not a time zone`,
		"0 0 * * * +25:00":        `"+25:00" is not a time zone`,
		"0 0 * * * Local":         `"Local" is not a time zone`,
		"0 0 * * * ../etc/passwd": "is not a time zone",
		strings.Repeat("0", 300):  "it is longer than 255 bytes",
	} {
		if _, err := cron.Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range lines {
		f.Add(line + " Europe/London")
	}
	f.Add("0 0 -31-L/3 */7 0-6%9999+9999 +14:00")
	f.Fuzz(func(t *testing.T, line string) {
		s, err := cron.Parse(line)
		if err != nil {
			return
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, next := range s.NextFew(at, 3) {
			if !next.After(at) {
				t.Fatalf("%q: %s comes after %s", line, next, at)
			}
			at = next
		}
	})
}
