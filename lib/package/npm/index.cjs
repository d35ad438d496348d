// Holds a port to a public document on retry back-off, in a test: await check('aws_backoff_algorithm', require.resolve('./port.cjs')).
'use strict';
const { AssertionError } = require('node:assert');
const { execFile } = require('node:child_process');
const path = require('node:path');
const { serve, Rejected } = require('./backoff_port.cjs');

const program = path.join(__dirname, 'bin', 'backoff-oracle');

// port: a file of JavaScript that calls `serve`, or the words of a command. options: further words of `backoff-oracle check`.
const check = (system, port, ...options) => judged('check', system, port, options);

// One history again, by the token that a verdict names.
const replay = (token, port, ...options) => judged('replay', token, port, options);

// The verdict, as text; a port that does not conform, or breaks, rejects with an AssertionError of the same text.
function judged(verb, what, port, options) {
  const command = Array.isArray(port) ? port : [process.execPath, port];
  return new Promise((resolve, reject) => {
    const words = [verb, what, ...options.map(String), '--', ...command];
    execFile(program, words, { maxBuffer: Infinity, env: withoutRunner() }, (error, said, why) => {
      if (!error) return resolve(said);
      if (![1, 3, 5].includes(error.code)) return reject(new Error(why.trim() || String(error)));
      return reject(new AssertionError({ message: `\n${said}${why}`, actual: error.code, expected: 0, operator: 'conforms' }));
    });
  });
}

// node:test tells its children by a variable to report in a form of its own.
function withoutRunner() {
  const { NODE_TEST_CONTEXT, ...rest } = process.env;
  return rest;
}

module.exports = { Rejected, check, program, replay, serve };
