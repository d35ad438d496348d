// node --test. Replace `window` and `draw % …` with your code.
'use strict';
const test = require('node:test');
const oracle = require('backoff-oracle');

function port({ base_ms, max_ms, max_attempts }) {  // called for each fresh instance
  let attempts = 0n;
  return (step) => {
    if (step.op === 'reset') {
      attempts = 0n;
      return { status: 'ok' };
    }
    if (max_attempts !== 'forever' && attempts >= BigInt(max_attempts)) return { status: 'exhausted' };
    const grown = BigInt(base_ms) << attempts++;
    const window = grown < BigInt(max_ms) ? grown : BigInt(max_ms);
    return { status: 'retry', delay_ms: BigInt(step.draw) % (window + 1n) };
  };
}

test('the delays are those of the document', () => oracle.check('aws_backoff_algorithm', port));
