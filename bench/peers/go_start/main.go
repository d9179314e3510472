// SPDX-License-Identifier: Apache-2.0

// Go's small programs for ./dev bench start, in one: bench/start/programs.cpp says what they do.
package main

import (
	"io"
	"net"
	"os"
	"time"
)

func sayReady() { os.Stdout.WriteString("ready\n") }

func echo() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	sayReady()
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			defer connection.Close()
			io.Copy(connection, connection)
		}()
	}
}

func idle() {
	sayReady()
	for range time.Tick(100 * time.Millisecond) {
	}
}

func main() {
	switch os.Args[1] {
	case "hello":
		sayReady()
	case "echo":
		echo()
	case "idle":
		idle()
	}
}
