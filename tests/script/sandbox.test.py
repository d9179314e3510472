#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script in a sandbox reaches what --allow names, and nothing else: every way out is tried.

    sandbox.test.py GYRE [ENGINE]

Each case is a script, its flags, and what it prints. FOLDER stands for a temporary folder:

    app/       where main.js is, with lib.mjs, secret.json and node_modules/pkg
    open/      the permitted folder, with in.txt, code.mjs and links that lead out
    closed/    has secret.txt and code.mjs, which prints SECRET
"""
import pathlib
import subprocess
import sys
import tempfile

OPEN = ["--allow", "fs=FOLDER/open"]
SANDBOX = ["--sandbox"]
# Prints the code of the error and the permission, or what it reached.
TRY = """
const attempt = async (run) => {
  try { console.log('reached', await run()); } catch (error) { console.log(error.code ?? error.message, error.permission ?? ''); }
};
"""
FS = "const fs = require('fs');" + TRY
DENIED_FS = "ERR_ACCESS_DENIED fs\n"
CASES = [
    # flags, text, stdout
    (SANDBOX, "console.log(process.cwd(), Object.keys(process.env).length)", "/ 0\n"),
    (OPEN, "console.log(process.cwd())", "FOLDER/open\n"),
    ([], "console.log(process.env.GYRE_TEST_SECRET)", "SECRET\n"),
    # Variables.
    (SANDBOX, TRY + "attempt(() => process.env.GYRE_TEST_SECRET)", "ERR_ACCESS_DENIED env\n"),
    (["--allow", "env=GYRE_TEST_OPEN"], TRY + "attempt(() => process.env.GYRE_TEST_OPEN)", "reached yes\n"),
    (["--allow", "env=GYRE_TEST_OPEN"], TRY + "attempt(() => process.env.GYRE_TEST_SECRET)", "ERR_ACCESS_DENIED env\n"),
    (["--allow", "env=GYRE_TEST_NONE"], TRY + "attempt(() => process.env.GYRE_TEST_NONE)", "reached undefined\n"),
    (SANDBOX, "process.env.MINE = 1; console.log(process.env.MINE, JSON.stringify(process.env), 'PATH' in process.env)", "1 {\"MINE\":\"1\"} false\n"),
    (SANDBOX, "try { process.env.HOME } catch (error) { console.log(error.message) }", "the environment variable HOME is not permitted: --allow env=HOME\n"),
    # Signals.
    (SANDBOX, TRY + "attempt(() => process.kill(process.pid, 0))", "ERR_ACCESS_DENIED signal\n"),
    (SANDBOX, TRY + "attempt(() => process.on('SIGTERM', () => {}))", "ERR_ACCESS_DENIED signal\n"),
    (SANDBOX, TRY + "attempt(() => { if (process._kill(process.ppid, 0) !== 0) throw new Error('refused'); })", "refused \n"),
    # The working directory.
    (SANDBOX, TRY + "attempt(() => process.chdir('/'))", DENIED_FS),
    (OPEN, TRY + "attempt(() => process.chdir('FOLDER/closed'))", DENIED_FS),
    (OPEN, TRY + "attempt(() => process.chdir('..'))", DENIED_FS),
    (OPEN, TRY + "attempt(() => process.chdir('out'))", DENIED_FS),
    (OPEN, "process.chdir('below'); console.log(process.cwd())", "FOLDER/open/below\n"),
    (OPEN, TRY + "process.chdir('below'); attempt(() => process.chdir('../../closed'))", DENIED_FS),
    # Modules: of the program itself, of a permitted folder, of others.
    (SANDBOX, TRY + "attempt(async () => (await import('./lib.mjs')).default)", "reached lib\n"),
    (SANDBOX, TRY + "attempt(async () => (await import('pkg')).default)", "reached pkg\n"),
    (SANDBOX, TRY + "attempt(() => require('./secret.json'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('./secret'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('../closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('../closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('FOLDER/closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('file://FOLDER/closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('file://FOLDER/app/%2e%2e/closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('./%2e%2e/closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('./link.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('./link.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('/etc/passwd'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('/etc'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import('/proc/self/environ'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('/proc/self/cwd/../closed/code.mjs'))", DENIED_FS),
    (OPEN, TRY + "attempt(async () => (await import('FOLDER/open/code.mjs')).default)", "reached open\n"),
    (OPEN, TRY + "attempt(() => import('FOLDER/open/out/code.mjs'))", DENIED_FS),
    (OPEN, TRY + "attempt(() => import('FOLDER/open/../closed/code.mjs'))", DENIED_FS),
    (OPEN, TRY + "attempt(() => import('FOLDER/openness/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => import(`data:text/javascript,${encodeURIComponent(\"import 'file://FOLDER/closed/code.mjs'\")}`))", DENIED_FS),
    (SANDBOX, TRY + "const made = new (require('module'))('x'); made.filename = 'FOLDER/open/x.js'; attempt(() => made._compile(\"module.exports = require('FOLDER/closed/code.mjs')\", 'FOLDER/open/x.js'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('module').createRequire('FOLDER/closed/x.js')('./code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "attempt(() => require('module')._load('FOLDER/closed/code.mjs'))", DENIED_FS),
    # Files, by awaited calls, by callbacks and by Sync calls.
    (OPEN, FS + "attempt(() => fs.readFileSync('in.txt', 'utf8')); attempt(() => fs.promises.readFile('FOLDER/open/in.txt', 'utf8'))", "reached in\nreached in\n"),
    (OPEN, FS + "fs.writeFileSync('new.txt', 'n'); fs.renameSync('new.txt', 'newer.txt'); attempt(() => fs.readdirSync('.').includes('newer.txt')); fs.rmSync('newer.txt')", "reached true\n"),
    (SANDBOX, FS + "attempt(() => fs.readFileSync('FOLDER/app/main.js'))", DENIED_FS),
    (SANDBOX, FS + "attempt(() => fs.existsSync('/etc/passwd'))", DENIED_FS),
    *[(OPEN, FS + f"attempt(() => {call})", DENIED_FS) for call in [
        "fs.readFileSync('/etc/passwd')", "fs.promises.readFile('/etc/passwd')", "fs.readFileSync('../closed/secret.txt')",
        "fs.readFileSync('out/secret.txt')", "fs.promises.readFile('out/secret.txt')", "fs.readFileSync('out.txt')", "fs.readFileSync('below/../out.txt')",
        "fs.readFileSync(new URL('file://FOLDER/open/%2e%2e/closed/secret.txt'))", "fs.readFileSync('FOLDER/openness/code.mjs')",
        "fs.readFileSync('/proc/self/root/etc/passwd')", "fs.readFileSync('/proc/self/environ')", "fs.readFileSync('/dev/fd/0')",
        "fs.writeFileSync('made.txt', 'x')", "fs.writeFileSync('out/made.txt', 'x')", "fs.promises.appendFile('../closed/secret.txt', 'x')",
        "fs.openSync('out.txt', 'r')", "fs.promises.open('out.txt')", "fs.statSync('out.txt')", "fs.lstatSync('../closed')", "fs.accessSync('/etc')",
        "fs.readdirSync('..')", "fs.readdirSync('out')", "fs.promises.opendir('out')", "fs.readlinkSync('out')", "fs.realpathSync('out')",
        "fs.symlinkSync('/etc', 'made')", "fs.symlinkSync('../closed', 'made')", "fs.symlinkSync('x', '../closed/made')", "fs.linkSync('../closed/secret.txt', 'made')",
        "fs.renameSync('../closed/secret.txt', 'made')", "fs.renameSync('in.txt', '../closed/made')", "fs.copyFileSync('out.txt', 'made')", "fs.copyFileSync('in.txt', 'out/made')",
        "fs.cpSync('out', 'made', { recursive: true, dereference: true })", "fs.rmSync('../closed', { recursive: true })", "fs.rmSync('out/secret.txt')", "fs.unlinkSync('out/secret.txt')",
        "fs.mkdirSync('../made')", "fs.mkdirSync('out/a/b', { recursive: true })", "fs.mkdtempSync('/tmp/x-')", "fs.chmodSync('out.txt', 0)", "fs.utimesSync('out.txt', 1, 1)",
        "fs.truncateSync('out.txt')", "fs.promises.rename('in.txt', 'FOLDER/closed/made')", "new Promise((resolve, reject) => fs.readFile('out.txt', (error, data) => (error ? reject(error) : resolve(data))))",
    ]],
    # Descriptors that the process has and the script did not open.
    (OPEN, FS + "let found = 0; for (let fd = 3; fd < 64; fd += 1) { try { fs.fstatSync(fd); found += 1; } catch {} try { fs.readSync(fd, new Uint8Array(1)); found += 1; } catch {} } console.log(found)", "0\n"),
    # A folder that becomes a link while the program runs.
    (OPEN, FS + "fs.mkdirSync('turn'); fs.rmdirSync('turn'); attempt(() => { fs.symlinkSync('FOLDER/closed', 'turn'); return fs.readFileSync('turn/secret.txt'); })", DENIED_FS),
    (OPEN, FS + "String.prototype.startsWith = () => true; Array.prototype.map = () => []; attempt(() => fs.readFileSync('out.txt'))", DENIED_FS),
    # An assertion shows the source line of its place: not of another file.
    (SANDBOX, "try { eval('require(\"assert\").ok(false)\\n//# sourceURL=FOLDER/closed/secret.txt') } catch (error) { console.log(error.message.includes('SECRET')) }", "false\n"),
    # What the host's functions use of the language is changed.
    (SANDBOX, TRY + "String.prototype.endsWith = Array.prototype.includes = () => true; attempt(() => require('FOLDER/closed/code.mjs'))", DENIED_FS),
    (SANDBOX, TRY + "Object.prototype.sandbox = false; Object.prototype.GYRE_TEST_SECRET = 1; Reflect.get = () => false; attempt(() => process.env.GYRE_TEST_SECRET)", "ERR_ACCESS_DENIED env\n"),
    (SANDBOX, TRY + "RegExp.prototype.exec = () => null; attempt(() => process.env.GYRE_TEST_SECRET === undefined)", "reached true\n"),
    (SANDBOX, "const seen = []; const { parse } = JSON; JSON.parse = function (...given) { seen.push(this, ...given); return parse(...given); }; Array.prototype.forEach = function (...given) { seen.push(this, ...given); }; require('pkg'); console.log(seen.some((one) => one && (one.readFile || one.natives)))", "false\n"),
    (SANDBOX, "const found = []; for (const key of Reflect.ownKeys(globalThis)) if (/natives|host|shelf/.test(String(key))) found.push(key); console.log(found.length)", "0\n"),
    (SANDBOX, "console.log((function () { return this; })().natives, typeof process.binding, process.getBuiltinModule('natives'))", "undefined function undefined\n"),
    # Workers have the permissions of their parent, whatever they are started with.
    *[(flags, TRY + "const { Worker } = require('worker_threads'); const run = (file, options) => new Promise((resolve, reject) => { const worker = new Worker(file, options); worker.on('message', resolve); worker.on('error', reject); });"
       + f"attempt(() => {call})", expected) for flags, call, expected in [
        (SANDBOX, "run('FOLDER/closed/code.mjs')", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run('../closed/code.mjs')", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run(new URL('file://FOLDER/app/%2e%2e/closed/code.mjs'))", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run('FOLDER/app/link.mjs')", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run('/etc/passwd')", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run(new URL('data:text/javascript,import \"file://FOLDER/closed/code.mjs\"'))", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run('require(\"fs\").readFileSync(\"FOLDER/closed/secret.txt\")', { eval: true })", "ERR_ACCESS_DENIED fs\n"),
        (OPEN, "run('require(\"worker_threads\").parentPort.postMessage(require(\"fs\").readFileSync(\"FOLDER/open/in.txt\", \"utf8\"))', { eval: true })", "reached in\n"),
        (OPEN, "run('require(\"fs\").readFileSync(\"FOLDER/open/out.txt\")', { eval: true })", "ERR_ACCESS_DENIED fs\n"),
        (SANDBOX, "run('process.env.GYRE_TEST_SECRET', { eval: true })", "ERR_ACCESS_DENIED env\n"),
        (SANDBOX, "run('process.env.GYRE_TEST_SECRET', { eval: true, env: require('worker_threads').SHARE_ENV })", "ERR_ACCESS_DENIED env\n"),
        (SANDBOX, "run('process.kill(process.pid, 0)', { eval: true })", "ERR_ACCESS_DENIED signal\n"),
        (SANDBOX, "run('process.on(\"SIGTERM\", () => {})', { eval: true })", "ERR_ACCESS_DENIED signal\n"),
        (SANDBOX, "run('fetch(\"http://127.0.0.1:1\").catch((error) => { throw error.cause ?? error; })', { eval: true })", "ERR_ACCESS_DENIED net\n"),
        (SANDBOX, "run('new (require(\"worker_threads\").Worker)(\"FOLDER/closed/code.mjs\")', { eval: true })", "ERR_ACCESS_DENIED fs\n"),
    ]],
    # gyre:loop tells of this script's loop alone.
    (SANDBOX, "const loop = require('gyre:loop'); setTimeout(() => {}, 1); setImmediate(() => {}); console.log(JSON.stringify(loop.aliveReasons()), Object.values(loop.stats()).every(Number.isFinite), loop.dump().startsWith('loop: '))",
     '[{"name":"timeout","count":1},{"name":"immediate","count":1}] true true\n'),
    # Another context of node:vm has no more than its own language.
    (SANDBOX, "const vm = require('vm'); console.log(vm.runInNewContext('typeof process + typeof require + typeof fetch + typeof gyre'))", "undefinedundefinedundefinedundefined\n"),
    (SANDBOX, TRY + "attempt(() => require('vm').runInNewContext('(f) => f.constructor(\"return process.env.GYRE_TEST_SECRET\")()')(() => {}))", "ERR_ACCESS_DENIED env\n"),
]
# Of the module child_process, which is there where the module stream is.
CHILDREN = [
    (SANDBOX, TRY + f"const children = require('child_process'); attempt(() => {call})", "ERR_ACCESS_DENIED child\n")
    for call in ["children.spawn('echo', ['SECRET'])", "children.exec('echo SECRET')", "children.execFile('/bin/sh')", "children.spawn.call({}, 'sh')",
                 "children.spawnSync('echo')", "children.execSync('echo SECRET')", "children.execFileSync('/bin/sh')", "children.fork('x.js')",
                 "new children.ChildProcess().spawn({ file: 'sh', args: ['sh'] })"]
]
# Of the module net, which is there under the same condition.
NET = TRY + """
const net = require('net');
const outcome = (emitter, name) => new Promise((resolve, reject) => {
  emitter.on('error', (error) => { emitter.close?.(); reject(error); });
  emitter.on(name, () => { emitter.unref(); emitter.destroy?.(); emitter.close?.(); resolve(name); });
});
const connect = (...args) => outcome(net.connect(...args), 'connect');
const listen = (...args) => outcome(net.createServer().listen(...args), 'listening');
"""
PLACE = ["--allow", "net=127.0.0.1:47231"]
NAME = ["--allow", "net=localhost:47231"]
PORTS = ["--allow", "net=127.0.0.1:*"]
BOTH = "const server = net.createServer().listen(47231, '127.0.0.1', async () => { await attempt(() => connect(HOW)); server.close(); }).on('error', () => console.log('in use'));"
DENIED_NET = "ERR_ACCESS_DENIED net\n"
CHILDREN += [
    *[(flags, NET + f"attempt(() => {call})", DENIED_NET) for flags in (SANDBOX, PLACE) for call in [
        "connect(80, '127.0.0.1')", "connect({ port: 80, host: '::1' })", "connect('/run/docker.sock')", "connect({ path: 'FOLDER/open/s' })",
        "connect('\\0abstract')", "outcome(new net.Socket().connect(80, '127.0.0.1'), 'connect')", "connect(80, 'localhost')", "connect(47231, '127.0.0.2')",
        "connect({ port: 80, host: 'localhost', lookup: (host, options, done) => done(null, options.all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4) })",
        "listen(0)", "listen(80, '127.0.0.1')", "listen(47231, '0.0.0.0')", "listen('FOLDER/open/s')", "listen('\\0abstract')",
    ]],
    (OPEN, NET + "attempt(() => listen('s'))", DENIED_NET),
    *[(SANDBOX, NET + f"attempt(() => {call})", DENIED_NET) for call in [
        "outcome(require('http').get({ host: '127.0.0.1', port: 80 }), 'response')", "outcome(require('http').createServer().listen(0), 'listening')",
        "outcome(require('http').get({ socketPath: '/run/docker.sock' }), 'response')", "outcome(require('http').get({ host: '127.0.0.1', port: 80, agent: false }), 'response')",
    ]],
    (PLACE, NET + "attempt(() => listen(47231, '127.0.0.1'))", "reached listening\n"),
    (PLACE, NET + BOTH.replace("HOW", "47231, '127.0.0.1'"), "reached connect\n"),
    # Every port of one host, and no other host.
    (PORTS, NET + "attempt(() => listen(0, '127.0.0.1'))", "reached listening\n"),
    (PORTS, NET + "const server = net.createServer().listen(0, '127.0.0.1', async () => { await attempt(() => connect(server.address().port, '127.0.0.1')); server.close(); });", "reached connect\n"),
    *[(PORTS, NET + f"attempt(() => {call})", DENIED_NET) for call in ["connect(80, '127.0.0.2')", "connect({ port: 80, host: '::1' })", "connect(80, 'localhost')", "listen(0)", "connect('127.0.0.1:80')"]],
    # A name gives a permission to the addresses that the host finds for it: not to those that a program finds.
    ([*PLACE, *NAME], NET + BOTH.replace("HOW", "47231, 'localhost'"), "reached connect\n"),
    (NAME, NET + "attempt(() => connect({ port: 47231, host: 'localhost', lookup: (host, options, done) => done(null, options.all ? [{ address: '127.0.0.2', family: 4 }] : '127.0.0.2', 4) }))", DENIED_NET),
    (NAME, NET + "const { map } = Array.prototype; Array.prototype.map = function (...given) { return this.length === 1 && this[0] === '127.0.0.1' ? [{ address: '127.0.0.2', family: 4 }] : map.apply(this, given); }; attempt(() => connect(47231, 'localhost'))", DENIED_NET),
]


def make(folder):
    for name, text in {
        "app/lib.mjs": "export default 'lib';",
        "app/secret.json": '"SECRET"',
        "app/node_modules/pkg/package.json": '{"main":"index.js"}',
        "app/node_modules/pkg/index.js": "module.exports = 'pkg';",
        "open/in.txt": "in",
        "open/below/x.txt": "x",
        "open/code.mjs": "export default 'open';",
        "closed/code.mjs": "console.log('SECRET');",
        "closed/secret.txt": "SECRET",
        "openness/code.mjs": "console.log('SECRET');",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "open/out").symlink_to(folder / "closed")
    (folder / "open/out.txt").symlink_to("../closed/secret.txt")
    (folder / "open/made.txt").symlink_to(folder / "closed/made.txt")
    (folder / "app/link.mjs").symlink_to(folder / "closed/code.mjs")


def main():
    gyre = str(pathlib.Path(sys.argv[1]).resolve())
    engine = sys.argv[2] if len(sys.argv) > 2 else "v8"
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        make(folder)
        program = folder / "app/main.js"
        asked = subprocess.run([gyre, "run", "--engine", engine, "-e", "process.exit(require('module').isBuiltin('child_process') ? 0 : 1)"], check=False)
        cases = CASES + (CHILDREN if asked.returncode == 0 else [])
        for flags, text, expected in cases:
            program.write_text(text.replace("FOLDER", str(folder)))
            flags = [flag.replace("FOLDER", str(folder)) for flag in flags]
            done = subprocess.run([gyre, "run", "--engine", engine, *flags, str(program)], capture_output=True, text=True, timeout=300, check=False,
                                  env={"GYRE_TEST_SECRET": "SECRET", "GYRE_TEST_OPEN": "yes", "PATH": "/usr/bin", "HOME": "/root"}, cwd=folder)
            got = done.stdout.replace(str(folder), "FOLDER")
            if got != expected or ("SECRET" in done.stdout + done.stderr and "SECRET" not in expected):
                failures += 1
                print(f"{' '.join(flags)}: {text}\n  prints {got!r}, not {expected!r}\n{done.stderr}", end="")
    print(f"{len(cases)} ways, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
