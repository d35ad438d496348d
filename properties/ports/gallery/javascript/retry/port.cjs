// retry's createTimeout as a port: a function of the number of the retry, 0 for the first, and of the options. Math.random is given.
// A reset is the next operation.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');

const { createTimeout } = require(path.resolve(process.argv[2], 'node_modules/retry'));
const { version } = require(path.resolve(process.argv[2], 'node_modules/retry/package.json'));

const port = ({ min_timeout, max_timeout, factor, randomize }) => {
  let attempt = 0;
  return ({ op, draw }) => {
    if (op === 'reset') {
      attempt = 0;
      return { status: 'ok' };
    }
    Math.random = () => Number(draw.value);
    return { status: 'retry', delay_ms: createTimeout(attempt++, { minTimeout: Number(min_timeout), maxTimeout: Number(max_timeout),
      factor: Number(factor), randomize: randomize === '1' }) };
  };
};

serve(port, { port: { name: 'retry createTimeout', version, language: 'JavaScript' }, systems: ['node_retry'], draw_kind: 'unit',
  max_batch: 256, features: ['instances'] });
