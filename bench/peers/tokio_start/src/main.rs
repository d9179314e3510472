// SPDX-License-Identifier: Apache-2.0
// tokio's small programs for ./dev bench start, in one: bench/start/programs.cpp says what they do.
use std::io::Write;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn say_ready() {
    let mut out = std::io::stdout();
    out.write_all(b"ready\n").and_then(|()| out.flush()).unwrap();
}

async fn echo() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    say_ready();
    loop {
        let (mut connection, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let mut buffer = [0u8; 4096];
            while let Ok(size @ 1..) = connection.read(&mut buffer).await {
                if connection.write_all(&buffer[..size]).await.is_err() {
                    break;
                }
            }
        });
    }
}

async fn idle() {
    say_ready();
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    loop {
        ticks.tick().await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("hello") => say_ready(),
        Some("echo") => echo().await,
        Some("idle") => idle().await,
        _ => std::process::exit(2),
    }
}
