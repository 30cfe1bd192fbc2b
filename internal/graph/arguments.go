package graph

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

// The schema writes enums in capitals, the domain writes most of their values in small letters.

func upperEnum[T ~string](value T) string { return strings.ToUpper(string(value)) }

func lowerEnum[T ~string](value string) T { return T(strings.ToLower(value)) }

func sameEnum[T ~string](value string) T { return T(value) }

// listArg returns a list of enum values; nil if it is not given.
func listArg[T any](args gql.Args, name string, convert func(string) T) []T {
	given, state := gql.Arg[[]any](args, name)
	if state != gql.Given {
		return nil
	}
	values := make([]T, len(given))
	for i, v := range given {
		values[i] = convert(v.(string))
	}
	return values
}

// orderArg returns a list's order. Null, like an absent order, is the usual one, which is the schema's default.
func orderArg(args gql.Args, usual domain.Order) domain.Order {
	if order, known := orders[args.Enum("order")]; known {
		return order
	}
	return usual
}

// orders has what the schema calls the orders of lists.
var orders = map[string]domain.Order{
	"NAME": domain.ByName, "KEY": domain.ByName, "RELEVANCE": domain.ByRelevance,
	"RECENTLY_CREATED": domain.RecentlyCreated, "NAME_WITH_FAVORITES_FIRST": domain.FavoritesFirst,
	"RECENTLY_ASSIGNED":         domain.RecentlyAssigned,
	"PRIORITY_RECENTLY_CREATED": domain.ByPriority,
}

func timeArg(args gql.Args, name string) *time.Time {
	at, state := gql.Arg[time.Time](args, name)
	if state != gql.Given {
		return nil
	}
	return &at
}

// parseDateTime reads a DateTime that a caller sent.
func parseDateTime(v any) (any, error) {
	text, _ := v.(string)
	at, ok := domain.ParseTimestamp(text)
	if !ok {
		return nil, domain.NewError(domain.Malformed, "DateTime must be an ISO 8601 time, such as 2026-05-03T04:17:55.867Z")
	}
	return at, nil
}

// parseText reads a scalar that is a text.
func parseText(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, domain.NewError(domain.Malformed, "it must be a string")
	}
	return text, nil
}

// optional reads an input's member: absent, null or a value.
func optional[T any](args gql.Args, name string) domain.Optional[T] {
	value, state := gql.Arg[T](args, name)
	switch state {
	case gql.Given:
		return domain.Some(value)
	case gql.Null:
		return domain.Null[T]()
	default:
		return domain.Optional[T]{}
	}
}

// readLook reads the look in a mutation's input.
func readLook(input gql.Args) domain.LookInput {
	return domain.LookInput{Description: optional[string](input, "description"), Emoji: optional[string](input, "emoji"),
		Color: optional[string](input, "color")}
}

// readSettings reads the settings of a mutation's input.
func readSettings[T, In any](input gql.Args, settings []domain.Setting[T, In], in *In) {
	for _, s := range settings {
		switch {
		case s.Flag != nil:
			*s.FlagIn(in) = optional[bool](input, s.GraphQL)
		case s.Line != nil:
			*s.LineIn(in) = optional[string](input, s.GraphQL)
		case s.Minutes != nil:
			*s.MinutesIn(in) = optional[int64](input, s.GraphQL)
		case s.Choice != nil:
			*s.ChoiceIn(in) = optional[string](input, s.GraphQL)
		}
	}
}

// optionalEnum is optional for an enum.
func optionalEnum(args gql.Args, name string) domain.Optional[string] {
	value := optional[string](args, name)
	value.Value = strings.ToLower(value.Value)
	return value
}

// globalID returns the id of a thing of that type; "", which no thing has, for anything else.
func globalID[ID ~string](typeName, id string) ID {
	named, uuid, ok := domain.ParseGraphQLID(id)
	if !ok || named != typeName {
		return ""
	}
	return ID(uuid)
}

// uuidListArg returns the UUIDs of things, whose global ids or UUIDs are in a list, without what is neither; nil if
// there is no list.
func uuidListArg(args gql.Args, name string) []string {
	return slices.DeleteFunc(listArg(args, name, func(id string) string {
		if _, uuid, ok := domain.ParseGraphQLID(id); ok {
			return uuid
		}
		uuid, _ := domain.ParseID[string](id)
		return uuid
	}), func(uuid string) bool { return uuid == "" })
}

// parseSelector returns the id of a thing of that type: a global id or a UUID; "" for anything else.
func parseSelector[ID ~string](typeName, selector string) ID {
	if id := globalID[ID](typeName, selector); id != "" {
		return id
	}
	id, _ := domain.ParseID[ID](selector)
	return id
}

// selectorArg reads an argument that names a thing of an organization by its id, by organization/slug, which bySlug
// looks up, or by its slug alone, which is returned for the organization that is asked. All nil: the argument is not
// given.
func selectorArg[ID ~string](args gql.Args, name, typeName string, bySlug func(organization, slug string) (ID, error)) (
	*ID, *string, error) {
	selector, state := gql.Arg[string](args, name)
	if state != gql.Given {
		return nil, nil, nil
	}
	if id := parseSelector[ID](typeName, selector); id != "" {
		return &id, nil, nil
	}
	organization, slug, whole := strings.Cut(selector, "/")
	if !whole {
		return nil, &selector, nil
	}
	id, err := bySlug(organization, slug)
	return &id, nil, err
}

// teamArg returns the team that the argument team names, as an id or as a slug.
func teamArg(r *read.Snapshot, args gql.Args) (*domain.TeamID, *string, error) {
	id, slug, err := selectorArg(args, "team", "Team", func(organization, slug string) (domain.TeamID, error) {
		team, err := r.TeamBySlug(organization, slug)
		if err != nil || team == nil {
			return "", err
		}
		return team.ID, nil
	})
	if err != nil || id == nil {
		return nil, slug, err
	}
	// A team that the caller does not see has nothing.
	teams, err := r.Teams([]domain.TeamID{*id})
	if err == nil && teams[0] == nil {
		*id = ""
	}
	return id, nil, err
}

// maxList is how long a list in an argument may be.
const maxList = 500

// checkLists returns Malformed if a list in the arguments is too long.
func checkLists(args gql.Args) error {
	for name, value := range args {
		if values, is := value.([]any); is && len(values) > maxList {
			return domain.NewError(domain.Malformed, "`"+name+"` must have at most "+strconv.Itoa(maxList)+" items")
		}
	}
	return nil
}
