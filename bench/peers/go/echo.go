// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

func ownCPU() float64 {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano() + used.Stime.Nano())
}

// All threads that there are now, and those to come.
func pinProcess() {
	var mask [16]uint64
	mask[0] = 1
	entries, _ := os.ReadDir("/proc/self/task")
	for _, entry := range entries {
		var id int
		fmt.Sscan(entry.Name(), &id)
		syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(id), unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	}
}

// The group io: a goroutine for each connection, on one core with the client (see
// bench/echo_cases.hpp).
func echo(size, connections int) func(v values, isQuick bool) {
	return func(v values, isQuick bool) {
		runtime.GOMAXPROCS(1)
		pinProcess()
		requests := 100000
		if isQuick {
			requests = 20000
		}
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		defer listener.Close()
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				go serveEcho(connection)
			}
		}()
		port := listener.Addr().(*net.TCPAddr).Port
		before := ownCPU()
		answer, err := exec.Command(os.Getenv("GYRE_BENCH_ECHO_CLIENT"), fmt.Sprint(port), fmt.Sprint(size),
			fmt.Sprint(connections), fmt.Sprint(requests)).Output()
		used := ownCPU() - before
		if err != nil {
			panic(err)
		}
		var p99 float64
		fmt.Sscan(strings.TrimSpace(string(answer)), &p99)
		v.report(fmt.Sprintf("echo_%d_%d", size, connections), used/float64(requests))
		v.report(fmt.Sprintf("echo_p99_%d_%d", size, connections), p99)
	}
}

func serveEcho(connection net.Conn) {
	defer connection.Close()
	buffer := make([]byte, 16*1024)
	for {
		size, err := connection.Read(buffer)
		if err != nil {
			return
		}
		if _, err := connection.Write(buffer[:size]); err != nil {
			return
		}
	}
}
