package domain

// look is what people distinguish things by, besides a name.
type look[Text any] struct {
	Description Text `json:"description" doc:"What it is for." input:"At most 10,000 characters. Null for none."`
	Emoji       Text `json:"emoji" doc:"An emoji's name between colons, such as :rocket:." input:"Null for none."`
	Color       Text `json:"color" pattern:"^(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?$" doc:"# and 3 or 6 hexadecimal digits." input:"Null for none."`
}

// Look is what a cluster, a cache registry or a pipeline has of it.
type Look = look[*string]

// LookInput is what a caller sends to make or change one.
type LookInput = look[Optional[string]]

func applyLook(in LookInput, to *Look, faults *Faults) {
	if in.Description.HasValue() {
		CheckText("description", "Description", in.Description.Value, maxDescription, faults)
	}
	if in.Emoji.HasValue() {
		CheckEmoji("emoji", in.Emoji.Value, faults)
	}
	if in.Color.HasValue() {
		CheckColor("color", in.Color.Value, faults)
	}
	in.Description.ApplyTo(&to.Description)
	in.Emoji.ApplyTo(&to.Emoji)
	in.Color.ApplyTo(&to.Color)
}
