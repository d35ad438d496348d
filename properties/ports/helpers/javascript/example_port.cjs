// A port of backoffAlgorithm that the oracle can judge. Replace `window` and `draw % …` with your code.
'use strict';
const { serve } = require('./backoff_port.cjs');

function port({ base_ms, max_ms, max_attempts }) {
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

serve(port, { port: { name: 'example', version: '1', language: 'JavaScript' }, systems: ['aws_backoff_algorithm'],
  features: ['instances'] });
