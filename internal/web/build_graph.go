package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"penstock/internal/domain"
)

// graphView is a build's steps as they depend on each other: drawn, and in words.
type graphView struct {
	Nodes          []graphNode
	Paths          []graphPath
	Width, Height  int // of the drawing
	ShownW, ShownH int // as the page shows it
	Zoom           int // percent; 0: it fits the page
	Zooms          []graphZoom
	Words          []graphWords
	EdgesLeft      int // dependencies that are not drawn
	TooLarge       bool
}

type graphNode struct {
	X, Y, Width, Height int
	Label               string // as much as there is room for
	Title               string
	Below               string
	To                  string
	State               stateWords
	Wait, Critical      bool
	TextX, TextY        int
}

type graphPath struct {
	D        string
	Critical bool
}

type graphZoom struct {
	Label, To string
	Key       string
	Current   bool
}

// graphWords says the same of a step.
type graphWords struct {
	Label string
	To    string
	State stateWords
	After []string // the steps that it waits for
	More  int      // others that it waits for
}

const (
	maxStepsOfGraph = 600
	maxGraphPlaces  = 30_000 // of steps and of edges that pass a layer
	nodeWidth       = 190
	nodeHeight      = 46
	waitWidth       = 12
	placeHeight     = 58
	passHeight      = 14 // of an edge that passes
	layerGap        = 54
	graphMargin     = 12
	maxAfterWords   = 6
)

// newGraph draws a build's steps.
func (c *call) newGraph(b *domain.BuildView, plan *buildPlan, left int) (view graphView) {
	view.EdgesLeft = left
	critical := plan.criticalPath()
	labels, links := map[domain.StepID]string{}, map[domain.StepID]string{}
	stateOf := map[domain.StepID]stateWords{}
	for _, id := range plan.steps {
		jobs := slices.DeleteFunc(slices.Clone(plan.jobs[id]), func(j *domain.JobView) bool { return j.RetriedByID != nil })
		if len(jobs) == 0 {
			jobs = plan.jobs[id]
		}
		rows := make([]jobRow, len(jobs))
		for i, j := range jobs {
			rows[i] = c.jobRow(b, j, false)
		}
		labels[id], stateOf[id] = labelOfStep(jobs[0]), rows[0].State
		links[id] = c.linkToBuild(b.OrganizationSlug, b.Pipeline.Slug, b.Number) + "#" + string(jobs[0].ID)
		switch {
		case len(rows) > 1:
			stateOf[id] = summarizeStates(rows)
			links[id] = c.linkToBuild(b.OrganizationSlug, b.Pipeline.Slug, b.Number) + "#step-" + string(id)
		case rows[0].To != "":
			links[id] = rows[0].To
		}
	}
	for _, id := range plan.steps {
		words := graphWords{Label: labels[id], To: links[id], State: stateOf[id]}
		for i, on := range plan.before[id] {
			if i == maxAfterWords {
				words.More = len(plan.before[id]) - i
				break
			}
			words.After = append(words.After, labels[on])
		}
		view.Words = append(view.Words, words)
	}
	if len(plan.steps) > maxStepsOfGraph {
		view.TooLarge = true
		return view
	}
	layers, ok := arrangeLayers(plan)
	if !ok {
		view.TooLarge = true
		return view
	}
	view.draw(plan, layers, func(id domain.StepID) graphNode {
		label := labels[id]
		n := graphNode{Title: label + ": " + stateOf[id].Label, Label: cutText(label, 22), Below: cutText(stateOf[id].Label,
			26), To: links[id], State: stateOf[id]}
		n.Wait = plan.jobs[id][0].Type() == domain.WaitJob
		for _, j := range plan.jobs[id] {
			n.Critical = n.Critical || critical[j.ID]
		}
		return n
	})
	view.zoom(c)
	return view
}

