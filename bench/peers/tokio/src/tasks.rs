// SPDX-License-Identifier: Apache-2.0
// The group task on a current-thread runtime; bench/task_cases.hpp says what each case is. A child
// is a boxed future, as one of another module would be: an async function called directly becomes
// part of its caller. A promise is a oneshot channel. Timers are on tokio's paused clock. Values
// cross functions that are not inlined.
use crate::{report, runtime, timers::used_bytes, Values};
use std::cell::UnsafeCell;
use std::future::{poll_fn, Future};
use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;

const TASKS_AT_ONCE: u64 = 64;
const OPERATIONS_AT_ONCE: u64 = 1024;

const SLICE_OPERATIONS: u64 = 16 * 1024;

// The figure is that of the best slice, as in bench/task_cases.hpp.
pub struct Meter {
    span: Duration,
    elapsed: Duration,
    slice_start: Instant,
    slice_count: u64,
    best_ns: f64,
}

impl Meter {
    pub fn new(is_quick: bool) -> Self {
        let span = Duration::from_millis(if is_quick { 50 } else { 300 });
        Meter {
            span,
            elapsed: Duration::ZERO,
            slice_start: Instant::now(),
            slice_count: 0,
            best_ns: f64::INFINITY,
        }
    }
    pub fn goes_on(&mut self, batch_count: u64) -> bool {
        if self.slice_count >= SLICE_OPERATIONS {
            self.end_slice();
        }
        self.slice_count += batch_count;
        self.elapsed < self.span
    }
    #[inline(never)]
    fn end_slice(&mut self) {
        let now = Instant::now();
        let slice = now - self.slice_start;
        self.best_ns = self.best_ns.min(slice.as_nanos() as f64 / self.slice_count as f64);
        self.elapsed += slice;
        self.slice_start = now;
        self.slice_count = 0;
    }
    pub fn ns(&self) -> f64 {
        self.best_ns
    }
}

#[inline(never)]
fn ready(value: u64) -> std::future::Ready<u64> {
    std::future::ready(black_box(value))
}

#[inline(never)]
fn child(value: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move { value })
}

pub fn await_ready(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let mut sum = 0u64;
    runtime().block_on(async {
        while meter.goes_on(OPERATIONS_AT_ONCE) {
            for i in 0..OPERATIONS_AT_ONCE {
                sum = sum.wrapping_add(ready(i).await);
            }
        }
    });
    black_box(sum);
    report(values, "await_ready", meter.ns());
}

pub fn child_await(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let mut sum = 0u64;
    runtime().block_on(async {
        while meter.goes_on(OPERATIONS_AT_ONCE) {
            for i in 0..OPERATIONS_AT_ONCE {
                sum = sum.wrapping_add(child(i).await);
            }
        }
    });
    black_box(sum);
    report(values, "child_await", meter.ns());
}

#[inline(never)]
fn promise() -> (oneshot::Sender<u64>, oneshot::Receiver<u64>) {
    oneshot::channel()
}

// The receiver of a promise that is not settled, by the waker of a task.
pub fn poll(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let (settle, mut settled) = promise();
    runtime().block_on(poll_fn(|context| {
        while meter.goes_on(OPERATIONS_AT_ONCE) {
            for _ in 0..OPERATIONS_AT_ONCE {
                assert!(is_pending(&mut settled, context));
            }
        }
        Poll::Ready(())
    }));
    drop(settle);
    report(values, "poll", meter.ns());
}

#[inline(never)]
fn is_pending(settled: &mut oneshot::Receiver<u64>, context: &mut Context) -> bool {
    Pin::new(settled).poll(context).is_pending()
}

pub fn promise_await(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let mut sum = 0u64;
    runtime().block_on(async {
        while meter.goes_on(OPERATIONS_AT_ONCE) {
            for i in 0..OPERATIONS_AT_ONCE {
                let (settle, settled) = promise();
                settle.send(i).unwrap();
                sum = sum.wrapping_add(settled.await.unwrap());
            }
        }
    });
    black_box(sum);
    report(values, "promise", meter.ns());
}

// Where a task leaves its waker. All tasks of these cases run on one thread.
#[derive(Default)]
struct Signal(UnsafeCell<(Option<Waker>, bool)>);
unsafe impl Send for Signal {}
unsafe impl Sync for Signal {}

impl Signal {
    fn wait(&self) -> impl Future<Output = ()> + '_ {
        poll_fn(|context| {
            let (waker, is_woken) = unsafe { &mut *self.0.get() };
            if std::mem::take(is_woken) {
                return Poll::Ready(());
            }
            match waker {
                Some(kept) => kept.clone_from(context.waker()),
                None => *waker = Some(context.waker().clone()),
            }
            Poll::Pending
        })
    }
    fn wake(&self) {
        let (waker, is_woken) = unsafe { &mut *self.0.get() };
        *is_woken = true;
        if let Some(waker) = waker {
            waker.wake_by_ref();
        }
    }
}

