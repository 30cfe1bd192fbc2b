package domain

// PortalActor is a portal as one who does something: its audit events name it.
type PortalActor struct {
	ID   PortalID
	Name string
}
