// SPDX-License-Identifier: Apache-2.0

// The applications of bench/apps on Go's net/http. Runs until it is killed.
//
//	bench_apps_go PORT UPSTREAM_PORT
package main

import (
	"encoding/json"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
)

type item struct {
	Price float64 `json:"price"`
	Count int     `json:"count"`
}

type order struct {
	Customer string `json:"customer"`
	Items    []item `json:"items"`
}

type sum struct {
	Customer string  `json:"customer"`
	Count    int     `json:"count"`
	Total    float64 `json:"total"`
}

func answerOrder(response http.ResponseWriter, request *http.Request) {
	var asked order
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	answer := sum{Customer: asked.Customer}
	for _, each := range asked.Items {
		answer.Count += each.Count
		answer.Total += each.Price * float64(each.Count)
	}
	response.Header().Set("Content-Type", "application/json")
	json.NewEncoder(response).Encode(answer)
}

func main() {
	if len(os.Args) != 3 {
		log.Fatalf("usage: %s PORT UPSTREAM_PORT", os.Args[0])
	}
	runtime.GOMAXPROCS(1)
	upstream, err := url.Parse("http://127.0.0.1:" + os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /users/{id}/posts/{post}", func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "text/plain")
		response.Write([]byte("user " + request.PathValue("id") + " post " + request.PathValue("post")))
	})
	routes.HandleFunc("POST /orders", answerOrder)
	routes.HandleFunc("GET /proxy/", func(response http.ResponseWriter, request *http.Request) {
		request.URL.Path = strings.TrimPrefix(request.URL.Path, "/proxy")
		proxy.ServeHTTP(response, request)
	})
	var count atomic.Uint64
	counted := http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		count.Add(1)
		routes.ServeHTTP(response, request)
	})
	listener, err := net.Listen("tcp4", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal((&http.Server{Handler: counted}).Serve(listener))
}