// zoom says how large the page shows the drawing.
func (v *graphView) zoom(c *call) {
	v.Zoom, _ = strconv.Atoi(c.query("zoom"))
	if v.Zoom != 50 && v.Zoom != 75 && v.Zoom != 100 && v.Zoom != 150 {
		v.Zoom = 0
	}
	v.ShownW, v.ShownH = v.Width, v.Height
	if v.Zoom > 0 {
		v.ShownW, v.ShownH = v.Width*v.Zoom/100, v.Height*v.Zoom/100
	}
	for _, z := range []graphZoom{{Label: "Fit", Key: "0"}, {Label: "50%", Key: "1"}, {Label: "75%", Key: "2"},
		{Label: "100%", Key: "3"}, {Label: "150%", Key: "4"}} {
		percent, _ := strconv.Atoi(strings.TrimSuffix(z.Label, "%"))
		z.Current = percent == v.Zoom
		value := ""
		if percent > 0 {
			value = strconv.Itoa(percent)
		}
		z.To = c.withQuery(map[string]string{"zoom": value})
		v.Zooms = append(v.Zooms, z)
	}
}

// cutText returns as much of a text as so many characters.
func cutText(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// place is where a step, or an edge that passes a layer, stands.
type place struct {
	step          domain.StepID // "": an edge passes
	wait          bool
	y             float64 // of its middle
	before, after []*place
}

func (p *place) height() float64 {
	if p.step == "" {
		return passHeight
	}
	return placeHeight
}

// layering is steps in layers: each stands to the right of all that it waits for.
type layering struct {
	layers [][]*place
	of     map[domain.StepID]*place
	routes map[[2]domain.StepID][]*place // of edges, from what is waited for to what waits
}

// arrangeLayers puts steps in layers, and orders each layer so that few edges cross. It reports whether it was not too
// much.
func arrangeLayers(plan *buildPlan) (l layering, ok bool) {
	level := map[domain.StepID]int{}
	var find func(id domain.StepID, depth int) int
	find = func(id domain.StepID, depth int) int {
		if at, known := level[id]; known {
			return at
		}
		level[id] = 0 // while it is being found
		at := 0
		if depth <= maxStepsOfGraph {
			for _, on := range plan.before[id] {
				at = max(at, find(on, depth+1)+1)
			}
		}
		level[id] = at
		return at
	}
	l = layering{of: map[domain.StepID]*place{}, routes: map[[2]domain.StepID][]*place{}}
	places := 0
	add := func(at int, p *place) {
		for len(l.layers) <= at {
			l.layers = append(l.layers, nil)
		}
		l.layers[at] = append(l.layers[at], p)
		places++
	}
	for _, id := range plan.steps {
		p := &place{step: id, wait: plan.jobs[id][0].Type() == domain.WaitJob}
		l.of[id] = p
		add(find(id, 0), p)
	}
	for _, id := range plan.steps {
		for _, on := range plan.before[id] {
			if level[on] >= level[id] {
				continue
			}
			route := []*place{l.of[on]}
			for at := level[on] + 1; at < level[id]; at++ {
				pass := &place{}
				add(at, pass)
				route = append(route, pass)
			}
			route = append(route, l.of[id])
			for i := range len(route) - 1 {
				route[i].after, route[i+1].before = append(route[i].after, route[i+1]), append(route[i+1].before, route[i])
			}
			l.routes[[2]domain.StepID{on, id}] = route
			if places > maxGraphPlaces {
				return l, false
			}
		}
	}
	l.order()
	return l, true
}

// order orders the layers by the middle of what each place is joined with, to and fro, and then sets the places apart.
func (l *layering) order() {
	stack := func(layer []*place) {
		y := 0.0
		for _, p := range layer {
			p.y = y + p.height()/2
			y += p.height()
		}
	}
	for _, layer := range l.layers {
		stack(layer)
	}
	const sweeps = 6
	for sweep := range sweeps {
		for i := range l.layers {
			layer, joined := l.layers[i], func(p *place) []*place { return p.before }
			if sweep%2 == 1 {
				layer, joined = l.layers[len(l.layers)-1-i], func(p *place) []*place { return p.after }
			}
			slices.SortStableFunc(layer, func(a, b *place) int {
				at, bt := middleOf(a, joined(a)), middleOf(b, joined(b))
				switch {
				case at < bt:
					return -1
				case at > bt:
					return 1
				}
				return 0
			})
			stack(layer)
		}
	}
	for sweep := range 2 * sweeps {
		for i := range l.layers {
			layer, joined := l.layers[i], func(p *place) []*place { return p.before }
			if sweep%2 == 1 {
				layer, joined = l.layers[len(l.layers)-1-i], func(p *place) []*place { return p.after }
			}
			setApart(layer, joined)
		}
	}
	top := 0.0
	for _, layer := range l.layers {
		for _, p := range layer {
			top = min(top, p.y-p.height()/2)
		}
	}
	for _, layer := range l.layers {
		for _, p := range layer {
			p.y -= top
		}
	}
}

func middleOf(p *place, joined []*place) float64 {
	if len(joined) == 0 {
		return p.y
	}
	sum := 0.0
	for _, other := range joined {
		sum += other.y
	}
	return sum / float64(len(joined))
}

// setApart moves the places of a layer to the middle of what they are joined with, as far as their order and their
// heights let them.
func setApart(layer []*place, joined func(*place) []*place) {
	type block struct {
		places      []*place
		top, height float64
	}
	var blocks []block
	wanted := make(map[*place]float64, len(layer))
	for _, p := range layer {
		wanted[p] = middleOf(p, joined(p)) - p.height()/2
	}
	for _, p := range layer {
		blocks = append(blocks, block{[]*place{p}, wanted[p], p.height()})
		for n := len(blocks); n > 1 && blocks[n-2].top+blocks[n-2].height > blocks[n-1].top; n = len(blocks) {
			a, b := blocks[n-2], blocks[n-1]
			merged := block{append(a.places, b.places...), 0, a.height + b.height}
			sum, offset := 0.0, 0.0
			for _, p := range merged.places {
				sum += wanted[p] - offset
				offset += p.height()
			}
			merged.top = sum / float64(len(merged.places))
			blocks = append(blocks[:n-2], merged)
		}
	}
	for _, b := range blocks {
		y := b.top
		for _, p := range b.places {
			p.y = y + p.height()/2
			y += p.height()
		}
	}
}

// draw makes shapes of places.
func (v *graphView) draw(plan *buildPlan, l layering, describe func(domain.StepID) graphNode) {
	x := graphMargin
	left, right := map[*place]int{}, map[*place]int{}
	for _, layer := range l.layers {
		width := waitWidth
		for _, p := range layer {
			if p.step != "" && !p.wait {
				width = nodeWidth
			}
		}
		for _, p := range layer {
			left[p], right[p] = x, x+width
			if p.wait {
				left[p] = x + (width-waitWidth)/2
				right[p] = left[p] + waitWidth
			}
			v.Height = max(v.Height, int(p.y+p.height()/2)+2*graphMargin)
		}
		x += width + layerGap
	}
	v.Width = max(1, x-layerGap+graphMargin)
	yOf := func(p *place) int { return int(p.y) + graphMargin }
	critical := map[domain.StepID]bool{}
	for _, id := range plan.steps {
		n, p := describe(id), l.of[id]
		n.X, n.Y, n.Width, n.Height = left[p], yOf(p)-nodeHeight/2, right[p]-left[p], nodeHeight
		n.TextX, n.TextY = n.X+16, n.Y+20
		critical[id] = n.Critical
		v.Nodes = append(v.Nodes, n)
	}
	isCritical := func(p *place) bool { return critical[p.step] }
	for i, id := range plan.steps {
		if p := l.of[id]; p.wait && slices.ContainsFunc(p.before, isCritical) && slices.ContainsFunc(p.after, isCritical) {
			critical[id], v.Nodes[i].Critical = true, true
		}
	}
	for _, id := range plan.steps {
		for _, on := range plan.before[id] {
			route := l.routes[[2]domain.StepID{on, id}]
			if route == nil {
				continue
			}
			var d strings.Builder
			fmt.Fprintf(&d, "M%d %d", right[route[0]], yOf(route[0]))
			for i := 1; i < len(route); i++ {
				from, to := route[i-1], route[i]
				bend := (left[to] - right[from]) / 2
				fmt.Fprintf(&d, "C%d %d %d %d %d %d", right[from]+bend, yOf(from), left[to]-bend, yOf(to), left[to], yOf(to))
				if to.step == "" {
					fmt.Fprintf(&d, "H%d", right[to])
				}
			}
			v.Paths = append(v.Paths, graphPath{d.String(), critical[id] && critical[on]})
		}
	}
}
