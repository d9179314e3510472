// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"time"
)

// Each call that is no leaf starts a goroutine for its second half.
func forkedFib(n uint) uint64 {
	if n < 2 {
		return uint64(n)
	}
	second := make(chan uint64, 1)
	go func() { second <- forkedFib(n - 2) }()
	return forkedFib(n-1) + <-second
}

func measureFib(v values, name string, threads int, isQuick bool) {
	n := uint(32)
	if isQuick {
		n = 24
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	forkedFib(20)
	start := time.Now()
	forkedFib(n)
	v.report(name, float64(time.Since(start).Nanoseconds())/1e6)
}

func poolFib1(v values, isQuick bool) { measureFib(v, "pool_fib_1", 1, isQuick) }
func poolFib2(v values, isQuick bool) { measureFib(v, "pool_fib_2", 2, isQuick) }
