// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

func timerCount(isQuick bool) int {
	if isQuick {
		return 100_000
	}
	return 1_000_000
}

// Processor time of the whole program: a real clock cannot be moved, so the firing cases let due
// timers come while the main goroutine sleeps, and count what the program spent.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func startAll(all []time.Duration) []*time.Timer {
	timers := make([]*time.Timer, len(all))
	for i, delay := range all {
		timers[i] = time.AfterFunc(delay, func() {})
	}
	return timers
}

func stopAll(timers []*time.Timer) {
	for _, timer := range timers {
		timer.Stop()
	}
}

func insertAndCancel(v values, isQuick bool) {
	count := timerCount(isQuick)
	// Far enough that none fires meanwhile.
	all := delays(count, 1, 10*time.Second)
	for i := range all {
		all[i] += 10 * time.Second
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	start := time.Now()
	timers := startAll(all)
	v.report("timers_insert", nsPer(time.Since(start), count))
	runtime.GC()
	runtime.ReadMemStats(&after)
	v.report("memory_timer", float64(after.HeapAlloc-before.HeapAlloc)/float64(count))

	start = time.Now()
	for i := 0; i < count; i += 2 {
		timers[i].Stop()
	}
	v.report("timers_cancel", nsPer(time.Since(start), count/2))
	stopAll(timers)
}

// Deadlines within 0.3 s of a moment at which all have been started.
func fire(v values, isQuick bool) {
	count := timerCount(isQuick) / 2
	var fired atomic.Int64
	origin := time.Now().Add(time.Second)
	for _, delay := range delays(count, 1, 300*time.Millisecond) {
		time.AfterFunc(time.Until(origin.Add(delay)), func() { fired.Add(1) })
	}
	runtime.GC()
	before := cpuTime()
	for fired.Load() < int64(count) {
		time.Sleep(10 * time.Millisecond)
	}
	v.report("timers_fire", nsPer(cpuTime()-before, count))
}

// All active, delays up to 2 s: the program is busy most of the time, yet never falls behind so far
// that the scheduler does nothing but fire.
func refire(v values, isQuick bool) {
	count := timerCount(isQuick)
	restart := delays(count, 2, 2*time.Second)
	var fired atomic.Int64
	var isOver atomic.Bool
	timers := make([]*time.Timer, count)
	// All start well before the first is due, so each callback finds its timer in the slice.
	origin := time.Now().Add(time.Second)
	for i, delay := range delays(count, 1, 2*time.Second) {
		timers[i] = time.AfterFunc(time.Until(origin.Add(delay)), func() {
			if !isOver.Load() {
				timers[i].Reset(restart[int(fired.Add(1))%count])
			}
		})
	}
	time.Sleep(time.Until(origin))
	firedBefore, before := fired.Load(), cpuTime()
	time.Sleep(time.Second)
	v.report("timers_refire", nsPer(cpuTime()-before, int(fired.Load()-firedBefore)))
	isOver.Store(true)
	stopAll(timers)
}

func rearm(v values, isQuick bool) {
	count := timerCount(isQuick)
	timers := startAll(delays(count, 1, time.Hour))
	next := delays(count, 3, time.Hour)
	start := time.Now()
	for i, timer := range timers {
		timer.Reset(next[i])
	}
	v.report("timers_rearm", nsPer(time.Since(start), count))
	stopAll(timers)
}
