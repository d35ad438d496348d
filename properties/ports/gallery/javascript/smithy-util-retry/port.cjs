// @smithy/util-retry's StandardRetryStrategy as a port, as clients drive it: a token for each operation, refreshed after
// each failure. It sleeps by itself, so the timer is virtual and the time that passes is the delay.
// max_ms is its own, fixed; maxAttempts counts the first request too. Its quota of retries (getCapacity) has no place in
// the document: 35 retries of 14 tokens are all that one operation can have. A success gives back no more than the last retry
// took, so that nothing starts the quota afresh: the port has no reset.
'use strict';
const fs = require('fs');
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');

const installed = path.resolve(process.argv[2]);
const { StandardRetryStrategy, MAXIMUM_RETRY_DELAY } = require(`${installed}/node_modules/@smithy/util-retry`);
const { version } = JSON.parse(fs.readFileSync(`${installed}/node_modules/@smithy/util-retry/package.json`));

let now = 0;
let draw = 0;
globalThis.setTimeout = (wake, ms, ...args) => { now += ms; queueMicrotask(() => wake(...args)); };
Math.random = () => draw;

async function port({ base_ms, max_attempts }) {
  const strategy = new StandardRetryStrategy({ maxAttempts: Number(max_attempts) + 1, baseDelay: Number(base_ms) });
  let token = await strategy.acquireInitialRetryToken('gallery');
  return async (step) => {
    draw = Number(step.draw.value);
    const start = now;
    try {
      token = await strategy.refreshRetryTokenForRetry(token, { errorType: 'TRANSIENT' });
      return { status: 'retry', delay_ms: now - start + token.getRetryDelay() };
    } catch (error) {  // documented: a retry is refused by an exception; a plain Error, whereas a fault has a kind of its own
      if (error.constructor !== Error) throw error;
      return { status: 'exhausted' };
    }
  };
}

const longest = String(MAXIMUM_RETRY_DELAY);
serve(port, { port: { name: '@smithy/util-retry StandardRetryStrategy', version, language: 'JavaScript' },
  systems: ['aws_backoff_algorithm'], draw_kind: 'unit', max_batch: 256,
  ranges: { base_ms: ['0', '4294967295'], max_ms: [longest, longest], max_attempts: { range: ['0', '35'], forever: false }, op: ['next'] } });
