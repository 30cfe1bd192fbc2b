package rest

func describe(*API) []byte { return []byte("{}") }
