// azure-iot-common's ExponentialBackOffWithJitter and NoRetry as a port, for every version with that interface. Its type
// declarations state the document's F(x), "x is the xth retry", and RetryOperation gives a policy 1 at the first retry: x
// is retryCount as it stands. The immediate first retry, which F(x) does not know, is turned off; no throttling. Whether
// an error is retryable is the package's own filter's to say, of one error that it retries and one that it does not.
'use strict';
const fs = require('fs');
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');

const installed = path.resolve(process.argv[2]);
const { ExponentialBackOffWithJitter, NoRetry, errors } = require(`${installed}/node_modules/azure-iot-common`);
const { version } = JSON.parse(fs.readFileSync(`${installed}/node_modules/azure-iot-common/package.json`));

let draw = 0;
Math.random = () => draw;

const FIELDS = { c_ms: 'c', cmin_ms: 'cMin', cmax_ms: 'cMax', jd: 'jd', ju: 'ju' };

function made({ policy, ...given }) {
  if (policy === 'no_retry') return new NoRetry();
  const result = new ExponentialBackOffWithJitter(false);
  for (const [name, value] of Object.entries(given)) result.normalParameters[FIELDS[name]] = Number(value);
  return result;
}

function port(params) {
  const policy = made(params);
  return (step) => {
    draw = Number(step.draw?.value);
    const retry = policy.shouldRetry(step.retryable ? new errors.TimeoutError('') : new errors.UnauthorizedError(''));
    return retry ? { retry, delay_ms: policy.nextRetryTimeout(Number(step.retry_count), false) } : { retry };
  };
}

serve(port, { port: { name: 'azure-iot-common ExponentialBackOffWithJitter', version, language: 'JavaScript' },
  systems: ['azure_java_retry_policy'], draw_kind: 'unit', max_batch: 256 });
