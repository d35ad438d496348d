// @grpc/grpc-js's BackoffTimeout as a port, which it exports as experimental: the time that each runOnce asks of setTimeout.
// Math.random is given. Clients have options for the first and the longest delay only: multiplier and jitter stay at their defaults.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');

const installed = path.resolve(process.argv[2], 'node_modules/@grpc/grpc-js');
const { experimental: { BackoffTimeout } } = require(installed);
const { version } = require(`${installed}/package.json`);

let asked = 0;
globalThis.setTimeout = (_, ms) => {
  asked = ms;
  return { ref() {}, unref() {} };
};

const port = ({ initial, cap }) => {
  const backoff = new BackoffTimeout(() => {}, { initialDelay: Number(initial), maxDelay: Number(cap) });
  return ({ op, draw }) => {
    backoff.stop();
    if (op === 'reset') {
      backoff.reset();
      return { status: 'ok' };
    }
    Math.random = () => Number(draw.value);
    backoff.runOnce();
    return { status: 'retry', delay_ms: asked };
  };
};

serve(port, { port: { name: '@grpc/grpc-js BackoffTimeout', version, language: 'JavaScript' }, systems: ['grpc_connection_backoff'],
  draw_kind: 'unit', max_batch: 256, features: ['instances'], ranges: { multiplier: ['1.6', '1.6'], jitter: ['0.2', '0.2'] } });
