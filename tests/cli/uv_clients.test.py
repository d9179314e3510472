# SPDX-License-Identifier: Apache-2.0
"""Programs that were linked with libuv, unmodified on gyre's loop: named and dig, nvim, uvloop, luv. Those that are not
installed are skipped.

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
LUA = next((name for name in ("luajit", "lua5.1", "lua5.3", "lua5.4") if shutil.which(name)), None)
PYTHON = "/usr/bin/python3"  # Debian's modules are for Debian's interpreter


def has(command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


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


if __name__ == "__main__":
    program.take_program()
    unittest.main()
