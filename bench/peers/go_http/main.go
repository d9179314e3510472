// SPDX-License-Identifier: Apache-2.0

// Go's rows of the group http: net/http on one processor. Runs until it is killed.
//
//	bench_server_go PORT FOLDER [CERTIFICATE KEY]
package main

import (
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
)

var text = []byte("Hello, World!")

func main() {
	if len(os.Args) != 3 && len(os.Args) != 5 {
		log.Fatalf("usage: %s PORT FOLDER [CERTIFICATE KEY]", os.Args[0])
	}
	runtime.GOMAXPROCS(1)
	routes := http.NewServeMux()
	routes.HandleFunc("/plaintext", func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "text/plain")
		response.Header().Set("Content-Length", "13")
		response.Write(text)
	})
	routes.Handle("/", http.FileServer(http.Dir(os.Args[2])))
	listener, err := net.Listen("tcp4", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// A map for protocols that is there and empty: HTTP/1.1 only.
	protocols := map[string]func(*http.Server, *tls.Conn, http.Handler){}
	server := &http.Server{Handler: routes, TLSNextProto: protocols}
	if len(os.Args) == 5 {
		log.Fatal(server.ServeTLS(listener, os.Args[3], os.Args[4]))
	}
	log.Fatal(server.Serve(listener))
}
