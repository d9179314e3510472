// SPDX-License-Identifier: Apache-2.0
// Trees of tasks, joined through their handles, on a current-thread runtime or on a multi-thread
// one with as many workers as the case says; and messages between two threads.
use crate::tasks::{answer_all, ask_all, Meter};
use crate::{messages::pin, report, runtime, Values};
use std::future::Future;
use std::pin::Pin;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

type BoxFuture = Pin<Box<dyn Future<Output = u64> + Send>>;

fn pool(worker_count: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(worker_count).build().unwrap()
}

fn skynet(first: u64, leaf_count: u64) -> BoxFuture {
    Box::pin(async move {
        if leaf_count == 1 {
            return first;
        }
        let each = leaf_count / 10;
        let children: [_; 10] = std::array::from_fn(|i| {
            tokio::spawn(skynet(first + i as u64 * each, each))
        });
        let mut sum = 0;
        for child in children {
            sum += child.await.unwrap();
        }
        sum
    })
}

// On a worker, not on the thread that blocks: that one has no queue of its own.
fn ms_of(runtime: Runtime, future: BoxFuture, expected: u64) -> f64 {
    let start = Instant::now();
    let sum = runtime.block_on(async { tokio::spawn(future).await.unwrap() });
    let ms = start.elapsed().as_nanos() as f64 / 1e6;
    assert_eq!(sum, expected);
    ms
}

fn skynet_ms(runtime: Runtime, is_quick: bool) -> f64 {
    let leaf_count: u64 = if is_quick { 10_000 } else { 1_000_000 };
    ms_of(runtime, skynet(0, leaf_count), leaf_count * (leaf_count - 1) / 2)
}

pub fn skynet_1(values: &mut Values, is_quick: bool) {
    report(values, "skynet_1", skynet_ms(runtime(), is_quick));
}

pub fn skynet_2(values: &mut Values, is_quick: bool) {
    report(values, "skynet_2", skynet_ms(pool(2), is_quick));
}

fn fib(n: u64) -> BoxFuture {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let forked = tokio::spawn(fib(n - 1));
        fib(n - 2).await + forked.await.unwrap()
    })
}

fn fib_ms(worker_count: usize, is_quick: bool) -> f64 {
    let n = if is_quick { 20 } else { 32 };
    let expected = (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    ms_of(pool(worker_count), fib(n), expected)
}

pub fn fib32_1(values: &mut Values, is_quick: bool) {
    report(values, "fib32_1", fib_ms(1, is_quick));
}

pub fn fib32_2(values: &mut Values, is_quick: bool) {
    report(values, "fib32_2", fib_ms(2, is_quick));
}

// Two current-thread runtimes, each on a core of its own; they park, for tokio cannot be told to
// look without waiting.
pub fn channel_ping_pong_2(values: &mut Values, is_quick: bool) {
    let (ask, asked) = mpsc::channel(1);
    let (answer, answered) = mpsc::channel(1);
    let other = std::thread::spawn(move || {
        pin(1);
        runtime().block_on(answer_all(asked, answer));
    });
    let here = std::thread::spawn(move || {
        pin(0);
        let mut meter = Meter::new(is_quick);
        runtime().block_on(ask_all(ask, answered, &mut meter));
        meter.ns()
    });
    report(values, "channel_ping_pong_2", here.join().unwrap());
    other.join().unwrap();
}
