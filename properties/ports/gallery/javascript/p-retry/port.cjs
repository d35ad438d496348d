// p-retry as a port, in virtual time: its options are those of retry, whose README gives the formula minTimeout · factor^attempt,
// without jitter and without a cap by default; that is interval · rate^n. Its own document has "an integer in milliseconds"; the
// States Language has seconds, with decimals of a rate. It makes a list of all timeouts first, so that no more than 100 are asked for.
// Ranges are those of the States Language.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');
const { portOf } = require('../cycles.cjs');

const installed = path.resolve(process.argv[2], 'node_modules/p-retry');
const { version } = JSON.parse(require('fs').readFileSync(`${installed}/package.json`));

import(`${installed}/index.js`).then(({ default: pRetry }) => {
  const cycles = ({ interval_s, backoff_rate, max_attempts }) => (operation) => pRetry(async () => operation(), {
    minTimeout: 1000 * Number(interval_s), factor: Number(backoff_rate), retries: Number(max_attempts) });
  serve(portOf(cycles, 'delay_s', 1000), { port: { name: 'p-retry', version, language: 'JavaScript' }, systems: ['aws_step_functions'],
    max_batch: 256, ranges: { interval_s: ['1', '99999999'], max_attempts: ['0', '100'] } });
});
