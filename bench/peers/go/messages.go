// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

const postWindow = 4096

// Producers send functions into one channel; the receiving goroutine calls them.
func streamPosts(isQuick bool, producerCount int) float64 {
	total := 1_000_000
	if isQuick {
		total = 100_000
	}
	messages := make(chan func(), postWindow)
	delivered := 0
	start := time.Now()
	for producer := 0; producer < producerCount; producer++ {
		go func() {
			for i := 0; i < total/producerCount; i++ {
				messages <- func() { delivered++ }
			}
		}()
	}
	for delivered < total {
		(<-messages)()
	}
	return nsPer(time.Since(start), total)
}

func postSingle(v values, isQuick bool) { v.report("post_single", streamPosts(isQuick, 1)) }

func postTwoProducers(v values, isQuick bool) {
	v.report("post_two_producers", streamPosts(isQuick, 2))
}

// Locks the goroutine to its thread and the thread to one core, for the rest of the program.
func pin(core uint) {
	runtime.LockOSThread()
	mask := [16]uint64{1 << core}
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask),
		uintptr(unsafe.Pointer(&mask)))
}

func roundTripParked(v values, isQuick bool) {
	span := 300 * time.Millisecond
	if isQuick {
		span = 50 * time.Millisecond
	}
	questions, answers := make(chan int), make(chan int)
	go func() {
		pin(1)
		for number := range questions {
			answers <- number
		}
	}()
	pin(0)
	count := 0
	start := time.Now()
	for ; time.Since(start) < span; count++ {
		questions <- count
		<-answers
	}
	v.report("round_trip_parked", nsPer(time.Since(start), count))
	close(questions)
}

func socketPair() (near, far *os.File) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		panic(err)
	}
	return os.NewFile(uintptr(fds[0]), "near"), os.NewFile(uintptr(fds[1]), "far")
}

func fdEvents(isQuick bool, fdCount int) float64 {
	eventCount := 100_000
	if isQuick {
		eventCount = 10_000
	}
	done := make(chan struct{}, fdCount)
	farEnds := make([]*os.File, fdCount)
	for i := range farEnds {
		near, far := socketPair()
		farEnds[i] = far
		go func() {
			defer near.Close()
			var data [1]byte
			for {
				if _, err := near.Read(data[:]); err != nil {
					return
				}
				done <- struct{}{}
			}
		}()
	}
	start := time.Now()
	for round := 0; round < eventCount/fdCount; round++ {
		for _, far := range farEnds {
			far.Write([]byte{1})
		}
		for range farEnds {
			<-done
		}
	}
	result := nsPer(time.Since(start), eventCount)
	for _, far := range farEnds {
		far.Close()
	}
	return result
}

func fdEvent(v values, isQuick bool) { v.report("fd_event", fdEvents(isQuick, 1)) }

func fdEvent100(v values, isQuick bool) { v.report("fd_event_100", fdEvents(isQuick, 100)) }
