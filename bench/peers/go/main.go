// SPDX-License-Identifier: Apache-2.0

// Go's rows of the groups kernel, task (tasks.go), io (echo.go) and actor (actors.go).
//
// Timers (timers.go): time.AfterFunc, whose callbacks run on goroutines of their own; the real
// clock. Messages (messages.go): a buffered channel of functions to one goroutine; the round trip
// is between two goroutines locked to threads on
// two cores, so that it does cross threads and parks.
// Descriptors: one goroutine reads each socket pair.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

type values map[string]float64

func (v values) report(name string, value float64) {
	if best, found := v[name]; !found || value < best {
		v[name] = value
	}
}

func nsPer(elapsed time.Duration, count int) float64 {
	return float64(elapsed.Nanoseconds()) / float64(count)
}

// The same numbers as bench/workload.hpp, scaled to at most `longest`.
func delays(count int, seed uint64, longest time.Duration) []time.Duration {
	state := seed
	result := make([]time.Duration, count)
	for i := range result {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb
		result[i] = time.Millisecond + time.Duration((z^(z>>31))%uint64(longest-time.Millisecond))
	}
	return result
}

type entry struct {
	cases   []string
	measure func(v values, isQuick bool)
}

var entries = []entry{
	{[]string{"timers_insert", "timers_cancel", "memory_timer"}, insertAndCancel},
	{[]string{"timers_fire"}, fire},
	{[]string{"timers_refire"}, refire},
	{[]string{"timers_rearm"}, rearm},
	{[]string{"post_single"}, postSingle},
	{[]string{"post_two_producers"}, postTwoProducers},
	{[]string{"fd_event"}, fdEvent},
	{[]string{"fd_event_100"}, fdEvent100},
	{[]string{"promise"}, promiseCase},
	{[]string{"wake"}, wakeCase},
	{[]string{"yield"}, yieldCase},
	{[]string{"spawn"}, spawnCase},
	{[]string{"channel_ping_pong"}, channelPingPong},
	{[]string{"channel_stream"}, channelStream},
	{[]string{"idle_tasks"}, idleTasks},
	{[]string{"actor_ping_pong"}, actorPingPong},
	{[]string{"actor_ring"}, actorRing},
	{[]string{"actor_counting"}, actorCounting},
	{[]string{"actor_create"}, actorCreate},
	{[]string{"actor_big"}, actorBig},
	{[]string{"actor_bank"}, actorBank},
	{[]string{"actor_idle"}, actorIdle},
	{[]string{"skynet_1"}, skynet1},
	{[]string{"skynet_2"}, skynet2},
	{[]string{"fib32_1"}, fib1},
	{[]string{"fib32_2"}, fib2},
	// Last, because their threads stay pinned.
	{[]string{"round_trip_parked"}, roundTripParked},
	{[]string{"channel_ping_pong_2"}, channelPingPong2},
	{[]string{"echo_64_1", "echo_p99_64_1"}, echo(64, 1)},
	{[]string{"echo_64_64", "echo_p99_64_64"}, echo(64, 64)},
	{[]string{"echo_64_1024", "echo_p99_64_1024"}, echo(64, 1024)},
	{[]string{"echo_16384_1", "echo_p99_16384_1"}, echo(16384, 1)},
	{[]string{"echo_16384_64", "echo_p99_16384_64"}, echo(16384, 64)},
	{[]string{"echo_16384_1024", "echo_p99_16384_1024"}, echo(16384, 1024)},
	{[]string{"actor_ping_pong_2"}, actorPingPong2},
}

func (e entry) run(wanted map[string]bool, isQuick bool) {
	var names []string
	for _, name := range e.cases {
		if wanted[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	v := values{}
	e.measure(v, isQuick)
	for _, name := range names {
		fmt.Printf("%s\t%.3f\n", name, v[name])
	}
}

func main() {
	wanted := map[string]bool{}
	isQuick := false
	isList := false
	for i := 1; i < len(os.Args); i++ {
		switch {
		case os.Args[i] == "--list":
			isList = true
		case os.Args[i] == "--quick":
			isQuick = true
		case os.Args[i] == "--cases" && i+1 < len(os.Args):
			i++
			for _, name := range strings.Split(os.Args[i], ",") {
				wanted[name] = true
			}
		default:
			fmt.Fprintln(os.Stderr, "usage: bench_peer_go --list | --cases a,b,c [--quick]")
			os.Exit(2)
		}
	}
	for _, e := range entries {
		if isList {
			fmt.Println(strings.Join(e.cases, "\n"))
			continue
		}
		e.run(wanted, isQuick)
	}
}
