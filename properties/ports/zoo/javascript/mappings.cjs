#!/usr/bin/env node
// One port of full jitter for each way to map a draw to a delay, with a fault if told so. mappings_test.py lists the ways.
// Usage: mappings.cjs ARITHMETIC END SIGN BITS TICKS ROUNDING [FAULT NUMBER]
'use strict';
const { serve } = require('../../helpers/javascript/backoff_port.cjs');

const [arithmetic, end, sign, width, ticks, rounding, fault = 'none', number = '0'] = process.argv.slice(2);
const [bits, perUnit, at] = [width === 'unit' ? 32n : BigInt(width), BigInt(ticks), BigInt(number)];
const largest = 2n ** bits - 1n;
const size = end === 'closed' ? largest : largest + 1n;

const rounded = (x) => (rounding === 'none' ? x : BigInt(rounding === 'cut' ? Math.floor(x) : Math.round(x)));
const scaled = (r, n, of) => (rounding === 'rounded' ? (2n * r * n + of) / (2n * of) : r * n / of);
const top = (r, n, kept) => scaled(r >> (bits - kept), n, end === 'closed' ? 2n ** kept - 1n : 2n ** kept);
const f = (x) => Math.fround(Number(x));

// From a draw to one of n numbers, or to n itself too if the end is closed.
const MAPPED = {
  modulo: (r, n) => r % n,
  high: (r, n) => (r >> (bits / 4n)) % n,
  divided: (r, n) => r / (largest / n + 1n),
  integers: (r, n) => scaled(r, n, size),
  doubles: (r, n) => rounded(Number(r) / Number(size) * Number(n)),
  floats: (r, n) => rounded(f(f(f(r) / f(size)) * f(n))),
  top24: (r, n) => top(r, n, 24n),
  top16: (r, n) => top(r, n, 16n),
};

function delay(draw, its) {
  let [r, window] = [BigInt(width === 'unit' ? draw.num : draw), its];
  if (fault === 'first' && r === 0n) r = at;
  if (fault === 'last' && r === largest) r -= at;
  if (fault === 'halved' && window > at) window /= 2n;
  if (fault === 'longer' && window > at) window += 1n;
  if (window === 0n) return 0;
  const most = window * perUnit;
  const n = end === 'inclusive' ? most + 1n : most;
  let x = MAPPED[arithmetic](r, n);
  const as = typeof x === 'bigint' ? BigInt : Number;  // real delays are Numbers
  if (x > most) x = as(most);
  if (sign === 'mirrored') x = as(end === 'exclusive' && rounding === 'cut' ? n - 1n : most) - x;
  if (x < 0) x = as(0);
  if (fault === 'cell' && x >= at * perUnit && x < (at + 1n) * perUnit) x -= as(perUnit);
  return ticks === '1' ? x : `${x}e-${ticks.length - 1}`;
}

function port({ base_ms, max_ms }) {
  const cap = BigInt(max_ms);
  const capped = (window) => (window < cap ? window : cap);
  let window = capped(BigInt(base_ms));
  return ({ draw }) => {
    const delay_ms = delay(draw, window);
    window = capped(2n * window);
    return { status: 'retry', delay_ms };
  };
}

const kind = { unit: { draw_kind: 'unit' }, 32: {} }[width] ?? { draw_kind: 'rand', rand_max: Number(largest) };
serve(port, { port: { name: 'mappings', version: '1', language: 'JavaScript' }, systems: ['aws_backoff_algorithm', 'mirrored'],
  ranges: { max_attempts: { forever: true }, op: ['next'] }, ...kind });
