// SPDX-License-Identifier: Apache-2.0
// The applications of bench/apps on hyper with axum, on a current-thread runtime. Runs until it is killed.
//
//     bench_apps_axum PORT UPSTREAM_PORT
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

#[derive(Deserialize)]
struct Item {
    price: f64,
    count: i64,
}
#[derive(Deserialize)]
struct Order {
    customer: String,
    items: Vec<Item>,
}
#[derive(Serialize)]
struct Sum {
    customer: String,
    count: i64,
    total: f64,
}

struct Shared {
    upstream: String,
    client: Client<HttpConnector, Body>,
    count: AtomicU64,
}

async fn show(Path((id, post)): Path<(String, String)>) -> String {
    format!("user {id} post {post}")
}

async fn order(Json(order): Json<Order>) -> Json<Sum> {
    let count = order.items.iter().map(|item| item.count).sum();
    let total = order.items.iter().map(|item| item.price * item.count as f64).sum();
    Json(Sum { customer: order.customer, count, total })
}

async fn proxy(State(shared): State<Arc<Shared>>, Path(path): Path<String>) -> Response {
    let uri: Uri = format!("{}{}", shared.upstream, path).parse().unwrap();
    match shared.client.get(uri).await {
        Ok(answer) => answer.map(Body::new).into_response(),
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

async fn counted(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    shared.count.fetch_add(1, Ordering::Relaxed);
    next.run(request).await
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: {} PORT UPSTREAM_PORT", arguments[0]);
        std::process::exit(2);
    }
    let port: u16 = arguments[1].parse().unwrap();
    let shared = Arc::new(Shared {
        upstream: format!("http://127.0.0.1:{}/", arguments[2]),
        client: Client::builder(TokioExecutor::new()).build_http(),
        count: AtomicU64::new(0),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        let routes = Router::new()
            .route("/users/:id/posts/:post", get(show))
            .route("/orders", post(order))
            .route("/proxy/*path", get(proxy))
            .layer(middleware::from_fn_with_state(shared.clone(), counted))
            .with_state(shared);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        axum::serve(listener, routes).tcp_nodelay(true).await.unwrap();
    });
}