pub fn wake(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let is_over = Arc::new(AtomicBool::new(false));
    let signals: Vec<_> = (0..TASKS_AT_ONCE).map(|_| Arc::new(Signal::default())).collect();
    runtime().block_on(async {
        for signal in &signals {
            let (signal, is_over) = (signal.clone(), is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Relaxed) {
                    signal.wait().await;
                }
            });
        }
        yield_now().await;
        while meter.goes_on(TASKS_AT_ONCE) {
            signals.iter().for_each(|signal| signal.wake());
            yield_now().await;
        }
        is_over.store(true, Relaxed);
        signals.iter().for_each(|signal| signal.wake());
        yield_now().await;
    });
    report(values, "wake", meter.ns());
}

// Counts what all tasks did: those that yield do not run in step with the one that measures.
pub fn yielding(values: &mut Values, is_quick: bool) {
    let is_over = Arc::new(AtomicBool::new(false));
    let count = Arc::new(AtomicU64::new(0));
    let result = runtime().block_on(async {
        for _ in 0..TASKS_AT_ONCE {
            let (count, is_over) = (count.clone(), is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Relaxed) {
                    count.store(count.load(Relaxed) + 1, Relaxed);
                    yield_now().await;
                }
            });
        }
        let mut meter = Meter::new(is_quick);
        while meter.goes_on(1) {
            yield_now().await;
        }
        is_over.store(true, Relaxed);
        meter.elapsed.as_nanos() as f64 / count.load(Relaxed) as f64
    });
    report(values, "yield", result);
}

pub fn spawn(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let count = Arc::new(AtomicU64::new(0));
    runtime().block_on(async {
        let mut target = 0;
        while meter.goes_on(TASKS_AT_ONCE) {
            target += TASKS_AT_ONCE;
            for _ in 0..TASKS_AT_ONCE {
                let count = count.clone();
                tokio::spawn(async move { count.store(count.load(Relaxed) + 1, Relaxed) });
            }
            while count.load(Relaxed) < target {
                yield_now().await;
            }
        }
    });
    report(values, "spawn", meter.ns());
}

// Sends and receives in turn; the other side answers each. Two messages a round.
pub async fn ask_all(
    questions: mpsc::Sender<u64>,
    mut answers: mpsc::Receiver<u64>,
    meter: &mut Meter,
) {
    while meter.goes_on(2 * TASKS_AT_ONCE) {
        for i in 0..TASKS_AT_ONCE {
            questions.send(i).await.unwrap();
            black_box(answers.recv().await.unwrap());
        }
    }
}

pub async fn answer_all(mut questions: mpsc::Receiver<u64>, answers: mpsc::Sender<u64>) {
    while let Some(value) = questions.recv().await {
        answers.send(value).await.ok();
    }
}

pub fn channel_ping_pong(values: &mut Values, is_quick: bool) {
    let mut meter = Meter::new(is_quick);
    let (ask, asked) = mpsc::channel(1);
    let (answer, answered) = mpsc::channel(1);
    runtime().block_on(async {
        tokio::spawn(answer_all(asked, answer));
        ask_all(ask, answered, &mut meter).await;
    });
    report(values, "channel_ping_pong", meter.ns());
}

pub fn channel_stream(values: &mut Values, is_quick: bool) {
    let (send, mut receive) = mpsc::channel(TASKS_AT_ONCE as usize);
    let result = runtime().block_on(async {
        let sender = tokio::spawn(async move {
            let mut meter = Meter::new(is_quick);
            while meter.goes_on(OPERATIONS_AT_ONCE) {
                for i in 0..OPERATIONS_AT_ONCE {
                    send.send(i).await.unwrap();
                }
            }
            meter.ns()
        });
        while let Some(value) = receive.recv().await {
            black_box(value);
        }
        sender.await.unwrap()
    });
    report(values, "channel_stream", result);
}

// The paused clock moves by itself when all tasks sleep.
pub fn timer_await(values: &mut Values, is_quick: bool) {
    let is_over = Arc::new(AtomicBool::new(false));
    let mut meter = Meter::new(is_quick);
    runtime().block_on(async {
        tokio::time::pause();
        for _ in 1..TASKS_AT_ONCE {
            let is_over = is_over.clone();
            tokio::spawn(async move {
                while !is_over.load(Relaxed) {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            });
        }
        while meter.goes_on(TASKS_AT_ONCE) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        is_over.store(true, Relaxed);
    });
    report(values, "timer_await", meter.ns());
}

pub fn idle_tasks(values: &mut Values, is_quick: bool) {
    let count: usize = if is_quick { 100_000 } else { 1_000_000 };
    runtime().block_on(async {
        let bytes_before = used_bytes();
        let waiting = Arc::new(AtomicU64::new(0));
        for _ in 0..count {
            let waiting = waiting.clone();
            tokio::spawn(async move {
                let signal = Signal::default();
                waiting.fetch_add(1, Relaxed);
                signal.wait().await;
            });
        }
        while waiting.load(Relaxed) < count as u64 {
            yield_now().await;
        }
        report(values, "idle_tasks", (used_bytes() - bytes_before) / count as f64);
    });
}
