// Right ports of the six documents as people write them in JavaScript, each under readings that its document leaves open.
// Usage: zoo.cjs SYSTEM PORT [hidden]        Hidden: the port draws for itself. Without arguments: all ports, one a line, and the
// readings that each follows where they are not the canonical ones. zoo_test.py checks them.
'use strict';
const { randomInt } = require('crypto');
const { serve } = require('../../helpers/javascript/backoff_port.cjs');

const EXHAUSTED = { status: 'exhausted' };
const OK = { status: 'ok' };
const TIMER = 2 ** 31 - 1;  // the most that setTimeout holds
const UNIT = { draw_kind: 'unit' };  // the draws of Math.random()

// ---- aws_backoff_algorithm ----

// A closure over an attempt, as most packages have it.
function scaled({ base_ms, max_ms, max_attempts }) {
  const limit = max_attempts === 'forever' ? Infinity : Number(max_attempts);
  let attempt = 0;
  return ({ op, draw }) => {
    if (op === 'reset') {
      attempt = 0;
      return OK;
    }
    if (attempt >= limit) return EXHAUSTED;
    const window = Number(base_ms) === 0 ? 0 : Math.min(Number(base_ms) * 2 ** attempt, Number(max_ms));
    attempt += 1;
    return { status: 'retry', delay_ms: Math.floor(Number(draw.value) * (window + 1)) };
  };
}

function* windows(base, cap) {
  for (let window = Math.min(base, cap); ; window = Math.min(window * 2, cap)) yield window;
}

// A generator of windows, made anew by a reset; remainders by BigInt.
function generated({ base_ms, max_ms, max_attempts }) {
  let [cycle, left] = [null, 0];
  const begin = () => [cycle, left] = [windows(Number(base_ms), Number(max_ms)), max_attempts === 'forever' ? -1 : Number(max_attempts)];
  return ({ op, draw }) => {
    if (cycle === null || op === 'reset') begin();
    if (op === 'reset') return OK;
    if (left === 0) return EXHAUSTED;
    left -= 1;
    return { status: 'retry', delay_ms: BigInt(draw) % (BigInt(cycle.next().value) + 1n) };
  };
}

