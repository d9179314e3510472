// SPDX-License-Identifier: Apache-2.0
// hyper's rows of the group http: a task for each connection on a current-thread runtime, TLS by
// rustls. Runs until it is killed.
//
//     bench_server_hyper PORT FOLDER [CERTIFICATE KEY]
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

type Answer = Response<Full<Bytes>>;

fn answer(request: &Request<Incoming>, folder: &Path) -> Answer {
    let path = request.uri().path();
    if path == "/plaintext" {
        return Response::builder()
            .header("Content-Type", "text/plain")
            .body(Full::new(Bytes::from_static(b"Hello, World!")))
            .unwrap();
    }
    match std::fs::read(folder.join(path.trim_start_matches('/'))) {
        Ok(bytes) => Response::builder()
            .header("Content-Type", "application/octet-stream")
            .body(Full::new(Bytes::from(bytes)))
            .unwrap(),
        Err(_) => {
            let mut missing = Response::new(Full::default());
            *missing.status_mut() = StatusCode::NOT_FOUND;
            missing
        }
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin + 'static>(stream: S, folder: Rc<PathBuf>) {
    let service = service_fn(|request| {
        let answer = answer(&request, &folder);
        async move { Ok::<Answer, Infallible>(answer) }
    });
    // An error here is a peer that has gone.
    let _ = http1::Builder::new()
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn encryption(certificate: &str, key: &str) -> TlsAcceptor {
    let certificates = rustls_pemfile::certs(&mut BufReader::new(File::open(certificate).unwrap()))
        .collect::<Result<Vec<_>, _>>()
        .unwrap();
    let key = rustls_pemfile::private_key(&mut BufReader::new(File::open(key).unwrap()))
        .unwrap()
        .unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 && arguments.len() != 5 {
        eprintln!("usage: {} PORT FOLDER [CERTIFICATE KEY]", arguments[0]);
        std::process::exit(2);
    }
    let port: u16 = arguments[1].parse().unwrap();
    let folder = Rc::new(PathBuf::from(&arguments[2]));
    let acceptor = (arguments.len() == 5).then(|| encryption(&arguments[3], &arguments[4]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, async move {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            let (folder, acceptor) = (folder.clone(), acceptor.clone());
            tokio::task::spawn_local(async move {
                let Some(acceptor) = acceptor else { return serve(stream, folder).await };
                if let Ok(encrypted) = acceptor.accept(stream).await {
                    serve(encrypted, folder).await;
                }
            });
        }
    });
}
