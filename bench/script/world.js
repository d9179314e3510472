// SPDX-License-Identifier: Apache-2.0
// One program of ./dev bench script-http, by its name: see world_programs.py.
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');

async function readFiles(folder) {
  const file = path.join(folder, 'file');
  fs.writeFileSync(file, Buffer.alloc(4096, 'x'));
  let left = 20000;
  const reader = async () => {
    while (left > 0) {
      left -= 1;
      if ((await fs.promises.readFile(file)).length !== 4096) throw new Error('a short file');
    }
  };
  await Promise.all(Array.from({ length: 16 }, reader));
}
async function fetches(atOnce) {
  const server = http.createServer((request, response) => response.end('Hello, World!'));
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const url = `http://127.0.0.1:${server.address().port}/`;
  let left = 10000;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      if (await (await fetch(url)).text() !== 'Hello, World!') throw new Error('a wrong answer');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  process.exit(0);
}
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gyre-bench-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
({ files: () => readFiles(folder), fetch1: () => fetches(1), fetch16: () => fetches(16) })[process.argv[2]]();
