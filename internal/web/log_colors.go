package web

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// logColors writes the colors of a log as ones that the stylesheet has a class for: it has the 256 of terminals, and
// knows neither others nor what it is to exchange the two colors of a text.
type logColors struct {
	text, ground string // parameters that set the present colors; empty: the log's own
	turned       bool
}

// The colors of a log, for text whose colors are exchanged.
const (
	ownText   = "38;5;252"
	ownGround = "48;5;234"
)

// adapt returns a text with its colors as the stylesheet knows them. A control sequence that does not end in it stays
// as it is.
func (c *logColors) adapt(text []byte) []byte {
	if !bytes.Contains(text, []byte("\x1b[")) {
		return text
	}
	var out []byte
	for {
		i := bytes.Index(text, []byte("\x1b["))
		if i < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:i]...), text[i:]
		length := max(1, sequenceLength(text))
		sequence := text[:length]
		if length > 2 && sequence[length-1] == 'm' {
			sequence = c.change(sequence)
		}
		out, text = append(out, sequence...), text[length:]
	}
}

// change follows a sequence that changes how text looks, and returns what does the same.
func (c *logColors) change(sequence []byte) []byte {
	codes := strings.Split(string(sequence[2:len(sequence)-1]), ";")
	var same []string // those that are not about color
	before := *c
	adapted := c.turned
	for i := 0; i < len(codes); i++ {
		code, err := strconv.Atoi(codes[i])
		switch {
		case codes[i] == "" || code == 0 && err == nil:
			*c, same = logColors{}, []string{"0"}
		case code == 7:
			c.turned, adapted = true, true
		case code == 27:
			c.turned, adapted = false, true
		case code == 38 || code == 48:
			color, used := readColor(codes[i+1:])
			adapted = adapted || used > 2
			i += used
			if color != "" && code == 38 {
				c.text = "38;5;" + color
			} else if color != "" {
				c.ground = "48;5;" + color
			}
		case code >= 30 && code <= 37 || code >= 90 && code <= 97:
			c.text = codes[i]
		case code == 39:
			c.text = ""
		case code >= 40 && code <= 47 || code >= 100 && code <= 107:
			c.ground = codes[i]
		case code == 49:
			c.ground = ""
		default:
			same = append(same, codes[i])
		}
	}
	if !adapted && !before.turned {
		return sequence
	}
	text, ground := orOwn(c.text, "39"), orOwn(c.ground, "49")
	if c.turned {
		text, ground = asText(orOwn(c.ground, ownGround)), asGround(orOwn(c.text, ownText))
	}
	return []byte("\x1b[" + strings.Join(slices.Concat(same, []string{text, ground}), ";") + "m")
}

func orOwn(color, own string) string {
	if color == "" {
		return own
	}
	return color
}

// asText returns the parameters that make text as the ground is that others make.
func asText(ground string) string {
	if rest, found := strings.CutPrefix(ground, "48;"); found {
		return "38;" + rest
	}
	return shiftColor(ground, -10)
}

// asGround is asText the other way round.
func asGround(text string) string {
	if rest, found := strings.CutPrefix(text, "38;"); found {
		return "48;" + rest
	}
	return shiftColor(text, 10)
}

func shiftColor(code string, by int) string {
	number, err := strconv.Atoi(code)
	if err != nil || strings.HasPrefix(code, "38") || strings.HasPrefix(code, "48") {
		return code
	}
	return strconv.Itoa(number + by)
}

// readColor reads what follows 38 or 48: 5 and one of 256 colors, or 2 and the parts of any. It returns the one of the
// 256 that is nearest, and how many codes it has read.
func readColor(codes []string) (color string, used int) {
	numbers := make([]int, min(len(codes), 4))
	for i := range numbers {
		numbers[i], _ = strconv.Atoi(codes[i]) // what is none is 0
	}
	switch {
	case len(numbers) >= 2 && numbers[0] == 5:
		return strconv.Itoa(numbers[1] & 0xff), 2
	case len(numbers) == 4 && numbers[0] == 2:
		return strconv.Itoa(nearestColor(numbers[1]&0xff, numbers[2]&0xff, numbers[3]&0xff)), 4
	}
	return "", min(len(codes), 1)
}

// nearestColor returns which of the 256 colors is nearest: one of a cube of 6 by 6 by 6, or one of 24 grays.
func nearestColor(red, green, blue int) int {
	levels := [6]int{0, 95, 135, 175, 215, 255}
	level := func(part int) (nearest int) {
		for i, l := range levels {
			if distanceOf(l, part) < distanceOf(levels[nearest], part) {
				nearest = i
			}
		}
		return nearest
	}
	r, g, b := level(red), level(green), level(blue)
	away := distanceOf(levels[r], red) + distanceOf(levels[g], green) + distanceOf(levels[b], blue)
	gray := min(23, max(0, ((red+green+blue)/3-3)/10))
	shade := 8 + 10*gray
	if distanceOf(shade, red)+distanceOf(shade, green)+distanceOf(shade, blue) < away {
		return 232 + gray
	}
	return 16 + 36*r + 6*g + b
}

func distanceOf(a, b int) int { return (a - b) * (a - b) }
