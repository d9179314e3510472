// SPDX-License-Identifier: Apache-2.0
// Every message of the corpus through Node's own parser: where Node takes what we refuse, or
// refuses what we take, node_differences.txt must say why. A row there is the name of a message, a
// colon, and the reason.
//
//     node tests/http/node_differences.mjs [--list]
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

process.removeAllListeners('warning');
process.on('warning', () => {});
const { HTTPParser } = process.binding('http_parser');
const here = path.dirname(fileURLToPath(import.meta.url));

function unescaped(text) {
  const bytes = [];
  const push = (part) => bytes.push(...Buffer.from(part, 'latin1'));
  for (let i = 0; i < text.length; ++i) {
    if (text[i] === '\n') continue;
    if (text[i] !== '\\') {
      push(text[i]);
      continue;
    }
    const kind = text[++i];
    if (kind === 'r') bytes.push(13);
    else if (kind === 'n') bytes.push(10);
    else if (kind === 't') bytes.push(9);
    else if (kind === '\\') bytes.push(92);
    else if (kind === 'x') {
      bytes.push(parseInt(text.slice(i + 1, i + 3), 16));
      i += 2;
    } else if (kind === '{') {
      const end = text.indexOf('}', i);
      const star = text.lastIndexOf('*', end);
      const part = unescaped(text.slice(i + 1, star));
      for (let n = 0; n < Number(text.slice(star + 1, end)); ++n) bytes.push(...part);
      i = end;
    }
  }
  return Buffer.from(bytes);
}

function* casesOf(folder) {
  for (const file of fs.readdirSync(path.join(here, folder)).sort()) {
    const text = '\n' + fs.readFileSync(path.join(here, folder, file), 'latin1');
    for (const part of text.split('\n=== ').slice(1)) {
      const head = part.slice(0, part.indexOf('\n'));
      const colon = head.lastIndexOf(': ');
      const [kind, verdict] = head.slice(colon + 2).split(' ');
      const body = part.slice(head.length + 1).split('---\n')[0];
      yield { name: head.slice(0, colon), kind, verdict, bytes: unescaped(body) };
    }
  }
}

function nodeTakes({ kind, bytes }) {
  const parser = new HTTPParser();
  parser.initialize(kind === 'request' ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {});
  let isComplete = true;
  parser[HTTPParser.kOnMessageBegin | 0] = () => {};
  parser[HTTPParser.kOnHeaders | 0] = () => {};
  parser[HTTPParser.kOnHeadersComplete | 0] = () => {
    isComplete = false;
    return 0;
  };
  parser[HTTPParser.kOnBody | 0] = () => {};
  parser[HTTPParser.kOnMessageComplete | 0] = () => {
    isComplete = true;
  };
  const result = parser.execute(bytes);
  if (result instanceof Error) return false;
  return !(parser.finish() instanceof Error) && isComplete;
}

const explained = new Map();
for (const line of fs.readFileSync(path.join(here, 'node_differences.txt'), 'utf8').split('\n')) {
  const colon = line.lastIndexOf(': ');
  if (!line.startsWith('#') && colon > 0) explained.set(line.slice(0, colon), line.slice(colon + 2));
}
let count = 0;
let unexplained = 0;
for (const message of [...casesOf('malformed'), ...casesOf('well_formed')]) {
  ++count;
  const weTake = message.verdict === 'fine';
  if (nodeTakes(message) === weTake) continue;
  if (process.argv.includes('--list')) console.log(`${message.name}: ${message.verdict}`);
  else if (!explained.has(message.name)) {
    console.log(`${message.name}: we say ${message.verdict}, Node the contrary`);
    ++unexplained;
  }
}
console.log(`${count} messages, ${explained.size} differences explained, ${unexplained} not`);
process.exit(unexplained === 0 && count > 0 ? 0 : 1);
