// exponential-backoff's backOff with jitter "full" as a port, in virtual time. numOfAttempts counts the first call too, and must be
// at least 1; there is no "forever". A reset is the next operation. Its draws are its own: how it makes whole milliseconds of
// them is not documented, and none of the mappings that the oracle knows.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');
const { portOf } = require('../cycles.cjs');

const installed = path.resolve(process.argv[2], 'node_modules/exponential-backoff');
const { backOff } = require(installed);
const { version } = require(`${installed}/package.json`);

const cycles = ({ base_ms, max_ms, max_attempts }) => (operation) => backOff(async () => operation(), {
  jitter: 'full', startingDelay: Number(base_ms), maxDelay: Number(max_ms), numOfAttempts: Number(max_attempts) + 1 });

serve(portOf(cycles), { port: { name: 'exponential-backoff', version, language: 'JavaScript' }, systems: ['aws_backoff_algorithm'],
  draws: 'opaque', features: ['fresh_process'], max_batch: 256, ranges: { max_attempts: { range: ['0', '4294967295'], forever: false } } });
