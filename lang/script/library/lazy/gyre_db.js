// SPDX-License-Identifier: Apache-2.0
// gyre:db: PostgreSQL and SQLite, over the natives of lang/script/db.
//
//     import { open } from 'gyre:db';
//     const db = await open('sqlite:notes.db');
//     const notes = await db.query('select * from notes where id < $1', [10]);
'use strict';
const { base, builtins } = shelf;
const { natives, argumentType, argumentValue } = base;

// `code` is the SQLSTATE where the database has one, else the kind.
class DbError extends Error {
  constructor(text) {
    const [kind, sqlstate, isRetrySafe, position, constraint, ...message] = text.split('\0');
    super(message.join('\0'));
    this.name = 'DbError';
    Object.assign(this, { kind, code: sqlstate || kind, isRetrySafe: isRetrySafe === '1' });
    if (position !== '0') this.position = Number(position);
    if (constraint !== '') this.constraint = constraint;
  }
}
const int64Max = 2n ** 63n - 1n;
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
function numberText(value, name) {
  if (typeof value === 'bigint') {
    if (value > int64Max || value < -int64Max - 1n) throw argumentValue(name, value, 'must fit 64 bits');
    return `i${value}`;
  }
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return `i${value}`;
  return `r${value === Infinity ? 'inf' : value === -Infinity ? '-inf' : Number.isNaN(value) ? 'nan' : value}`;
}
// The letter of a parameter and its text (lang/script/db/internal/databases.hpp).
function parameterText(value, name) {
  if (value === null || value === undefined) return 'n';
  if (typeof value === 'boolean') return `b${value}`;
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(value, name);
  if (value instanceof Date) return `d${value.toISOString()}`;
  if (value instanceof ArrayBuffer) return `x${hexOf(new Uint8Array(value))}`;
  if (ArrayBuffer.isView(value)) return `x${hexOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))}`;
  const text = typeof value === 'string' ? value : typeof value === 'object' ? base.JSON.stringify(value) : undefined;
  if (text === undefined) throw argumentType(name, 'null, boolean, number, bigint, string, Date, bytes or object', value);
  if (text.includes('\0')) throw argumentValue(name, value, 'must be text without a zero character');
  return `${typeof value === 'string' ? 't' : 'j'}${text}`;
}
function valueOf(text) {
  if (text === null) return null;
  const content = text.slice(1);
  switch (text[0]) {
    case 'b': return content === 'true';
    case 'i': return Number.isSafeInteger(Number(content)) ? Number(content) : BigInt(content);
    case 'r': return content === 'Infinity' ? Infinity : content === '-Infinity' ? -Infinity : Number(content);
    case 'j': return base.JSON.parse(content);
    case 'x': return bytesOf(content);
    default: return content;
  }
}
// Rows are plain objects by the names of their columns; of two with one name the last one stays.
function rowsOf(text) {
  const { columns, rows } = base.JSON.parse(text);
  return rows.map((values) => {
    const row = {};
    values.forEach((value, i) => Object.defineProperty(row, columns[i], { value: valueOf(value), enumerable: true, configurable: true, writable: true }));
    return row;
  });
}
// begin(done id) starts the work; a signal cancels it, in the database too.
function asked(begin, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => natives.dbCancel(id);
    const id = shelf.expect((number, text) => {
      signal?.removeEventListener('abort', stop);
      if (number >= 0) return resolve([number, text]);
      if (signal?.aborted) return reject(signal.reason);
      return reject(text === '' ? new DbError(['cancelled', '', '', '0', '', 'the statement was cancelled'].join('\0')) : new DbError(text));
    });
    signal?.addEventListener('abort', stop);
    begin(id);
  });
}

let lastId = 0;
// What a database and a transaction have in common.
class Statements {
  #id;
  constructor(id) { this.#id = id; }
  #run(sql, params, options) {
    base.checks.isString(sql, 'sql');
    if (!Array.isArray(params)) throw argumentType('params', 'Array', params);
    const text = params.map((value, i) => `${parameterText(value, `params[${i}]`)}\0`).join('');
    return asked((done) => natives.dbRun(done, this.#id, sql, text), options?.signal);
  }
  // The rows.
  async query(sql, params = [], options = {}) {
    const [, text] = await this.#run(sql, params, options);
    return rowsOf(text);
  }
  // How many rows were changed, or returned.
  async execute(sql, params = [], options = {}) {
    const [count] = await this.#run(sql, params, options);
    return count;
  }
  // Commits when the function's promise is fulfilled, with its value; rolls back when it is rejected. In a
  // transaction it is a savepoint.
  async transaction(body) {
    base.checks.isFunction(body, 'body');
    const id = ++lastId;
    await asked((done) => natives.dbBegin(done, id, this.#id));
    let value;
    try {
      value = await body(new Statements(id));
    } catch (error) {
      await asked((done) => natives.dbEnd(done, id, false));
      throw error;
    }
    await asked((done) => natives.dbEnd(done, id, true));
    return value;
  }
}
class Database extends Statements {
  #id;
  constructor(id) {
    super(id);
    this.#id = id;
  }
  // Later statements fail.
  close() { natives.dbClose(this.#id); }
}
// sqlite:FILE, sqlite::memory: or postgres://USER:PASSWORD@HOST/NAME
async function open(url) {
  base.checks.isString(url, 'url');
  const id = ++lastId;
  await asked((done) => natives.dbOpen(done, id, url));
  return new Database(id);
}
builtins['gyre:db'] = { open, Database, DbError };
