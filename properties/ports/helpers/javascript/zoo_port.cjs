// Right ports of four documents as people write them in JavaScript, in its one kind of number: zoo_port.cjs SYSTEM STYLE.
'use strict';
const { serve } = require('./backoff_port.cjs');

const EXHAUSTED = { status: 'exhausted' };

// A closure over an attempt, as most packages have it; the draw is that of Math.random().
function scaled({ base_ms, max_ms, max_attempts }) {
  const limit = max_attempts === 'forever' ? Infinity : Number(max_attempts);
  let attempt = 0;
  return ({ op, draw }) => {
    if (op === 'reset') {
      attempt = 0;
      return { status: 'ok' };
    }
    if (attempt >= limit) return EXHAUSTED;
    const window = Number(base_ms) === 0 ? 0 : Math.min(Number(base_ms) * 2 ** attempt, Number(max_ms));
    attempt += 1;
    return { status: 'retry', delay_ms: Math.floor(Number(draw.value) * (window + 1)) };
  };
}

function* windows(base, cap) {
  for (let window = Math.min(base, cap); ; window = Math.min(window * 2, cap)) yield window;
}

// A generator of windows, made anew by a reset; remainders by BigInt.
function generated({ base_ms, max_ms, max_attempts }) {
  let [cycle, left] = [null, 0];
  const begin = () => [cycle, left] = [windows(Number(base_ms), Number(max_ms)), max_attempts === 'forever' ? -1 : Number(max_attempts)];
  return ({ op, draw }) => {
    if (cycle === null || op === 'reset') begin();
    if (op === 'reset') return { status: 'ok' };
    if (left === 0) return EXHAUSTED;
    left -= 1;
    return { status: 'retry', delay_ms: BigInt(draw) % (BigInt(cycle.next().value) + 1n) };
  };
}

function utilities(params) {
  const [initial, cap, most, limit] = ['initial_backoff_s', 'max_backoff_s', 'max_jitter_s', 'max_attempts'].map((name) => Number(params[name]));
  const state = { window: 0, done: 0 };
  return ({ op, draw }) => {
    const upTo = (size) => Number(draw) % (size + 1);
    if (op === 'reset') {
      Object.assign(state, { window: Math.min(initial + upTo(most), cap), done: 0 });
      return { status: 'ok' };
    }
    if (limit !== 0 && state.done >= limit) return EXHAUSTED;
    const slept = upTo(state.window);
    Object.assign(state, { window: Math.min(state.window * 2, cap), done: state.done + 1 });
    return { status: 'retry', slept_s: slept };
  };
}

// Milliseconds for setTimeout, which holds no more than 31 bits of them.
function timed({ interval_s, backoff_rate, max_attempts }) {
  let n = 0;
  return () => {
    if (n >= Number(max_attempts)) return EXHAUSTED;
    const ms = interval_s === '0' ? 0 : Number(interval_s) * 1000 * Number(backoff_rate) ** n;
    n += 1;
    return { status: 'retry', delay_s: Math.min(ms, 2 ** 31 - 1) / 1000 };
  };
}

function sample({ max_retries }) {
  let retries = 0;
  return ({ http_status }) => {
    const delay_ms = Math.min((Math.pow(2, retries) - 1) * 100, 2 ** 31 - 1);
    retries += 1;
    return { delay_ms, retry: /^(429|504)$/.test(http_status) && retries < Number(max_retries) };
  };
}

const STYLES = {
  aws_backoff_algorithm: { scaled, generated },
  aws_retry_utils: { utilities },
  aws_step_functions: { timed },
  aws_prescriptive_sample: { sample },
};
const [system, style] = process.argv.slice(2);
serve(STYLES[system][style], { port: { name: style, version: '1', language: 'JavaScript' }, systems: [system], features: ['instances'],
  ...(style === 'scaled' ? { draw_kind: 'unit' } : {}) });
