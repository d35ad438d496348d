// cockatiel's retry policy with ExponentialBackoff and its fullJitterGenerator as a port, in virtual time. Its interval is
// [0, delay), as its type declarations say: the reading upper-bound=exclusive. A reset is the next operation.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');
const { portOf } = require('../cycles.cjs');

const installed = path.resolve(process.argv[2], 'node_modules/cockatiel');
const { retry, handleAll, ExponentialBackoff, fullJitterGenerator } = require(installed);
const { version } = require(`${installed}/package.json`);

function cycles({ base_ms, max_ms, max_attempts }) {
  const backoff = new ExponentialBackoff({ generator: fullJitterGenerator, initialDelay: Number(base_ms), maxDelay: Number(max_ms) });
  const policy = retry(handleAll, { maxAttempts: max_attempts === 'forever' ? Infinity : Number(max_attempts), backoff });
  return (operation) => policy.execute(operation);
}

serve(portOf(cycles), { port: { name: 'cockatiel ExponentialBackoff', version, language: 'JavaScript' },
  systems: ['aws_backoff_algorithm'], draw_kind: 'unit', max_batch: 256 });
