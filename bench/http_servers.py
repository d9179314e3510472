# SPDX-License-Identifier: Apache-2.0
"""How the servers of the group http are had and started: ours, and those it is compared with.

Programs of this tree are called as `PROGRAM PORT FOLDER [CERTIFICATE KEY]`; they serve `/plaintext` and the
files of the folder at 127.0.0.1 until they are killed. nginx and h2o get a configuration that says the
same, in the scratch folder of the run. All have one thread, and write no log of requests.
"""

import os
import shutil

BENCH_DIR = os.path.dirname(os.path.abspath(__file__))
PEER_DIR = os.path.join(BENCH_DIR, "peers")

LOAD_CASES = ["http_plain", "http_plain_p99", "http_pipelined", "http_pipelined_p99"]
ALL_CASES = LOAD_CASES + ["http_file", "http_file_both", "http_tls", "http_tls_p99", "http_idle"]


def cases_of(kind):
    """What a server of that kind can be asked. The floor knows one answer and no files."""
    return LOAD_CASES if kind == "floor" else ALL_CASES


class Place:
    """Where a server is to serve, and with what."""

    def __init__(self, scratch, port, certificate=None, key=None):
        self.scratch = scratch
        self.port = port
        self.folder = os.path.join(scratch, "files")
        self.certificate = certificate
        self.key = key


def start_command(kind, command, place):
    """The command that starts it; writes the configuration it needs."""
    if kind == "nginx":
        path = write(place, "nginx.conf", nginx_configuration(place))
        return command + ["-p", place.scratch, "-c", path, "-e", "stderr"]
    if kind == "h2o":
        return command + ["-c", write(place, "h2o.conf", h2o_configuration(place))]
    encryption = [place.certificate, place.key] if place.certificate else []
    return command + [str(place.port), place.folder] + encryption


def write(place, name, text):
    path = os.path.join(place.scratch, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def nginx_configuration(place):
    names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    temporary = "\n".join(f"    {name}_temp_path {place.scratch}/{name};" for name in names)
    encryption = ""
    if place.certificate:
        encryption = f"ssl_certificate {place.certificate}; ssl_certificate_key {place.key};"
    return f"""daemon off;
master_process off;
worker_processes 1;
pid {place.scratch}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 8192; }}
http {{
{temporary}
    access_log off;
    sendfile on;
    keepalive_timeout 65;
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{place.port} backlog=4096 {"ssl" if place.certificate else ""};
        {encryption}
        location = /plaintext {{ default_type text/plain; return 200 "Hello, World!"; }}
        location / {{ root {place.folder}; }}
    }}
}}
"""


def h2o_configuration(place):
    encryption = ""
    if place.certificate:
        encryption = f"""
  ssl:
    certificate-file: {place.certificate}
    key-file: {place.key}
    ocsp-update-interval: 0"""
    # Without a user it would change to one that may be unable to read the folder.
    user = "user: root\n" if os.geteuid() == 0 else ""
    return f"""{user}num-threads: 1
max-connections: 8192
pid-file: {place.scratch}/h2o.pid
http1-request-timeout: 60
listen:
  host: 127.0.0.1
  port: {place.port}{encryption}
hosts:
  default:
    paths:
      /:
        file.dir: {place.folder}
"""


def find(name, build_dir, build):
    """The kind and the command of a server, or why there is none. `build` as programs.build."""
    return FINDERS[name](build_dir, build)


def find_own(program, kind="program"):
    def look(build_dir, _build):
        path = os.path.join(build_dir, "bin", program)
        return (kind, [path], "") if os.path.exists(path) else (kind, None, "not found")

    return look


def find_installed(name):
    def look(_build_dir, _build):
        path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        return (name, [path], "") if path else (name, None, "not found")

    return look


def find_node(_build_dir, _build):
    node = shutil.which("node")
    command = [node, os.path.join(PEER_DIR, "node_http.mjs")] if node else None
    return "program", command, "" if node else "not found"


def find_go(build_dir, build):
    go = shutil.which("go")
    if go is None:
        return "program", None, "not found"
    path = os.path.join(build_dir, "bench-peers", "go_http", "bench_server_go")
    command = [go, "build", "-buildvcs=false", "-o", path, "."]
    reason = build(command, os.path.join(PEER_DIR, "go_http"), "go")
    return "program", None if reason else [path], reason or ""


def find_hyper(build_dir, build):
    cargo = shutil.which("cargo")
    if cargo is None:
        return "program", None, "not found"
    # A copy, because cargo writes its lock file beside the manifest.
    folder = os.path.join(build_dir, "bench-peers", "hyper")
    shutil.copytree(os.path.join(PEER_DIR, "hyper"), folder, dirs_exist_ok=True)
    target = os.path.join(folder, "target")
    reason = build([cargo, "build", "--release", "--quiet", "--target-dir", target], folder, "hyper")
    path = os.path.join(target, "release", "bench_server_hyper")
    return "program", None if reason else [path], reason or ""


FINDERS = {
    "ours": find_own("bench_server_gyre"),
    "floor": find_own("bench_server_floor", "floor"),
    "beast": find_own("bench_server_beast"),
    "nginx": find_installed("nginx"),
    "h2o": find_installed("h2o"),
    "hyper": find_hyper,
    "go": find_go,
    "node": find_node,
}
