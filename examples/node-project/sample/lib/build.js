'use strict';
// Writes dist/sum.txt, to show that the project is writable.
const fs = require('fs');
const path = require('path');
const sum = require('./sum.js');

const dist = path.join(__dirname, '..', 'dist');
fs.mkdirSync(dist, { recursive: true });
fs.writeFileSync(path.join(dist, 'sum.txt'), `${sum(1, 2, 3)}\n`);
console.log('dist/sum.txt written');
