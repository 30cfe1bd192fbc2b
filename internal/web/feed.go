package web

import (
	"encoding/xml"
	"strconv"
	"time"

	"penstock/internal/domain"
	"penstock/internal/flow"
)

type feed struct {
	XMLName  xml.Name      `xml:"Projects"`
	Projects []feedProject `xml:"Project"`
}

type feedProject struct {
	Name            string `xml:"name,attr"`
	Activity        string `xml:"activity,attr"`
	LastBuildStatus string `xml:"lastBuildStatus,attr"`
	LastBuildLabel  string `xml:"lastBuildLabel,attr"`
	LastBuildTime   string `xml:"lastBuildTime,attr"`
	WebURL          string `xml:"webUrl,attr"`
}

var feedStatuses = map[flow.BuildState]string{flow.BuildPassed: "Success", flow.BuildFailed: "Failure",
	flow.BuildCanceled: "Exception"}

// Feed writes how pipelines go, in the format of CCTray. Page is the address of the organization's pages.
func Feed(projects []domain.FeedProject, page string) ([]byte, error) {
	all := feed{}
	for _, p := range projects {
		shown := feedProject{Name: p.Name, Activity: "Sleeping", LastBuildStatus: "Unknown", WebURL: page + "/" + p.Slug}
		if p.IsBuilding {
			shown.Activity = "Building"
		}
		if p.LastNumber > 0 {
			shown.LastBuildStatus, shown.LastBuildLabel = feedStatuses[p.LastState], strconv.FormatInt(p.LastNumber, 10)
		}
		if p.LastAt != nil {
			shown.LastBuildTime = p.LastAt.UTC().Format(time.RFC3339)
		}
		all.Projects = append(all.Projects, shown)
	}
	body, err := xml.MarshalIndent(all, "", "  ")
	return append([]byte(xml.Header), body...), err
}
