// What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own.
'use strict';
const { serve, Rejected } = require('./backoff_port.cjs');

function port(params, steps) {
  if ('reject' in params) throw new Rejected(params.reject);
  if ('nothing' in params) return undefined;
  let calls = 0;
  return async (step) => {
    calls += 1;
    switch (step.op) {
      case 'integer': return { status: 'ok', value: BigInt(step.value) };
      case 'real': return { status: 'ok', value: Number(step.value === 'inf' ? Infinity : step.value) };
      case 'truth': return { status: 'ok', value: step.value === true };
      case 'fail': throw new RangeError(step.value);
      default: return { status: 'ok', calls, of: steps.length, step, params };
    }
  };
}

serve(port, { port: { name: 'echo', version: '1', language: 'JavaScript' }, systems: ['echo', 'other'], features: ['instances'],
  ranges: { value: ['0', '18446744073709551615'] } });
