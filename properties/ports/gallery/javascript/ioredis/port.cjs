// ioredis's default retryStrategy as a port: a function of the number of the reconnection, 1 for the first. A reset is the next
// lost connection.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');

const Redis = require(path.resolve(process.argv[2], 'node_modules/ioredis'));
const { version } = require(path.resolve(process.argv[2], 'node_modules/ioredis/package.json'));

const { retryStrategy } = new Redis({ lazyConnect: true }).options;
const port = () => {
  let times = 0;
  return ({ op }) => {
    times = op === 'reset' ? 0 : times + 1;
    return op === 'reset' ? { status: 'ok' } : { status: 'retry', delay_ms: retryStrategy(times) };
  };
};

serve(port, { port: { name: 'ioredis retryStrategy', version, language: 'JavaScript' }, systems: ['ioredis_retry_strategy'],
  max_batch: 256, features: ['instances'] });
