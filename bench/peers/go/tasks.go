// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"runtime"
	"time"
)

// The group task with goroutines; bench/task_cases.hpp says what each case is. One processor
// (GOMAXPROCS) for the cases of one thread, two for those of two. Go has no futures to poll and no
// virtual time outside of tests, so await_ready, child_await, poll and timer_await are left out. A
// promise is a channel that holds one value; a yield is Gosched; a waiting task reads a channel.

const tasksAtOnce = 64
const operationsAtOnce = 1024

const sliceOperations = 16 * 1024

// The figure is that of the best slice, as in bench/task_cases.hpp.
type meter struct {
	span, elapsed time.Duration
	sliceStart    time.Time
	sliceCount    int
	best          float64
}

func newMeter(isQuick bool) *meter {
	span := 300 * time.Millisecond
	if isQuick {
		span = 50 * time.Millisecond
	}
	return &meter{span: span, sliceStart: time.Now(), best: math.Inf(1)}
}

func (m *meter) goesOn(batch int) bool {
	if m.sliceCount >= sliceOperations {
		m.endSlice()
	}
	m.sliceCount += batch
	return m.elapsed < m.span
}

func (m *meter) endSlice() {
	now := time.Now()
	slice := now.Sub(m.sliceStart)
	m.best = math.Min(m.best, nsPer(slice, m.sliceCount))
	m.elapsed += slice
	m.sliceStart, m.sliceCount = now, 0
}

func (m *meter) ns() float64 { return m.best }

func onProcessors(count int, run func()) {
	before := runtime.GOMAXPROCS(count)
	defer runtime.GOMAXPROCS(before)
	run()
}

//go:noinline
func makePromise() chan uint64 { return make(chan uint64, 1) }

var sink uint64

func promiseCase(v values, isQuick bool) {
	onProcessors(1, func() {
		m := newMeter(isQuick)
		for m.goesOn(operationsAtOnce) {
			for i := uint64(0); i < operationsAtOnce; i++ {
				promise := makePromise()
				promise <- i
				sink += <-promise
			}
		}
		v.report("promise", m.ns())
	})
}

func wakeCase(v values, isQuick bool) {
	onProcessors(1, func() {
		signals := make([]chan struct{}, tasksAtOnce)
		for i := range signals {
			signals[i] = make(chan struct{}, 1)
			go func() {
				for range signals[i] {
				}
			}()
		}
		runtime.Gosched()
		m := newMeter(isQuick)
		for m.goesOn(tasksAtOnce) {
			for _, signal := range signals {
				signal <- struct{}{}
			}
			runtime.Gosched()
		}
		v.report("wake", m.ns())
		for _, signal := range signals {
			close(signal)
		}
	})
}

func yieldCase(v values, isQuick bool) {
	onProcessors(1, func() {
		isOver := false
		for i := 1; i < tasksAtOnce; i++ {
			go func() {
				for !isOver {
					runtime.Gosched()
				}
			}()
		}
		m := newMeter(isQuick)
		for m.goesOn(tasksAtOnce) {
			runtime.Gosched()
		}
		isOver = true
		v.report("yield", m.ns())
		runtime.Gosched()
	})
}

func spawnCase(v values, isQuick bool) {
	onProcessors(1, func() {
		count, target := 0, 0
		m := newMeter(isQuick)
		for m.goesOn(tasksAtOnce) {
			target += tasksAtOnce
			for i := 0; i < tasksAtOnce; i++ {
				go func() { count++ }()
			}
			for count < target {
				runtime.Gosched()
			}
		}
		v.report("spawn", m.ns())
	})
}

func askAll(m *meter, questions, answers chan uint64) {
	for m.goesOn(2 * tasksAtOnce) {
		for i := uint64(0); i < tasksAtOnce; i++ {
			questions <- i
			sink += <-answers
		}
	}
	close(questions)
}

func answerAll(questions, answers chan uint64) {
	for value := range questions {
		answers <- value
	}
}

func channelPingPong(v values, isQuick bool) {
	onProcessors(1, func() {
		questions, answers := make(chan uint64, 1), make(chan uint64, 1)
		go answerAll(questions, answers)
		m := newMeter(isQuick)
		askAll(m, questions, answers)
		v.report("channel_ping_pong", m.ns())
	})
}

func channelPingPong2(v values, isQuick bool) {
	onProcessors(2, func() {
		questions, answers := make(chan uint64, 1), make(chan uint64, 1)
		go func() {
			pin(1)
			answerAll(questions, answers)
		}()
		pin(0)
		m := newMeter(isQuick)
		askAll(m, questions, answers)
		v.report("channel_ping_pong_2", m.ns())
	})
}

func channelStream(v values, isQuick bool) {
	onProcessors(1, func() {
		channel := make(chan uint64, tasksAtOnce)
		m := newMeter(isQuick)
		go func() {
			for m.goesOn(operationsAtOnce) {
				for i := uint64(0); i < operationsAtOnce; i++ {
					channel <- i
				}
			}
			close(channel)
		}()
		for value := range channel {
			sink += value
		}
		v.report("channel_stream", m.ns())
	})
}

// What the runtime has taken for their stacks and for itself, as nothing of it is on the heap.
func idleTasks(v values, isQuick bool) {
	count := timerCount(isQuick)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	release, waiting := make(chan struct{}), make(chan struct{}, 1024)
	for i := 0; i < count; i++ {
		go func() {
			waiting <- struct{}{}
			<-release
		}()
		<-waiting
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := func(m *runtime.MemStats) uint64 { return m.HeapAlloc + m.StackInuse }
	v.report("idle_tasks", float64(used(&after)-used(&before))/float64(count))
	close(release)
}

func skynet(first, leafCount uint64, into chan<- uint64) {
	if leafCount == 1 {
		into <- first
		return
	}
	sums := make(chan uint64, 10)
	each := leafCount / 10
	for i := uint64(0); i < 10; i++ {
		go skynet(first+i*each, each, sums)
	}
	sum := uint64(0)
	for i := 0; i < 10; i++ {
		sum += <-sums
	}
	into <- sum
}

func skynetMs(isQuick bool) float64 {
	leafCount := uint64(1_000_000)
	if isQuick {
		leafCount = 10_000
	}
	start := time.Now()
	sums := make(chan uint64, 1)
	go skynet(0, leafCount, sums)
	if <-sums != leafCount*(leafCount-1)/2 {
		panic("the sum is wrong")
	}
	return nsPer(time.Since(start), 1) / 1e6
}

func skynet1(v values, isQuick bool) {
	onProcessors(1, func() { v.report("skynet_1", skynetMs(isQuick)) })
}

func skynet2(v values, isQuick bool) {
	onProcessors(2, func() { v.report("skynet_2", skynetMs(isQuick)) })
}

func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	forked := make(chan uint64, 1)
	go func() { forked <- fib(n - 1) }()
	own := fib(n - 2)
	return own + <-forked
}

func fibMs(isQuick bool) float64 {
	n, expected := uint64(32), uint64(2_178_309)
	if isQuick {
		n, expected = 20, 6_765
	}
	start := time.Now()
	if fib(n) != expected {
		panic("the sum is wrong")
	}
	return nsPer(time.Since(start), 1) / 1e6
}

func fib1(v values, isQuick bool) {
	onProcessors(1, func() { v.report("fib32_1", fibMs(isQuick)) })
}

func fib2(v values, isQuick bool) {
	onProcessors(2, func() { v.report("fib32_2", fibMs(isQuick)) })
}
