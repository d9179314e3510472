// SPDX-License-Identifier: Apache-2.0
// tokio's rows of the groups kernel, task and io (echo.rs), on current-thread runtimes unless said.
//
// Timers (timers.rs): one DelayQueue, which is what tokio offers for very many timeouts, on
// tokio's own paused clock. Messages (messages.rs): an unbounded mpsc channel into the runtime's
// thread; the round trip has two runtimes on two threads, which park at once. Descriptors: the
// async read of a UnixStream. Tasks: tasks.rs, and task_trees.rs for very many of them.
mod echo;
mod messages;
mod task_trees;
mod tasks;
mod timers;

use std::collections::HashMap;
use std::io::Write;
use std::time::Instant;

pub type Values = HashMap<&'static str, f64>;

pub fn report(values: &mut Values, name: &'static str, value: f64) {
    let best = values.entry(name).or_insert(value);
    *best = best.min(value);
}

pub fn ns_per(start: Instant, count: u64) -> f64 {
    start.elapsed().as_nanos() as f64 / count as f64
}

// The same numbers as bench/workload.hpp.
pub fn delays_ns(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    (0..count)
        .map(|_| {
            state = state.wrapping_add(0x9e3779b97f4a7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
            1_000_000 + (z ^ (z >> 31)) % 9_999_000_000
        })
        .collect()
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

struct Entry {
    cases: &'static [&'static str],
    measure: fn(&mut Values, bool),
}

const ENTRIES: &[Entry] = &[
    Entry {
        cases: &["timers_insert", "timers_cancel", "timers_fire", "memory_timer"],
        measure: timers::insert_cancel_fire,
    },
    Entry { cases: &["timers_refire"], measure: timers::refire },
    Entry { cases: &["timers_rearm"], measure: timers::rearm },
    Entry { cases: &["post_batch"], measure: messages::post_batch },
    Entry { cases: &["post_single"], measure: messages::post_single },
    Entry { cases: &["post_two_producers"], measure: messages::post_two_producers },
    Entry { cases: &["post_own"], measure: messages::post_own },
    Entry { cases: &["round_trip_parked"], measure: messages::round_trip_parked },
    Entry { cases: &["fd_event"], measure: messages::fd_event },
    Entry { cases: &["fd_event_100"], measure: messages::fd_event_100 },
    Entry { cases: &["await_ready"], measure: tasks::await_ready },
    Entry { cases: &["child_await"], measure: tasks::child_await },
    Entry { cases: &["poll"], measure: tasks::poll },
    Entry { cases: &["promise"], measure: tasks::promise_await },
    Entry { cases: &["wake"], measure: tasks::wake },
    Entry { cases: &["yield"], measure: tasks::yielding },
    Entry { cases: &["spawn"], measure: tasks::spawn },
    Entry { cases: &["channel_ping_pong"], measure: tasks::channel_ping_pong },
    Entry { cases: &["channel_ping_pong_2"], measure: task_trees::channel_ping_pong_2 },
    Entry { cases: &["channel_stream"], measure: tasks::channel_stream },
    Entry { cases: &["timer_await"], measure: tasks::timer_await },
    Entry { cases: &["idle_tasks"], measure: tasks::idle_tasks },
    Entry { cases: &["skynet_1"], measure: task_trees::skynet_1 },
    Entry { cases: &["skynet_2"], measure: task_trees::skynet_2 },
    Entry { cases: &["fib32_1"], measure: task_trees::fib32_1 },
    Entry { cases: &["fib32_2"], measure: task_trees::fib32_2 },
    Entry { cases: &["echo_64_1", "echo_p99_64_1"], measure: echo::echo_64_1 },
    Entry { cases: &["echo_64_64", "echo_p99_64_64"], measure: echo::echo_64_64 },
    Entry { cases: &["echo_64_1024", "echo_p99_64_1024"], measure: echo::echo_64_1024 },
    Entry { cases: &["echo_16384_1", "echo_p99_16384_1"], measure: echo::echo_16384_1 },
    Entry { cases: &["echo_16384_64", "echo_p99_16384_64"], measure: echo::echo_16384_64 },
    Entry { cases: &["echo_16384_1024", "echo_p99_16384_1024"], measure: echo::echo_16384_1024 },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--list") {
        ENTRIES.iter().flat_map(|e| e.cases).for_each(|name| println!("{name}"));
        return;
    }
    let Some(at) = arguments.iter().position(|a| a == "--cases") else {
        eprintln!("usage: bench_peer_tokio --list | --cases a,b,c [--quick]");
        std::process::exit(2);
    };
    let wanted: Vec<&str> = arguments[at + 1].split(',').collect();
    let is_quick = arguments.iter().any(|a| a == "--quick");
    for entry in ENTRIES {
        let names: Vec<_> = entry.cases.iter().filter(|name| wanted.contains(name)).collect();
        if names.is_empty() {
            continue;
        }
        let mut values = Values::new();
        (entry.measure)(&mut values, is_quick);
        for name in names {
            println!("{name}\t{:.3}", values[*name]);
        }
        std::io::stdout().flush().unwrap();
    }
}
