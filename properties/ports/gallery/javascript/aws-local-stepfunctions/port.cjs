// aws-local-stepfunctions as a port: a state machine of one Task whose local handler fails as often as the history asks.
// Time is virtual: what passes on the timer between a failure and the next call is the delay. The timer keeps Node's
// documented word: it fires after 1 ms where it is asked for more than 2^31 - 1. Ranges are those of the States Language;
// the definitions are valid, and validating each costs a third of a second, so that the documented option spares it.
'use strict';
const fs = require('fs');
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');

const installed = path.resolve(process.argv[2]);
const { StateMachine } = require(`${installed}/node_modules/aws-local-stepfunctions`);
const { version } = JSON.parse(fs.readFileSync(`${installed}/node_modules/aws-local-stepfunctions/package.json`));

let passed = 0;  // ms on the timer since the last call; a sum over all calls would cost digits
globalThis.setTimeout = (wake, ms, ...args) => {
  passed += ms <= 2147483647 ? ms : 1;
  queueMicrotask(() => wake(...args));
};

class Again extends Error { name = 'Again'; }

async function port(params, steps) {
  const retry = { ErrorEquals: ['Again'], IntervalSeconds: Number(params.interval_s),
    BackoffRate: Number(params.backoff_rate), MaxAttempts: Number(params.max_attempts) };
  const task = { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:123456789012:function:F', Retry: [retry], End: true };
  const waits = [];  // before each call, in ms: the first is no retry
  const fail = () => {
    waits.push(passed);
    passed = 0;
    throw waits.length <= steps.length ? new Again('again') : new Error('the history ends here');
  };
  const machine = new StateMachine({ StartAt: 'Task', States: { Task: task } }, { validationOptions: { noValidate: true } });
  const execution = machine.run({}, { overrides: { taskResourceLocalHandlers: { Task: fail } } });
  const why = await execution.result.then(() => 'it succeeded', (error) => (error.name === 'ExecutionError' ? '' : String(error)));
  const answers = steps.map((_, n) => (n + 1 < waits.length
    ? { status: 'retry', delay_s: waits[n + 1] / 1000 } : { status: 'exhausted' }));
  let asked = 0;
  return () => {
    if (why !== '' && asked + 1 >= waits.length) throw new Error(why);
    return answers[asked++];
  };
}

serve(port, { port: { name: 'aws-local-stepfunctions', version, language: 'JavaScript' }, systems: ['aws_step_functions'], max_batch: 256,
  ranges: { interval_s: ['1', '99999999'], max_attempts: ['0', '99999999'] } });
