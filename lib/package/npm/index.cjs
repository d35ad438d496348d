// Holds a port to a public document on retry back-off, in a test: await check('aws_backoff_algorithm', port).
'use strict';
const { AssertionError } = require('node:assert');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { serve, Rejected } = require('./backoff_port.cjs');

const program = path.join(__dirname, 'bin', 'backoff-oracle');

const read = ['--policy', '--known-failing'];  // options whose value is a file that the program reads
// Of the reply to `start`; properties/protocol/schema_test.py holds them to the schema.
const fields = ['port', 'systems', 'ranges', 'draws', 'draw_kind', 'rand_max', 'mapping', 'features', 'max_batch', 'max_line'];

const refused = /\(request: start\)|the port's mapping/;  // in the error on what a port says of itself, before anything is judged

// port: the function, which this process calls; a file of JavaScript that calls `serve`; or the words of a command. options: further
// words of `backoff-oracle check`; an object among them is what a function says of itself, such as { draw_kind: 'unit' }.
const check = (system, port, ...options) => judged('check', system, port, options);

// One history again, by the token that a verdict names.
const replay = (token, port, ...options) => judged('replay', token, port, options);

// The verdict, as text; a port that does not conform, or breaks, rejects with an AssertionError of the same text.
async function judged(verb, what, port, options) {
  const beside = folderOfTest();
  const given = options.filter((each) => typeof each !== 'object').map(String);
  const words = given.map((word, i) => {
    const [, name, file] = word.match(/^(--[^=]+)=(.*)$/s) || [];
    if (read.includes(given[i - 1])) return found(word, beside);
    return read.includes(name) ? `${name}=${found(file, beside)}` : word;
  });
  const stated = Object.assign({}, ...options.filter((each) => typeof each === 'object'));
  const unknown = Object.keys(stated).find((field) => !fields.includes(field));
  if (unknown) throw new TypeError(`${unknown}: expected one of ${fields.join(', ')}`);
  if (typeof port !== 'function' && Object.keys(stated).length) throw new TypeError('a port that is a program describes itself');
  if (verb === 'check' && /\.(ya?ml|json)$/.test(what)) what = found(what, beside);
  if (Array.isArray(port)) return judge([verb, what, ...words, '--', ...port]);
  if (typeof port !== 'function') return judge([verb, what, ...words, '--', process.execPath, found(port, beside)]);
  const about = { port: { name: port.name || 'port', language: 'JavaScript' }, features: ['instances'], ...stated };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'backoff-oracle-'));
  const relays = new Set();
  let failed;
  const fault = new Promise((_, reject) => { failed = reject; });  // of this package
  const listener = net.createServer((relay) => {
    relays.add(relay);
    serve(port, about, relay, relay).catch((error) => { if (error !== relay.errored) failed(error); }).finally(() => relay.destroy());
  });
  try {
    const socket = path.join(folder, 'port');
    await new Promise((resolve, reject) => listener.on('error', reject).listen(socket, resolve));
    const command = [process.execPath, path.join(__dirname, 'relay.cjs'), socket];
    const verdict = judge([verb, what, ...words, '--', ...command], (text) => withCalls(text, port.name || 'port', stated));
    return await Promise.race([verdict, fault]);
  } finally {
    for (const relay of relays) relay.destroy();
    listener.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// Of the code that calls this file.
function folderOfTest() {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName() || '');
  const files = new Error().stack;
  Error.prepareStackTrace = prepare;
  const file = files.find((name) => name !== __filename && /^(file:\/\/|\/)/.test(name)) || path.join(process.cwd(), 'x');
  return path.dirname(file.startsWith('file:') ? fileURLToPath(file) : file);
}

// A file that the working folder does not have is taken from the folder of the test.
function found(file, beside) {
  if (fs.existsSync(file)) return file;
  const there = path.resolve(beside, file);
  if (fs.existsSync(there)) return there;
  throw new Error(`'${file}' does not exist in '${process.cwd()}' or in '${beside}', the folder of the test`);
}

function judge(words, shown = (text) => text) {
  return new Promise((resolve, reject) => {
    execFile(program, words, { maxBuffer: Infinity, env: withoutRunner() }, (error, said, why) => {
      if (!error) return resolve(said);
      if (![1, 3, 5].includes(error.code) || refused.test(why)) return reject(new Error(why.trim() || String(error)));
      return reject(new AssertionError({ message: `\n${shown(said)}${why}`, actual: error.code, expected: 0, operator: 'conforms' }));
    });
  });
}

// The lines that replay a history, as calls: the port is no command.
function withCalls(text, name, stated) {
  const called = text.replace(/^( *replay +).+? (check|replay) (.*) -- .*$/gm, (_, before, verb, rest) => {
    const [what, ...words] = rest.match(/(?:'[^']*'|\\.|[^\s'\\])+/g).map((word) => quoted(word.replace(/'([^']*)'|\\(.)/g, '$1$2')));
    const about = Object.keys(stated).length ? [JSON.stringify(stated)] : [];
    return `${before}oracle.${verb}(${[what, name, ...words, ...about].join(', ')})`;
  });
  const note = 'In a call that replays a history, port is the port that the test gave to check.\n';
  return name === 'port' && called !== text ? called + note : called;
}

const quoted = (word) => `'${word.replace(/[\\']/g, '\\$&')}'`;

// node:test tells its children by a variable to report in a form of its own.
function withoutRunner() {
  const { NODE_TEST_CONTEXT, ...rest } = process.env;
  return rest;
}

module.exports = { Rejected, check, program, replay, serve };
