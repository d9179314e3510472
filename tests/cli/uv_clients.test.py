# SPDX-License-Identifier: Apache-2.0
"""Programs that were linked with libuv, unmodified on gyre's loop: named and dig, nvim, uvloop, luv, pyuv, and a Node that loads
libuv.so.1, as Debian's (GYRE_UV_NODE names one that is not in the path). Those that are not installed are skipped.

    uv_clients.test.py PROGRAM"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from program import gyre

NAMED = """options {{
    directory "{folder}"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};
    pid-file "{folder}/pid"; session-keyfile none; recursion no; allow-transfer {{ any; }};
}};
controls {{ }};
zone "example.test" {{ type primary; file "zone"; }};
"""
HOST_COUNT = 1000
ZONE = "$TTL 300\n@ IN SOA ns.example.test. root.example.test. 1 3600 600 86400 300\n@ IN NS ns.example.test.\nns IN A 127.0.0.1\n" \
    + "".join(f"h{i} IN A 10.0.{i // 256}.{i % 256}\n" for i in range(HOST_COUNT))

NVIM = """
local uv = vim.loop
local seen = {}
local timer = uv.new_timer()
timer:start(5, 0, function() table.insert(seen, 'timer') timer:close() end)
uv.spawn('sh', {args = {'-c', 'exit 3'}}, function(code) table.insert(seen, 'child ' .. code) end)
uv.fs_stat('/', function(_, found) table.insert(seen, found.type) end)
vim.wait(300000, function() return #seen == 3 end, 5)
table.sort(seen)
io.stdout:write(table.concat(seen, ', ') .. '\\n' .. vim.fn.system('echo from a child'))
"""

UVLOOP = """
import asyncio, os, signal, subprocess
import uvloop

async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()

class Datagram(asyncio.DatagramProtocol):
    def __init__(self, loop): self.arrived = loop.create_future()
    def datagram_received(self, data, address): self.arrived.set_result(data)

async def main():
    loop = asyncio.get_running_loop()
    assert isinstance(loop, uvloop.Loop)
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async def client(size):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        sent = os.urandom(size)
        writer.write(sent)
        assert await reader.readexactly(size) == sent
        writer.close()
    await asyncio.gather(*[client(20000 * i + 1) for i in range(16)])
    transport, protocol = await loop.create_datagram_endpoint(lambda: Datagram(loop), local_addr=("127.0.0.1", 0))
    transport.sendto(b"x", transport.get_extra_info("sockname"))
    assert await protocol.arrived == b"x"
    transport.close()
    child = await asyncio.create_subprocess_exec("cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    output, _ = await child.communicate(b"hello" * 20000)
    assert output == b"hello" * 20000 and child.returncode == 0
    assert sum(await asyncio.gather(*[loop.run_in_executor(None, lambda: 1) for _ in range(50)])) == 50
    assert await loop.getaddrinfo("localhost", 80)
    caught = loop.create_future()
    loop.add_signal_handler(signal.SIGUSR1, caught.set_result, None)
    os.kill(os.getpid(), signal.SIGUSR1)
    await caught
    reader, writer = os.pipe()
    closed = loop.create_future()
    class Pipe(asyncio.BaseProtocol):
        def connection_lost(self, reason): closed.set_result(None)
    transport, _ = await loop.connect_write_pipe(Pipe, os.fdopen(writer, "wb"))
    transport.write(b"1")
    await asyncio.sleep(0.01)
    assert not transport.is_closing() and os.read(reader, 8) == b"1"
    os.close(reader)
    await closed
    server.close()

uvloop.install()
asyncio.run(main())
print("done")
"""

LUV = """
local uv = require('luv')
local server = uv.new_tcp()
server:bind('127.0.0.1', 0)
server:listen(8, function()
    local peer = uv.new_tcp()
    server:accept(peer)
    peer:read_start(function(_, data)
        if data then peer:write(data) else peer:close() server:close() end
    end)
end)
local client = uv.new_tcp()
client:connect('127.0.0.1', server:getsockname().port, function()
    client:write('hello')
    client:read_start(function(_, data) io.write('echo ', data, '\\n') client:close() end)
end)
uv.run()
print('done')
"""
PYUV = """
import pyuv
loop = pyuv.Loop()
seen = []
def accept(server, error):
    peer = pyuv.TCP(loop)
    server.accept(peer)
    def echo(handle, data, error):
        if data: handle.write(data)
        else: handle.close(); server.close()
    peer.start_read(echo)
server = pyuv.TCP(loop)
server.bind(("127.0.0.1", 0))
server.listen(accept)
client = pyuv.TCP(loop)
def connected(handle, error):
    assert error is None
    handle.write(b"hello")
    def take(handle, data, error):
        seen.append("echo " + data.decode())
        handle.close()
    handle.start_read(take)
client.connect(server.getsockname(), connected)
timer = pyuv.Timer(loop)
timer.start(lambda handle: (seen.append("timer"), handle.close()), 0.005, 0)
loop.queue_work(lambda: None, lambda error: seen.append("work"))
pyuv.fs.stat(loop, "/", lambda request: seen.append("stat"))
pyuv.Process.spawn(loop, ["sh", "-c", "exit 3"], exit_callback=lambda child, status, number: (seen.append(f"child {status}"), child.close()))
loop.run()
print(", ".join(sorted(seen)))
"""
NODE = """
const fs = require('fs'), http = require('http'), net = require('net'), dgram = require('dgram'), path = require('path');
const child = require('child_process'), crypto = require('crypto'), zlib = require('zlib'), cluster = require('cluster');
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) {
    parentPort.on('message', number => parentPort.postMessage(2 * number));
} else if (cluster.isWorker) {
    http.createServer((request, response) => response.end('of a worker')).listen(0, '127.0.0.1', function () {
        process.send(this.address().port);
    });
} else {
    main(process.argv[2]).then(() => console.log('done'));
}
async function main(folder) {
    const file = path.join(folder, 'a');
    await fs.promises.writeFile(file, 'x'.repeat(100000));
    await new Promise(end => fs.createReadStream(file).pipe(zlib.createGzip()).pipe(fs.createWriteStream(file + '.gz')).on('finish', end));
    console.log('files', zlib.gunzipSync(fs.readFileSync(file + '.gz')).length, (await fs.promises.readdir(folder)).length);
    const watcher = fs.watch(folder);
    const changed = new Promise(end => watcher.once('change', (kind, name) => end(name)));
    fs.writeFileSync(path.join(folder, 'b'), '1');
    console.log('watch', await changed);
    watcher.close();
    const cat = new Promise(end => child.execFile('cat', (error, output) => end(output)).stdin.end('through a child'));
    console.log(await cat);
    const sleeper = child.spawn('sleep', ['1000']);
    sleeper.on('spawn', () => sleeper.kill());
    console.log('killed by', await new Promise(end => sleeper.on('exit', (code, signal) => end(signal))));
    console.log('key', await new Promise(end => crypto.pbkdf2('a', 'b', 1000, 8, 'sha256', (error, key) => end(key.length))));
    const worker = new Worker(__filename);
    console.log('worker', await new Promise(end => { worker.on('message', end); worker.postMessage(21); }));
    await worker.terminate();
    const server = net.createServer(peer => peer.pipe(peer));
    await new Promise(end => server.listen(0, '127.0.0.1', end));
    console.log('echo', await new Promise(end => {
        const client = net.connect(server.address().port, '127.0.0.1');
        let count = 0;
        client.on('data', data => { count += data.length; if (count === 1000000) client.end(); });
        client.on('close', () => end(count));
        client.write(Buffer.alloc(1000000));
    }));
    server.close();
    const udp = dgram.createSocket('udp4');
    await new Promise(end => udp.bind(0, '127.0.0.1', end));
    console.log(await new Promise(end => {
        udp.on('message', message => end(String(message)));
        udp.send('a datagram', udp.address().port, '127.0.0.1');
    }));
    udp.close();
    const other = cluster.fork();
    const port = await new Promise(end => other.on('message', end));
    console.log(await new Promise(end => http.get({ port, host: '127.0.0.1' }, response => {
        response.on('data', data => end(String(data)));
    })));
    other.kill();
    const caught = new Promise(end => process.once('SIGUSR2', end));
    process.kill(process.pid, 'SIGUSR2');
    const timer = setInterval(() => {}, 1000);
    console.log(await caught);
    clearInterval(timer);
}
"""
NODE_OUTPUT = """files 100000 2
watch b
through a child
killed by SIGTERM
key 8
worker 42
echo 1000000
a datagram
of a worker
SIGUSR2
done
"""
LUA = next((name for name in ("luajit", "lua5.1", "lua5.3", "lua5.4") if shutil.which(name)), None)
PYTHON = "/usr/bin/python3"  # Debian's modules are for Debian's interpreter


def has(command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def node_of_libuv():
    """A Node that loads libuv.so.1, by itself or through libnode; most have libuv linked in."""
    for name in (os.environ.get("GYRE_UV_NODE"), shutil.which("nodejs"), shutil.which("node")):
        if name and "libuv.so.1" in subprocess.run(["ldd", name], capture_output=True, text=True, check=False).stdout:
            return name
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class UvClients(unittest.TestCase):
    @unittest.skipUnless(shutil.which("named") and shutil.which("dig"), "named and dig are not installed (bind9, bind9-dnsutils)")
    def test_named_answers_dig_over_udp_tcp_and_axfr(self):
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            Path(folder, "zone").write_text(ZONE, encoding="utf-8")
            Path(folder, "conf").write_text(NAMED.format(folder=folder, port=port), encoding="utf-8")
            command = [program.PROGRAM, "uv", "--", "named", "-g", "-c", f"{folder}/conf", "-n", "2"]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
                try:
                    self.wait_until_running(server)
                    for words, count in ((["h7.example.test"], 1), (["+tcp", "h7.example.test"], 1),
                                         (["-t", "AXFR", "example.test"], HOST_COUNT + 4)):
                        asked = gyre("uv", "--", "dig", "@127.0.0.1", "-p", str(port), "+short", *words)
                        self.assertEqual((asked.returncode, len(asked.stdout.splitlines())), (0, count), asked.stderr)
                        if count == 1:
                            self.assertEqual(asked.stdout, "10.0.0.7\n")
                finally:
                    os.kill(int(Path(folder, "pid").read_text(encoding="utf-8")), signal.SIGTERM)
                rest = server.stderr.read()
                self.assertEqual(server.wait(), 0)
            self.assertIn("exiting", rest)

    def wait_until_running(self, server):
        for line in server.stderr:
            if line.rstrip().endswith(" running"):
                return
        self.fail("named ended before it ran")

    @unittest.skipUnless(shutil.which("nvim"), "nvim is not installed (neovim)")
    def test_nvim_runs_lua_children_and_timers(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "some.lua").write_text(NVIM, encoding="utf-8")
            result = gyre("uv", "--", "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", f"luafile {folder}/some.lua", "-c", "qa!")
            self.assertEqual((result.returncode, result.stdout), (0, "child 3, directory, timer\nfrom a child\n"), result.stderr)

    @unittest.skipUnless(has([PYTHON, "-c", "import uvloop"]), "uvloop is not installed (python3-uvloop)")
    def test_uvloop_serves_connections_datagrams_children_and_signals(self):
        result = gyre("uv", "--", PYTHON, "-c", UVLOOP)
        self.assertEqual((result.returncode, result.stdout), (0, "done\n"), result.stderr)
        self.assertEqual(result.stderr, "")

    @unittest.skipUnless(LUA and has([LUA, "-e", "require('luv')"]), "luv is not installed (lua-luv, luajit)")
    def test_luv_echoes_over_tcp(self):
        result = gyre("uv", "--", LUA, "-e", LUV)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "echo hello\ndone\n", ""))

    @unittest.skipUnless(has([PYTHON, "-c", "import pyuv"]), "pyuv is not installed (pip install pyuv --no-binary pyuv)")
    def test_pyuv_serves_handles_and_requests(self):
        result = gyre("uv", "--", PYTHON, "-c", PYUV)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "child 3, echo hello, stat, timer, work\n", ""))

    @unittest.skipUnless(node_of_libuv(), "no node that loads libuv.so.1 (Debian's nodejs)")
    def test_node_runs_a_program_of_all_kinds_of_handles(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "program.js")
            script.write_text(NODE, encoding="utf-8")
            Path(folder, "files").mkdir()
            result = gyre("uv", "--", node_of_libuv(), str(script), f"{folder}/files")
            self.assertEqual((result.returncode, result.stdout), (0, NODE_OUTPUT), result.stderr)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
