// Peer: a Go service for the same screen. It makes two concurrent upstream calls with net/http, decodes each body as the typed
// endpoint does, and encodes the answer.
//
//	fanout LISTEN-ADDRESS UPSTREAM-URL typed|maps
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

type chart struct {
	Unit   string `json:"unit"`
	Points []struct {
		Date string  `json:"date"`
		Am   float64 `json:"am"`
		Pm   float64 `json:"pm"`
	} `json:"points"`
}

type envelope[T any] struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
	Data    T      `json:"data"`
}

var client = &http.Client{
	Timeout:   10 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxIdleConns: 512},
}

type part[T any] struct {
	name string
	data T
	err  error
}

func get[T any](name, url string, done chan<- part[T]) {
	result := part[T]{name: name}
	defer func() { done <- result }()
	response, err := client.Get(url)
	if err != nil {
		result.err = err
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	var opened envelope[T]
	if err == nil {
		err = json.Unmarshal(body, &opened)
	}
	result.data, result.err = opened.Data, err
}

func charts[T any](upstream string) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		date := request.URL.Query().Get("fddDate")
		done := make(chan part[T], 2)
		go get("recent", upstream+"/food-diary/weights?fddDate="+date+"&keyword=recent", done)
		go get("total", upstream+"/food-diary/weights?fddDate="+date, done)
		data := map[string]T{}
		for i := 0; i < 2; i++ {
			result := <-done
			if result.err != nil {
				writer.WriteHeader(502)
				return
			}
			data[result.name] = result.data
		}
		answer, _ := json.Marshal(envelope[map[string]T]{"OK", "success", 200, data})
		writer.Header().Set("Content-Type", "application/json")
		writer.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		writer.Write(answer)
	}
}

func main() {
	if os.Args[3] == "typed" {
		http.HandleFunc("/api/weights/charts", charts[chart](os.Args[2]))
	} else {
		http.HandleFunc("/api/weights/charts", charts[map[string]interface{}](os.Args[2]))
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[1], nil))
	os.Exit(1)
}
