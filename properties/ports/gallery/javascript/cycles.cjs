// For packages that sleep by themselves and run a whole cycle of retries in one call: a timer that only counts, Math.random
// given, and an operation that fails as often as the history asks and then succeeds. The timer keeps Node's documented word:
// it fires after 1 ms where it is asked for more than 2^31 - 1.
'use strict';
let passed = 0;  // ms on the timer since the last call; a sum over all calls would cost digits
const given = (draw) => { Math.random = () => draw; };  // not where draws are the package's own
globalThis.setTimeout = (wake, ms, ...args) => {
  passed += ms <= 2147483647 ? ms : 1;
  queueMicrotask(() => wake(...args));
  return { ref() {}, unref() {} };
};

// What to answer to the steps of an instance: cycle(operation) gives the promise of one whole cycle.
async function answersOf(steps, cycle) {
  const answers = [];
  for (let i = 0; i < steps.length; i++) {
    if (steps[i].op === 'reset') {
      answers.push({ status: 'ok' });
      continue;
    }
    const end = steps.findIndex((step, n) => n > i && step.op === 'reset');
    const retries = steps.slice(i, end < 0 ? steps.length : end);
    const waits = [];  // before each call: the first is no retry
    passed = 0;
    const operation = () => {
      waits.push(passed);
      passed = 0;
      const step = retries[waits.length - 1];
      if (step === undefined) return 'the history ends here';
      if (step.draw) given(Number(step.draw.value));
      throw new Error('gallery');
    };
    const why = await cycle(operation).then(() => '', (error) => (error.message === 'gallery' ? '' : String(error)));
    for (let n = 1; n < waits.length; n++) answers.push({ status: 'retry', wait: waits[n] });
    if (why !== '') return [...answers, new Error(why)];
    for (let n = waits.length; n <= retries.length; n++) answers.push({ status: 'exhausted' });
    i += retries.length - 1;
  }
  return answers;
}

// The port of such a package: cycles(params) gives cycle, named is the field of the delay, unit how many ms it has.
const portOf = (cycles, named = 'delay_ms', unit = 1) => async (params, steps) => {
  const answers = (await answersOf(steps, cycles(params))).values();
  return () => {
    const { value } = answers.next();
    if (value instanceof Error) throw value;
    return value.status === 'retry' ? { status: 'retry', [named]: value.wait / unit } : value;
  };
};

module.exports = { portOf };
