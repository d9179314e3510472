// SPDX-License-Identifier: Apache-2.0

// Go's subjects of ./dev bench growth, with goroutines on one processor; bench/growth/meter.hpp says
// how it is called. Bytes are those of heap and stacks in use. Goroutines cannot sleep in virtual
// time: of tasks_asleep there are bytes only.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

const batch = 64
const million = 1_000_000

type meter struct {
	begin, sliceBegin time.Time
	sliceSpan         time.Duration
	sliceOperations   int
	best              float64
	bytes             float64
}

func newMeter() *meter { return &meter{begin: time.Now(), best: math.Inf(1), bytes: -1} }

func (m *meter) goesOn() bool {
	return time.Since(m.begin) < 300*time.Millisecond || math.IsInf(m.best, 1)
}

func (m *meter) measure(operations int, run func()) {
	begin := time.Now()
	run()
	m.sliceSpan += time.Since(begin)
	m.sliceOperations += operations
	if m.sliceSpan < 5*time.Millisecond {
		return
	}
	m.best = math.Min(m.best, float64(m.sliceSpan.Nanoseconds())/float64(m.sliceOperations))
	m.sliceSpan, m.sliceOperations = 0, 0
}

func inUse() float64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapInuse + stats.StackInuse)
}

// splitmix64, as bench/workload.hpp.
type picks struct {
	count int
	state uint64
}

func (p *picks) next() int {
	p.state += 0x9e3779b97f4a7c15
	z := p.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return int((z ^ (z >> 31)) % uint64(p.count))
}

func yieldUntil(isOver func() bool) {
	for !isOver() {
		runtime.Gosched()
	}
}

func tasksAsleep(m *meter, count int) {
	before := inUse()
	started := 0
	for i := 0; i < count; i++ {
		go func() {
			started++
			time.Sleep(time.Hour)
		}()
	}
	yieldUntil(func() bool { return started == count })
	m.bytes = (inUse() - before) / float64(count)
}

// One processor: goroutines may share the counters.
func tasksWaiting(m *meter, count int) {
	before := inUse()
	waiting, woken := 0, 0
	events := make([]chan struct{}, count)
	for i := range events {
		event := make(chan struct{}, 1)
		events[i] = event
		go func() {
			waiting++
			for range event {
				woken++
			}
		}()
	}
	yieldUntil(func() bool { return waiting == count })
	m.bytes = (inUse() - before) / float64(count)
	pick := picks{count: count, state: 7}
	for m.goesOn() {
		m.measure(batch, func() {
			target := woken + batch
			for i := 0; i < batch; i++ {
				events[pick.next()] <- struct{}{}
			}
			yieldUntil(func() bool { return woken == target })
		})
	}
}

func tasksSpawn(m *meter, count int) {
	never := make(chan struct{})
	ended := 0
	for i := 0; i < count; i++ {
		go func() { <-never }()
	}
	runtime.Gosched()
	for m.goesOn() {
		m.measure(batch, func() {
			target := ended + batch
			for i := 0; i < batch; i++ {
				go func() { ended++ }()
			}
			yieldUntil(func() bool { return ended == target })
		})
	}
}

func channelReceivers(m *meter, count int) {
	before := inUse()
	items := make(chan int, batch)
	waiting, taken := 0, 0
	for i := 0; i < count; i++ {
		go func() {
			waiting++
			for range items {
				taken++
			}
		}()
	}
	yieldUntil(func() bool { return waiting == count })
	m.bytes = (inUse() - before) / float64(count)
	for m.goesOn() {
		m.measure(batch, func() {
			target := taken + batch
			for i := 0; i < batch; i++ {
				items <- 1
			}
			yieldUntil(func() bool { return taken == target })
		})
	}
}

func eventSubscribers(m *meter, count int) {
	var mutex sync.Mutex
	event := sync.NewCond(&mutex)
	waiting := 0
	for i := 0; i < count; i++ {
		go func() {
			mutex.Lock()
			for {
				waiting++
				event.Wait()
			}
		}()
	}
	yieldUntil(func() bool { return waiting == count })
	for m.goesOn() {
		m.measure(count, func() {
			target := waiting + count
			event.Broadcast()
			yieldUntil(func() bool { return waiting == target })
		})
	}
}

func scopeCancel(m *meter, count int) {
	for m.goesOn() {
		scope, cancel := context.WithCancel(context.Background())
		waiting, ended := 0, 0
		for i := 0; i < count; i++ {
			child, end := context.WithCancel(scope)
			go func() {
				defer end()
				waiting++
				<-child.Done()
				ended++
			}()
		}
		yieldUntil(func() bool { return waiting == count })
		m.measure(count, func() {
			cancel()
			yieldUntil(func() bool { return ended == count })
		})
	}
}

var subjects = []struct {
	name string
	run  func(*meter, int)
}{
	{"tasks_asleep", tasksAsleep},
	{"tasks_waiting", tasksWaiting},
	{"tasks_spawn", tasksSpawn},
	{"channel_receivers", channelReceivers},
	{"event_subscribers", eventSubscribers},
	{"scope_cancel", scopeCancel},
}

func text(value float64) string {
	if value < 0 || math.IsInf(value, 1) {
		return "-"
	}
	return strconv.FormatFloat(value, 'f', 1, 64)
}

func main() {
	runtime.GOMAXPROCS(1)
	for _, subject := range subjects {
		if len(os.Args) == 2 && os.Args[1] == "--list" {
			fmt.Printf("%s\t%d\n", subject.name, million)
		} else if len(os.Args) == 3 && os.Args[1] == subject.name {
			count, err := strconv.Atoi(os.Args[2])
			if err != nil {
				break
			}
			m := newMeter()
			subject.run(m, count)
			fmt.Printf("%s\t%s\n", text(m.best), text(m.bytes))
			return
		}
	}
	if len(os.Args) != 2 || os.Args[1] != "--list" {
		fmt.Fprintln(os.Stderr, "usage: bench_peer_go_growth --list | SUBJECT COUNT")
		os.Exit(2)
	}
}
