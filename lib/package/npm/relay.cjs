// What the program starts as the port where the port is a function: hands on what is said to the process of the tests.
'use strict';
const net = require('node:net');

const tests = net.connect(process.argv[2]);
process.stdin.pipe(tests);
tests.pipe(process.stdout);
tests.on('close', () => process.exit());
tests.on('error', () => process.exit(1));
