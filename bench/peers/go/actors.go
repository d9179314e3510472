// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"time"
)

// The group actor with goroutines and channels; bench/actor_sizes.hpp says what each case is. An
// actor is a goroutine with a channel that it alone reads. Where actors send to each other freely
// the channels hold 1,024, as a mailbox does.

const ringSize = 100
const createCount = 100_000
const bigActorCount = 32
const accountCount = 64
const countingWindow = 512
const mailboxSize = 1024

func actorMessageCount(isQuick bool) int {
	if isQuick {
		return 200_000
	}
	return 2_000_000
}

func ringOf(size int, inbox int, count int, isPinned bool) float64 {
	ring := make([]chan int, size)
	for i := range ring {
		ring[i] = make(chan int, inbox)
	}
	done := make(chan struct{})
	for i := range ring {
		go func() {
			if isPinned {
				pin(uint(i))
			}
			in, out := ring[i], ring[(i+1)%size]
			for left := range in {
				if left == 0 {
					close(done)
					return
				}
				out <- left - 1
			}
		}()
	}
	start := time.Now()
	ring[0] <- count
	<-done
	elapsed := nsPer(time.Since(start), count)
	for i := range ring {
		if i != count%size {
			close(ring[i])
		}
	}
	return elapsed
}

func actorPingPong(v values, isQuick bool) {
	onProcessors(1, func() {
		for pass := 0; pass < 3; pass++ {
			v.report("actor_ping_pong", ringOf(2, 1, actorMessageCount(isQuick), false))
		}
	})
}

func actorPingPong2(v values, isQuick bool) {
	onProcessors(2, func() {
		v.report("actor_ping_pong_2", ringOf(2, 1, actorMessageCount(isQuick), true))
	})
}

func actorRing(v values, isQuick bool) {
	onProcessors(1, func() {
		for pass := 0; pass < 3; pass++ {
			v.report("actor_ring", ringOf(ringSize, 1, actorMessageCount(isQuick), false))
		}
	})
}

func actorCounting(v values, isQuick bool) {
	onProcessors(1, func() {
		count := actorMessageCount(isQuick)
		for pass := 0; pass < 3; pass++ {
			in, sums := make(chan int, countingWindow), make(chan int)
			start := time.Now()
			go func() {
				sum := 0
				for value := range in {
					sum += value
				}
				sums <- sum
			}()
			for i := 1; i <= count; i++ {
				in <- i
			}
			close(in)
			if <-sums != count*(count+1)/2 {
				panic("the sum is wrong")
			}
			v.report("actor_counting", nsPer(time.Since(start), count))
		}
	})
}

func actorCreate(v values, _ bool) {
	onProcessors(1, func() {
		for pass := 0; pass < 3; pass++ {
			seen := 0
			start := time.Now()
			for i := 0; i < createCount; i++ {
				in := make(chan int, 1)
				go func() { seen += <-in }()
				in <- 1
			}
			for seen < createCount {
				runtime.Gosched()
			}
			v.report("actor_create", nsPer(time.Since(start), createCount))
		}
	})
}

type bigMessage struct {
	from   int
	isPong bool
}

func actorBig(v values, isQuick bool) {
	onProcessors(1, func() {
		eachRound := bigActorCount * (bigActorCount - 1) * 2
		rounds := actorMessageCount(isQuick) / eachRound
		for pass := 0; pass < 3; pass++ {
			peers := make([]chan bigMessage, bigActorCount)
			for i := range peers {
				peers[i] = make(chan bigMessage, mailboxSize)
			}
			ended, release := make(chan struct{}), make(chan struct{})
			start := time.Now()
			for i := range peers {
				go bigActor(i, rounds, peers, ended, release)
			}
			for range peers {
				<-ended
			}
			v.report("actor_big", nsPer(time.Since(start), rounds*eachRound))
			close(release)
		}
	})
}

func bigActor(index, rounds int, peers []chan bigMessage, ended, release chan struct{}) {
	pingAll := func() {
		for i := range peers {
			if i != index {
				peers[i] <- bigMessage{from: index}
			}
		}
	}
	pongs := 0
	pingAll()
	for {
		select {
		case message := <-peers[index]:
			if !message.isPong {
				peers[message.from] <- bigMessage{from: index, isPong: true}
				continue
			}
			if pongs++; pongs < len(peers)-1 {
				continue
			}
			pongs = 0
			if rounds--; rounds > 0 {
				pingAll()
			} else {
				ended <- struct{}{}
			}
		case <-release:
			return
		}
	}
}

type deposit struct {
	amount int
	answer chan int
}

func actorBank(v values, isQuick bool) {
	onProcessors(1, func() {
		count := actorMessageCount(isQuick) / 8
		accounts := make([]chan deposit, accountCount)
		for i := range accounts {
			accounts[i] = make(chan deposit, 1)
			go func() {
				balance := 0
				for deposit := range accounts[i] {
					balance += deposit.amount
					deposit.answer <- balance
				}
			}()
		}
		ask := func(account, amount int) {
			answer := make(chan int, 1)
			accounts[account] <- deposit{amount, answer}
			sink += uint64(<-answer)
		}
		for pass := 0; pass < 3; pass++ {
			start := time.Now()
			for i := 0; i < count; i++ {
				ask(i%accountCount, -1)
				ask((i+7)%accountCount, 1)
			}
			v.report("actor_bank", nsPer(time.Since(start), count))
		}
		for _, account := range accounts {
			close(account)
		}
	})
}

func actorIdle(v values, _ bool) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	actors := make([]chan int, createCount)
	for i := range actors {
		actors[i] = make(chan int, 1)
		go func() {
			for range actors[i] {
			}
		}()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := func(m *runtime.MemStats) uint64 { return m.HeapAlloc + m.StackInuse }
	v.report("actor_idle", float64(used(&after)-used(&before))/float64(createCount))
	for _, in := range actors {
		close(in)
	}
}
