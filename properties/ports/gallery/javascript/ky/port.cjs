// ky as a port, in virtual time: its fetch answers 500, which it retries. Math.random is given. A reset is the next request.
'use strict';
const path = require('path');
const { serve } = require('../../../helpers/javascript/backoff_port.cjs');
const { portOf } = require('../cycles.cjs');

const installed = path.resolve(process.argv[2], 'node_modules/ky');
const { version } = JSON.parse(require('fs').readFileSync(`${installed}/package.json`));

import(`${installed}/distribution/index.js`).then(({ default: ky }) => {
  const cycles = ({ backoff_limit, jitter, limit }) => (operation) => {
    const fetch = async () => {
      try {
        return new Response(operation());
      } catch {
        return new Response('', { status: 500 });
      }
    };
    const retry = { limit: Number(limit), backoffLimit: Number(backoff_limit), jitter: jitter === '1' };
    return ky('http://localhost/', { fetch, retry, timeout: false }).then(() => '', () => { throw new Error('gallery'); });
  };
  serve(portOf(cycles), { port: { name: 'ky', version, language: 'JavaScript' }, systems: ['ky_retry'], draw_kind: 'unit',
    max_batch: 64 });
});
