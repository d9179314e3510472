// SPDX-License-Identifier: Apache-2.0
// A DelayQueue on the paused clock: time is moved by hand, or by the runtime to the next deadline
// when nothing else can run. The queue rounds to milliseconds. Single-threaded.
use crate::{delays_ns, ns_per, report, runtime, Values};
use std::future::poll_fn;
use std::time::{Duration, Instant};
use tokio_util::time::DelayQueue;

#[repr(C)]
struct MallocInfo {
    fields: [usize; 10],
}

extern "C" {
    fn mallinfo2() -> MallocInfo;
}

// Rust's default allocator is the C library's; fields 4 and 7 are mapped and used bytes.
pub fn used_bytes() -> f64 {
    let info = unsafe { mallinfo2() };
    (info.fields[4] + info.fields[7]) as f64
}

fn timer_count(is_quick: bool) -> usize {
    if is_quick { 100_000 } else { 1_000_000 }
}

fn durations(count: usize, seed: u64) -> Vec<Duration> {
    delays_ns(count, seed).into_iter().map(Duration::from_nanos).collect()
}

pub fn insert_cancel_fire(values: &mut Values, is_quick: bool) {
    let count = timer_count(is_quick);
    let delays = durations(count, 1);
    for _ in 0..2 {
        runtime().block_on(async {
            tokio::time::pause();
            let mut keys = Vec::with_capacity(count);
            let bytes_before = used_bytes();
            let mut queue = DelayQueue::new();

            let start = Instant::now();
            for (i, delay) in delays.iter().enumerate() {
                keys.push(queue.insert(i, *delay));
            }
            report(values, "timers_insert", ns_per(start, count as u64));
            report(values, "memory_timer", (used_bytes() - bytes_before) / count as f64);

            let start = Instant::now();
            for key in keys.iter().step_by(2) {
                queue.remove(key);
            }
            report(values, "timers_cancel", ns_per(start, count as u64 / 2));

            tokio::time::advance(Duration::from_millis(10_001)).await;
            let mut fired_count = 0;
            let start = Instant::now();
            while poll_fn(|context| queue.poll_expired(context)).await.is_some() {
                fired_count += 1;
            }
            report(values, "timers_fire", ns_per(start, fired_count));
        });
    }
}

pub fn refire(values: &mut Values, is_quick: bool) {
    let count = timer_count(is_quick);
    let restart_delays = durations(count, 2);
    runtime().block_on(async {
        tokio::time::pause();
        let mut queue = DelayQueue::new();
        for (i, delay) in durations(count, 1).into_iter().enumerate() {
            queue.insert(i, delay);
        }
        let start = Instant::now();
        for delay in &restart_delays {
            let expired = poll_fn(|context| queue.poll_expired(context)).await.unwrap();
            queue.insert(expired.into_inner(), *delay);
        }
        report(values, "timers_refire", ns_per(start, count as u64));
    });
}

pub fn rearm(values: &mut Values, is_quick: bool) {
    let count = timer_count(is_quick);
    let new_delays = durations(count, 3);
    runtime().block_on(async {
        tokio::time::pause();
        let mut queue = DelayQueue::new();
        let delays = durations(count, 1);
        let keys: Vec<_> = delays.into_iter().enumerate().map(|(i, d)| queue.insert(i, d)).collect();
        let start = Instant::now();
        for (key, delay) in keys.iter().zip(&new_delays) {
            queue.reset(key, *delay);
        }
        report(values, "timers_rearm", ns_per(start, count as u64));
    });
}
