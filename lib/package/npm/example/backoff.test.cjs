// node --test
'use strict';
const test = require('node:test');
const oracle = require('backoff-oracle');

test('the delays are those of the document', () => oracle.check('aws_backoff_algorithm', require.resolve('./port.cjs')));
