// SPDX-License-Identifier: Apache-2.0
// The group io: a task for each connection on a current-thread runtime, on one core with the client
// (see bench/echo_cases.hpp).
use crate::{report, runtime, Values};
use std::cell::Cell;
use std::io::Read;
use std::process::{Command, Stdio};
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

#[repr(C)]
struct Time {
    seconds: i64,
    microseconds: i64,
}
#[repr(C)]
struct Usage {
    user: Time,
    system: Time,
    rest: [i64; 14],
}
extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
    fn sched_setaffinity(id: i32, size: usize, mask: *const u64) -> i32;
}

fn own_cpu_ns() -> f64 {
    let mut usage: Usage = unsafe { std::mem::zeroed() };
    unsafe { getrusage(0, &mut usage) };
    let ns = |time: &Time| time.seconds as f64 * 1e9 + time.microseconds as f64 * 1e3;
    ns(&usage.user) + ns(&usage.system)
}

async fn serve(mut stream: TcpStream) {
    let mut buffer = vec![0u8; 16 * 1024];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(size) => {
                if stream.write_all(&buffer[..size]).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn measure(values: &mut Values, is_quick: bool, size: usize, connections: usize, names: [&'static str; 2]) {
    let mask = [1u64; 1];
    unsafe { sched_setaffinity(0, 8, mask.as_ptr()) };
    let requests = if is_quick { 20_000 } else { 100_000 };
    let tasks = tokio::task::LocalSet::new();
    let work = async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut client = Command::new(std::env::var("GYRE_BENCH_ECHO_CLIENT").unwrap())
            .args([port.to_string(), size.to_string(), connections.to_string(), requests.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let before = own_cpu_ns();
        let open = Rc::new(Cell::new(0));
        let all_left = Rc::new(Notify::new());
        let left = all_left.clone();
        let accepting = tokio::task::spawn_local(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (open, left) = (open.clone(), left.clone());
                open.set(open.get() + 1);
                tokio::task::spawn_local(async move {
                    serve(stream).await;
                    open.set(open.get() - 1);
                    if open.get() == 0 {
                        left.notify_one();
                    }
                });
            }
        });
        all_left.notified().await;
        let used = own_cpu_ns() - before;
        accepting.abort();
        let mut answer = String::new();
        client.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
        client.wait().unwrap();
        (used / requests as f64, answer.trim().parse::<f64>().unwrap())
    };
    let (cpu, p99) = tasks.block_on(&runtime(), work);
    report(values, names[0], cpu);
    report(values, names[1], p99);
}

pub fn echo_64_1(values: &mut Values, is_quick: bool) {
    measure(values, is_quick, 64, 1, ["echo_64_1", "echo_p99_64_1"]);
}
pub fn echo_64_64(values: &mut Values, is_quick: bool) {
    measure(values, is_quick, 64, 64, ["echo_64_64", "echo_p99_64_64"]);
}
pub fn echo_64_1024(values: &mut Values, is_quick: bool) {
    measure(values, is_quick, 64, 1024, ["echo_64_1024", "echo_p99_64_1024"]);
}
pub fn echo_16384_1(values: &mut Values, is_quick: bool) {
    measure(values, is_quick, 16384, 1, ["echo_16384_1", "echo_p99_16384_1"]);
}
pub fn echo_16384_64(values: &mut Values, is_quick: bool) {
    measure(values, is_quick, 16384, 64, ["echo_16384_64", "echo_p99_16384_64"]);
}
pub fn echo_16384_1024(values: &mut Values, is_quick: bool) {
    measure(values, is_quick, 16384, 1024, ["echo_16384_1024", "echo_p99_16384_1024"]);
}
