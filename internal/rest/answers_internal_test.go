package rest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/endpoint"
)

// fillAtRandom sets all that a value is made of.
func fillAtRandom(r *rand.Rand, v reflect.Value) {
	if v.Type() == reflect.TypeFor[endpoint.Timestamp]() {
		v.Set(reflect.ValueOf(endpoint.Timestamp(time.UnixMilli(r.Int64N(1 << 42)))))
		return
	}
	if v.Type() == reflect.TypeFor[jsontext.Value]() {
		v.SetBytes([]byte(`{"any": ["JSON", null]}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "plain", `a "quote"`, `back\slash`, "line\nbreak", "émoji 🚀", "\u2028 <&> \x7f"}[r.IntN(7)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(3) - 1)
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillAtRandom(r, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fillAtRandom(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("name").Convert(v.Type().Key()), reflect.New(v.Type().Elem()).Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fillAtRandom(r, v.Field(i))
		}
	}
}

func TestAnswersAreWrittenAsJSONv2WritesThem(t *testing.T) {
	t.Parallel()
	var value any
	api := endpoint.New(endpoint.Options{
		NewActor: func(string, netip.Addr) authz.Actor { return authz.Actor{} },
		Admit:    func(context.Context, authz.Actor, string) (authz.Admission, error) { return authz.Admission{}, nil },
	}, []endpoint.Endpoint{{
		Method: http.MethodGet, Path: "/answer", Status: http.StatusOK, Handle: func(*endpoint.Call) (any, error) { return value, nil },
	}})
	r := rand.New(rand.NewPCG(1, 2))
	answers := []any{struct {
		Number int64 `json:"number,string"`
	}{1}, []byte("bytes"), map[string]int{"a": 1}, 1.5}
	for _, e := range new(API).endpoints() {
		if e.Answer == nil {
			continue
		}
		for range 50 {
			answer := reflect.New(reflect.TypeOf(e.Answer)).Elem()
			fillAtRandom(r, answer)
			answers = append(answers, answer.Interface())
		}
	}
	for _, value = range answers {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		got := httptest.NewRecorder()
		api.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/answer", nil))
		if got.Code != http.StatusOK || got.Body.String() != string(want) {
			t.Fatalf("%T is answered with %d\n%s\nwant\n%s", value, got.Code, got.Body, want)
		}
	}
	if len(answers) < 1_000 {
		t.Errorf("only %d answers were compared", len(answers))
	}
}