// 32 bits without a sign, in which the window saturates before it is drawn from: the attempt at hand counts.
class Saturating {
  #words;
  #left;
  constructor({ base_ms, max_ms, max_attempts }) {
    Object.assign(this, { base_ms, max_ms, max_attempts });
    this.reset();
  }
  reset() {
    this.#words = Uint32Array.of(this.base_ms, this.max_ms);
    this.#left = this.max_attempts === 'forever' ? Infinity : Number(this.max_attempts);
    return OK;
  }
  next({ draw }) {
    if (this.#left-- <= 0) return EXHAUSTED;
    const [window, cap] = this.#words;
    this.#words[0] = window >= cap - window ? cap : window << 1;
    const within = window === 0 ? 0 : this.#words[0];
    return { status: 'retry', delay_ms: Number(draw) % (within + 1) };
  }
}

// ---- aws_retry_utils ----

function utilities(params) {
  const [initial, cap, most, limit] = ['initial_backoff_s', 'max_backoff_s', 'max_jitter_s', 'max_attempts'].map((name) => Number(params[name]));
  const state = { window: 0, done: 0 };
  return ({ op, draw }) => {
    const upTo = (size) => Number(draw) % (size + 1);
    if (op === 'reset') {
      Object.assign(state, { window: Math.min(initial + upTo(most), cap), done: 0 });
      return OK;
    }
    if (limit !== 0 && state.done >= limit) return EXHAUSTED;
    const slept = upTo(state.window);
    Object.assign(state, { window: Math.min(state.window * 2, cap), done: state.done + 1 });
    return { status: 'retry', slept_s: slept };
  };
}

// All windows of a cycle are listed by its reset; draws are below the window, as Math.floor(Math.random() * window).
function listed({ initial_backoff_s, max_backoff_s, max_jitter_s, max_attempts }) {
  const below = (draw, size) => Math.floor(Number(draw.value) * size);
  let list = [];
  let done = 0;
  return ({ op, draw }) => {
    if (op === 'reset') {
      list = [Math.min(Number(initial_backoff_s) + below(draw, Number(max_jitter_s)), Number(max_backoff_s))];
      while (list.at(-1) > 0 && list.at(-1) < Number(max_backoff_s)) list.push(Math.min(list.at(-1) * 2, Number(max_backoff_s)));
      done = 0;
      return OK;
    }
    if (max_attempts !== '0' && done >= Number(max_attempts)) return EXHAUSTED;
    return { status: 'retry', slept_s: below(draw, list[Math.min(done++, list.length - 1)]) };
  };
}

// BigInt, scaled by a shift; the window is shifted from the first one, and the call that ends a cycle begins the next.
class Shifted {
  constructor({ initial_backoff_s, max_backoff_s, max_jitter_s, max_attempts }) {
    [this.initial, this.cap, this.jitter, this.limit] = [initial_backoff_s, max_backoff_s, max_jitter_s, max_attempts].map(BigInt);
  }
  reset({ draw }) {
    this.first = this.initial + (BigInt(draw) * (this.jitter + 1n) >> 32n);
    this.done = 0n;
    return { status: 'ok', ...this.state };
  }
  backoff(step) {
    if (this.limit !== 0n && this.done === this.limit) return { ...this.reset(step), status: 'exhausted' };
    const slept_s = BigInt(step.draw) * (this.window + 1n) >> 32n;
    this.done += 1n;
    return { status: 'retry', slept_s, ...this.state };
  }
  get window() {
    const window = this.first << this.done;
    return window < this.cap ? window : this.cap;
  }
  get state() {
    return { attempts_done: this.done, next_jitter_max: this.window };
  }
}

// ---- aws_step_functions ----

// Milliseconds for setTimeout.
function timed({ interval_s, backoff_rate, max_attempts }) {
  let n = 0;
  return () => {
    if (n >= Number(max_attempts)) return EXHAUSTED;
    const ms = interval_s === '0' ? 0 : Number(interval_s) * 1000 * Number(backoff_rate) ** n;
    n += 1;
    return { status: 'retry', delay_s: Math.min(ms, TIMER) / 1000 };
  };
}

// Nanoseconds without an end, cut at each step as process.hrtime.bigint() has them.
function* nanoseconds({ interval_s, backoff_rate, max_attempts }) {
  const [whole, rest = ''] = backoff_rate.split('.');
  const thousandths = BigInt(whole + rest.padEnd(3, '0'));
  let delay = BigInt(interval_s) * 10n ** 9n;
  for (let left = Number(max_attempts); left > 0; left -= 1) {
    yield { status: 'retry', delay_s: `${delay / 10n ** 9n}.${String(delay % 10n ** 9n).padStart(9, '0')}` };
    delay = delay * thousandths / 1000n;
  }
}

// Whole milliseconds, each rounded from a power found by squaring.
function squared({ interval_s, backoff_rate, max_attempts }) {
  const power = (base, n) => (n === 0 ? 1 : power(Math.min(base * base, 1e150), Math.floor(n / 2)) * (n % 2 ? base : 1));
  let n = 0;
  return () => (n >= Number(max_attempts) ? EXHAUSTED
    : { status: 'retry', delay_s: Math.round(Math.min(Number(interval_s) * Math.min(power(Number(backoff_rate), n++), 1e300) * 1000, 4e15)) / 1000 });
}

// ---- aws_prescriptive_sample ----

function sample({ max_retries }) {
  let retries = 0;
  return ({ http_status }) => {
    const delay_ms = Math.min((Math.pow(2, retries) - 1) * 100, TIMER);
    retries += 1;
    return { delay_ms, retry: /^(429|504)$/.test(http_status) && retries < Number(max_retries) };
  };
}

const WAITS = Array.from({ length: 25 }, (_, n) => (2 ** n - 1) * 100);

// The waits are a table, at whose end it throws.
function tabulated({ max_retries }) {
  const waits = WAITS.entries();
  return ({ http_status }) => {
    const [made, delay_ms] = waits.next().value;
    return { delay_ms, retry: ['429', '504'].includes(http_status) && made + 1 < Number(max_retries) };
  };
}

// What a Promise that is awaited again and again does; the sum of all waits before, doubled.
function awaited({ max_retries }) {
  let [left, delay] = [BigInt(max_retries), 0n];
  const status = { 200: false, 429: true, 504: true };
  return async ({ http_status }) => {
    const delay_ms = await Promise.resolve(BigInt.asIntN(32, delay));
    if (delay_ms !== delay) throw new RangeError(`${delay} ms is no Int32`);
    delay = delay * 2n + 100n;
    left -= 1n;
    return { delay_ms, retry: (status[http_status] ?? false) && left > 0n };
  };
}

// ---- azure_c_retry_control ----

const MOST = 2 ** 32 - 1;

// The requirements in Numbers, which hold times up to 2^53: it says so. A subclass has other numbers or other readings.
class Control {
  constructor() { this.exists = false; }
  number(text) { return Number(text); }
  has(time) { return Number(time) !== -1; }
  read() { return this.number(this.clock[Math.min(this.reads++, this.clock.length - 1)]); }
  share(draw) { return Number(draw) / MOST; }
  answer(step) {
    const { op, clock = [], draws = [] } = step;
    Object.assign(this, { clock, draw: draws[0], reads: 0, used: 0, nulls: step.null ?? [] });
    return this[op](step);
  }
  defaults() { this.options = { initial_wait_time_in_secs: this.policy.startsWith('EXPONENTIAL') ? 1 : 5, max_jitter_percent: 5 }; }
  clear() { Object.assign(this, { count: 0, wait: 0, first: null, last: null }); }
  create({ policy, max_retry_time_s }) {
    Object.assign(this, { policy, limit: this.number(max_retry_time_s), exists: true });
    this.defaults();
    this.clear();
    return OK;
  }
  should_retry() {
    if (['handle', 'action'].some((each) => this.nulls.includes(each))) return { result: 1 };
    if (this.policy === 'NONE') return { result: 0, action: 'STOP_RETRYING', clock_reads: 0, draws_used: 0 };
    const action = this.decide();
    return { ...(action ? { result: 0, action } : { result: 1 }), clock_reads: this.reads, draws_used: this.used };
  }
  decide() {
    if (this.first === null) {
      const now = this.read();
      if (!this.has(now)) return null;
      this.first = now;
    }
    if (this.count === 0) return this.grant();
    if (this.last === null && this.policy !== 'IMMEDIATE') return null;
    const now = this.read();
    if (!this.has(now)) return null;
    if (this.is_over(now)) return 'STOP_RETRYING';
    return this.policy === 'IMMEDIATE' || now - this.last >= this.wait ? this.grant() : 'RETRY_LATER';
  }
  is_over(now) { return Number(this.limit) !== 0 && now - this.first >= this.limit; }
  grant() {
    this.count += 1;
    if (this.policy === 'IMMEDIATE') return 'RETRY_NOW';
    const now = this.read();
    this.last = this.has(now) ? now : null;
    if (this.last === null && !this.goes_on()) return null;
    this.wait = this.number(Math.min(this.next_wait(), MOST));
    return 'RETRY_NOW';
  }
  goes_on() { return false; }
  round(seconds) { return Math.floor(seconds); }
  random() {
    this.used += 1;
    return this.share(this.draw);
  }
  next_wait() {
    const { initial_wait_time_in_secs: initial, max_jitter_percent: percent } = this.options;
    switch (this.policy) {
      case 'INTERVAL': return initial;
      case 'LINEAR_BACKOFF': return initial * this.count;
      case 'RANDOM': return this.round(initial * this.random());
      case 'EXPONENTIAL_BACKOFF': return 2 ** (this.count - 1) * initial;
      default: return this.round(2 ** (this.count - 1) * initial * (1 + (percent / 100) * this.random()));
    }
  }
  reset() {
    if (!this.nulls.includes('handle')) this.clear();
    return OK;
  }
  set_option({ name, value }) {
    if (this.nulls.length > 0) return { result: 1 };
    const entries = name === 'retry_control_options' ? Object.entries(value) : [[name, value]];
    return { result: entries.every(([each, text]) => this.set(each, Number(text))) ? 0 : 1 };
  }
  set(name, value) {
    const valid = name === 'initial_wait_time_in_secs' ? value >= 1 : name === 'max_jitter_percent' && value <= 100;
    if (valid) this.options[name] = value;
    return valid;
  }
  retrieve_options() { return { options: this.nulls.includes('handle') ? null : { ...this.options } }; }
  is_timeout_reached({ start, timeout_s }) {
    if (this.nulls.includes('out') || start === '-1') return { result: 1 };
    const now = this.read();
    return this.has(now) ? { result: 0, timed_out: now - this.number(start) >= this.number(timeout_s) } : { result: 1 };
  }
  destroy() { return OK; }
}

// Times of 64 bits and exact differences; waits are rounded up; a retry whose time is not known is granted all the same.
class BigTimes extends Control {
  number(text) { return BigInt(text); }
  round(seconds) { return Math.ceil(seconds); }
  goes_on() { return true; }
  is_over(now) { return this.policy !== 'IMMEDIATE' && super.is_over(now); }
}

// What a retry whose time cannot be noted counted is taken back; waits are rounded, in fixed point of 2^-32 of a draw.
class Uncounted extends BigTimes {
  goes_on() {
    this.count -= 1;
    this.last = this.before;
    return false;
  }
  grant() {
    this.before = this.last;
    return super.grant();
  }
  is_over(now) { return this.limit !== 0n && now >= this.first + this.limit; }
  next_wait() {
    const [initial, percent] = Object.values(this.options).map(BigInt);
    const whole = 100n * BigInt(MOST);
    const draw = () => (this.used += 1, BigInt(this.draw));
    const grown = initial << BigInt(Math.min(this.count - 1, 32));
    const part = {
      INTERVAL: () => whole * initial,
      LINEAR_BACKOFF: () => whole * initial * BigInt(this.count),
      RANDOM: () => initial * draw() * 100n,
      EXPONENTIAL_BACKOFF: () => whole * grown,
      EXPONENTIAL_BACKOFF_WITH_JITTER: () => grown * (whole + percent * draw()),
    }[this.policy]();
    return Number((2n * part + whole) / (2n * whole));
  }
  reset() {
    super.reset();
    if (!this.nulls.includes('handle')) this.defaults();
    return OK;
  }
}

// ---- azure_java_retry_policy ----

const withDefaults = (params) => ({ c_ms: '100', cmin_ms: '100', cmax_ms: '10000', jd: '0.5', ju: '0.25', ...params });

function formula(params) {
  const [c, cmin, cmax, jd, ju] = ['c_ms', 'cmin_ms', 'cmax_ms', 'jd', 'ju'].map((name) => Number(withDefaults(params)[name]));
  const random = (low, high, draw) => low + Number(draw.value) * (high - low);
  return ({ retry_count, retryable, draw }) => (params.policy === 'no_retry' || !retryable ? { retry: false }
    : { retry: true, delay_ms: Math.min(cmin + (Math.min(2 ** (Number(retry_count) - 1), 1e100) - 1) * random(c * (1 - jd), c * (1 - ju), draw), cmax) });
}

// Whole milliseconds for setTimeout: thousandths in BigInt, cut off at the end. The service decides about its own errors.
function thousandths(params) {
  const milli = (text) => BigInt(Math.round(Number(text) * 1000));
  const { c_ms, cmin_ms, cmax_ms, jd, ju } = withDefaults(params);
  const [low, high] = [1000n - milli(jd), 1000n - milli(ju)];
  return ({ retry_count, error, draw }) => {
    if (params.policy === 'no_retry' || error !== 'protocol') return { retry: false };
    const share = (low << 32n) + (high - low) * BigInt(draw);
    const grown = ((1n << BigInt(Math.min(Number(retry_count) - 1, 99))) - 1n) * BigInt(c_ms) * share;
    const delay = BigInt(cmin_ms) + (grown / 1000n >> 32n);
    return { retry: true, delay_ms: delay < BigInt(cmax_ms) ? delay : BigInt(cmax_ms) };
  };
}

// Policies are functions in a table; the factor of each count is 2f + 1 of the one before, remembered in an array.
const FACTORS = [0, 0];
function factor(x) {
  while (FACTORS.length <= Math.min(x, 200)) FACTORS.push(2 * FACTORS.at(-1) + 1);
  return FACTORS[Math.min(x, 200)];
}
const POLICIES = {
  exponential_backoff_with_jitter: (p) => ({ retry_count, draw, error }) => {
    if (error === 'service') return Number(p.cmax_ms);
    const ends = [p.jd, p.ju].map((each) => Number(p.c_ms) * (1 - Number(each)));
    const room = Number(p.cmax_ms) - Number(p.cmin_ms);
    const added = factor(Number(retry_count)) * (ends[0] + (ends[1] - ends[0]) * Number(draw.value));
    return room <= 0 ? Number(p.cmax_ms) : Number(p.cmin_ms) + Math.min(added, room);
  },
  no_retry: () => () => null,
  custom: () => ({ custom_retry, custom_delay_ms }) => (custom_retry ? custom_delay_ms : null),
};
function policies(params) {
  const policy = POLICIES[params.policy](withDefaults(params));
  return (step) => {
    const consulted = /^(protocol|service)$/.test(step.error) && !(Number(step.elapsed_ms) > Number(params.total_time_ms));
    const delay_ms = consulted ? policy(step) : null;
    return delay_ms === null ? { retry: false, consulted } : { retry: true, delay_ms, consulted };
  };
}

// ---- The zoo ----

const calls = (Port) => (params) => {  // an object with a method for each call
  const port = new Port(params);
  return (step) => port[step.op](step);
};
const iterates = (generator) => (params) => {
  const iterator = generator(params);
  return () => iterator.next().value ?? EXHAUSTED;
};
const control = (Port) => () => {
  const port = new Port();
  return (step) => port.answer(step);
};

// By system and name: the port, what it says of itself beyond that, and the readings that it follows where they are not canonical.
const TIMES = ['-1', String(2 ** 52)];
const PORTS = {
  aws_backoff_algorithm: {
    scaled: [scaled, UNIT, 'draw-mapping=scaled'],
    generated: [generated, {}, ''],
    saturating: [calls(Saturating), {}, 'attempt-origin=one'] },
  aws_retry_utils: {
    utilities: [utilities, {}, ''],
    listed: [listed, UNIT, 'upper-bound=exclusive, jitter-bound=exclusive, draw-mapping=scaled, jitter-mapping=scaled'],
    shifted: [calls(Shifted), { features: ['instances', 'state'] }, 'exhaustion-state=resets-itself, draw-mapping=scaled, jitter-mapping=scaled'] },
  aws_step_functions: {
    timed: [timed, {}, ''],
    nanoseconds: [iterates(nanoseconds), {}, 'delay-rounding=floor-each-step, rounding-unit=nanosecond'],
    squared: [squared, {}, 'delay-rounding=nearest'] },
  aws_prescriptive_sample: {
    sample: [sample, {}, 'overflow=saturates'],
    tabulated: [tabulated, {}, ''],
    awaited: [awaited, {}, ''] },
  azure_c_retry_control: {
    control: [control(Control), { ranges: { clock: TIMES, start: TIMES }, features: ['clock_script', 'nulls'] },
      'product-rounding=doubles, difference-overflow=exact'],
    big_times: [control(BigTimes), { features: ['instances', 'clock_script'] },
      'wait-rounding=ceil, product-rounding=doubles, failed-016=returns-zero, immediate-limit=immediate-first, difference-overflow=exact'],
    uncounted: [control(Uncounted), { features: ['instances', 'clock_script', 'nulls'] },
      'wait-rounding=nearest, failed-016=uncounted, reset-options=defaults, difference-overflow=exact'] },
  azure_java_retry_policy: {
    formula: [formula, UNIT, ''],
    thousandths: [thousandths, { features: ['errors'] }, 'delay-rounding=truncate, error-shapes-delay=ends, service-filter=stops'],
    policies: [policies, { ...UNIT, features: ['instances', 'total_time', 'errors', 'custom_policy'] },
      'error-shapes-delay=longest, total-time=has-been-exceeded'] },
};

// The port with draws of its own.
const drawing = (port, kind) => (params, steps) => {
  const answer = port(params, steps);
  return (step) => {
    const draw = kind === 'unit' ? { value: String(Math.random()) } : String(randomInt(2 ** 32));
    return answer({ ...step, draw, draws: [draw] });
  };
};

const [system, name, hidden] = process.argv.slice(2);
if (system === undefined) {
  for (const [each, ports] of Object.entries(PORTS)) {
    for (const [port, [, , follows]] of Object.entries(ports)) console.log(each, port, follows);
  }
} else {
  const [port, more] = PORTS[system][name];
  const about = { port: { name, version: '1', language: 'JavaScript' }, systems: [system], features: ['instances'], ...more };
  if (hidden) serve(drawing(port, more.draw_kind), { ...about, draws: 'opaque', features: [...about.features, 'fresh_process'] });
  else serve(port, about);
}
