// Port protocol 1 for a port in JavaScript. You write one function, which makes an instance:
//   function port(params, steps) {     // called once per instance; steps: those that it will answer
//     return (step) => ({ … });        // called once per step; returns the answer
//   }
//   serve(port, { port: { name: 'mine' }, systems: ['aws_backoff_algorithm'] });
// Both may be asynchronous. Numbers arrive as text, exactly as the oracle sent them; make a BigInt or a Number of them. Numbers in
// your answers leave as text: none is rounded, and NaN is an answer. Do not catch the port's exceptions: an exception is an answer
// too. Throw Rejected to refuse the parameters. helpers_test.py checks this file.
'use strict';
const readline = require('readline');
const { inspect } = require('util');

class Rejected extends Error {}
const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

function read(line) {
  JSON.parse(line);  // what is no JSON must not become JSON by the quotes that numbers get
  return JSON.parse(line.replace(TOKEN, (token) => (token[0] === '"' ? token : `"${token}"`)));
}

function write(value) {
  return JSON.stringify(value, (_, each) => (typeof each === 'number' || typeof each === 'bigint' ? String(each) : each));
}

async function resultOf(port, { params, steps }) {
  const instances = new Map();
  const answers = [];
  for (const step of steps) {
    const on = step.on ?? '0';
    try {
      if (!instances.has(on)) instances.set(on, instance(await port(params, steps.filter((each) => (each.on ?? '0') === on))));
      answers.push(write(await instances.get(on)(step)) ?? 'null');
    } catch (error) {
      if (error instanceof Rejected) return write({ rejected: error.message });
      return `{"steps":[${[...answers, write({ status: 'error', why: String(error) })]}]}`;
    }
  }
  return `{"steps":[${answers}]}`;
}

function instance(made) {
  if (typeof made === 'function') return made;
  throw new TypeError(`the port returned ${inspect(made, { depth: 0, breakLength: Infinity })}, expected a function`);
}

async function replyTo(request, port, about) {
  if (request.cmd === 'start') {
    const known = !about.systems || about.systems.includes(request.system);
    return JSON.stringify(known ? { protocol: 1, max_batch: 256, ...about } : { error: `${request.system} is not known here` });
  }
  if (request.cmd !== 'run') return '{"error":"unknown cmd"}';
  const results = [];
  for (const each of request.cases) results.push(await resultOf(port, each));
  return `{"id":${BigInt(request.id)},"results":[${results}]}`;
}

// Answers until it is told to stop, or nobody reads. A port that lists no systems takes any. What is no request ends the program: exit 2.
async function serve(port, about = {}, requests = process.stdin, replies = process.stdout) {
  replies.on('error', () => requests.destroy());
  for await (const line of readline.createInterface({ input: requests, crlfDelay: Infinity })) {
    let request;
    try {
      request = checked(read(line));
    } catch (error) {
      if (requests !== process.stdin) return;  // a relay that was killed in the middle of a line
      return void process.stderr.write(`port: not understood: ${error} in ${line.slice(0, 200)}\n`, () => process.exit(2));
    }
    if (request.cmd === 'stop') break;
    replies.write(`${await replyTo(request, port, about)}\n`);
  }
}

function checked(request) {
  if (typeof request.cmd !== 'string') throw new TypeError('no cmd');
  if (request.cmd !== 'run') return request;
  if (!/^[0-9]+$/.test(request.id)) throw new TypeError('no id');
  if (!request.cases.every(({ params, steps }) => params instanceof Object && Array.isArray(steps))) throw new TypeError('no cases');
  return request;
}
module.exports = { serve, Rejected };
