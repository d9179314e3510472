// SPDX-License-Identifier: Apache-2.0
// Messages are function pointers in an unbounded mpsc channel, received and called by the task that
// the runtime's thread blocks on; at most 4096 of a producer are under way. The batch case takes
// them out with recv_many. Each runtime belongs to one thread.
use crate::{ns_per, report, runtime, Values};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};

const WINDOW: u64 = 4096;
const BATCH: usize = 64;

type Message = (fn(&AtomicU64), Arc<AtomicU64>);

extern "C" {
    fn sched_setaffinity(process: i32, size: usize, mask: *const u64) -> i32;
}

// The calling thread stays on that core from now on; so each case runs on threads of its own.
pub fn pin(core: u64) {
    let mask = [1u64 << core];
    unsafe { sched_setaffinity(0, std::mem::size_of_val(&mask), mask.as_ptr()) };
}

fn on_thread<T: Send + 'static>(case: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(case).join().unwrap()
}

// One writer, the runtime's thread, so no read-modify-write is needed.
fn deliver(delivered: &AtomicU64) {
    delivered.store(delivered.load(Ordering::Relaxed) + 1, Ordering::Release);
}

fn produce(sender: &UnboundedSender<Message>, count: u64) {
    let delivered = Arc::new(AtomicU64::new(0));
    for posted in 0..count {
        while posted >= delivered.load(Ordering::Acquire) + WINDOW {
            std::thread::yield_now();
        }
        sender.send((deliver, delivered.clone())).ok().unwrap();
    }
}

fn stream(is_quick: bool, producer_count: u64, receive_max: usize) -> f64 {
    let total: u64 = if is_quick { 100_000 } else { 1_000_000 };
    let (sender, mut receiver) = unbounded_channel::<Message>();
    let gate = Arc::new(Barrier::new(producer_count as usize + 1));
    let threads: Vec<_> = (0..producer_count)
        .map(|producer| {
            let (sender, gate) = (sender.clone(), gate.clone());
            std::thread::spawn(move || {
                pin(1 - producer % 2);
                gate.wait();
                produce(&sender, total / producer_count);
            })
        })
        .collect();
    drop(sender);
    pin(0);
    let result = runtime().block_on(async {
        let mut batch = Vec::with_capacity(receive_max);
        gate.wait();
        let start = Instant::now();
        while receiver.recv_many(&mut batch, receive_max).await > 0 {
            batch.drain(..).for_each(|(run, argument)| run(&argument));
        }
        ns_per(start, total)
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    result
}

pub fn post_batch(values: &mut Values, is_quick: bool) {
    report(values, "post_batch", on_thread(move || stream(is_quick, 1, BATCH)));
}

pub fn post_single(values: &mut Values, is_quick: bool) {
    report(values, "post_single", on_thread(move || stream(is_quick, 1, 1)));
}

pub fn post_two_producers(values: &mut Values, is_quick: bool) {
    report(values, "post_two_producers", on_thread(move || stream(is_quick, 2, 1)));
}

pub fn post_own(values: &mut Values, is_quick: bool) {
    let round_count: u64 = if is_quick { 2_000 } else { 50_000 };
    let counter = Arc::new(AtomicU64::new(0));
    let (sender, mut receiver) = unbounded_channel::<Message>();
    let runtime = runtime();
    let start = Instant::now();
    for _ in 0..round_count {
        for _ in 0..BATCH {
            sender.send((deliver, counter.clone())).ok().unwrap();
        }
        runtime.block_on(async {
            for _ in 0..BATCH {
                let (run, argument) = receiver.recv().await.unwrap();
                run(&argument);
            }
        });
    }
    report(values, "post_own", ns_per(start, round_count * BATCH as u64));
}

fn round_trip_ns(is_quick: bool) -> f64 {
    let span = Duration::from_millis(if is_quick { 50 } else { 300 });
    let (question, mut questions) = unbounded_channel::<u64>();
    let (answer, mut answers) = unbounded_channel::<u64>();
    let other = std::thread::spawn(move || {
        pin(1);
        runtime().block_on(async {
            while let Some(number) = questions.recv().await {
                answer.send(number).unwrap();
            }
        });
    });
    pin(0);
    let trip_ns = runtime().block_on(async {
        let mut trip_count = 0;
        let start = Instant::now();
        while start.elapsed() < span {
            question.send(trip_count).unwrap();
            answers.recv().await.unwrap();
            trip_count += 1;
        }
        ns_per(start, trip_count)
    });
    drop(question);
    other.join().unwrap();
    trip_ns
}

pub fn round_trip_parked(values: &mut Values, is_quick: bool) {
    report(values, "round_trip_parked", on_thread(move || round_trip_ns(is_quick)));
}

// With many sockets each has a task of its own that reads, as a server would.
fn fd_events(is_quick: bool, fd_count: usize) -> f64 {
    let event_count: u64 = if is_quick { 10_000 } else { 100_000 };
    let round_count = event_count / fd_count as u64;
    runtime().block_on(async {
        let (done, mut is_done) = unbounded_channel::<()>();
        let mut far_ends = Vec::new();
        for _ in 0..fd_count {
            let (mut near, far) = UnixStream::pair().unwrap();
            far_ends.push(far);
            let done = done.clone();
            tokio::spawn(async move {
                let mut byte = [0u8; 1];
                while near.read(&mut byte).await.unwrap() == 1 {
                    done.send(()).unwrap();
                }
            });
        }
        let start = Instant::now();
        for _ in 0..round_count {
            for far in &mut far_ends {
                far.write_all(&[1]).await.unwrap();
            }
            for _ in 0..fd_count {
                is_done.recv().await.unwrap();
            }
        }
        ns_per(start, round_count * fd_count as u64)
    })
}

pub fn fd_event(values: &mut Values, is_quick: bool) {
    report(values, "fd_event", fd_events(is_quick, 1));
}

pub fn fd_event_100(values: &mut Values, is_quick: bool) {
    report(values, "fd_event_100", fd_events(is_quick, 100));
}
