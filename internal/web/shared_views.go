package web

// formView is the view of the template "form": a form and a text above it.
type formView struct {
	Intro string
	Form  *form
}
