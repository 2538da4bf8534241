// ajv and polc on every golden in YAML: what polc's front end accepts the
// schema accepts, and each fault that a schema can express is a fault of the
// schema at the same place.  Not expressible: see `unexpressed` below.
//   agree.js POLC SCHEMA FILE…      files are read where they lie
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const Ajv = require('ajv');
const yaml = require('js-yaml');

const [polc, schemaFile, ...files] = process.argv.slice(2);
const ajv = new Ajv({ allErrors: true, jsonPointers: true });
const validate = ajv.compile(JSON.parse(fs.readFileSync(schemaFile, 'utf8')));

// Faults of shape, key, word and place: the schema must find them.
const expressible = new Set(['P0031', 'P0033', 'P0034', 'P0043', 'P0044', 'P0045']);
// Faults of the text itself: another reader of YAML finds them, or nobody.
const textual = new Set(['P0002', 'P0003', 'P0022', 'P0030', 'P0035', 'P0036', 'P0037', 'P0038',
	'P0039', 'P0040', 'P0041', 'P0042']);
// What draft 7 cannot say, or what editors read otherwise; by the message.
const unexpressed = [
	/cannot be the name of a value$/, // the words of the language, as keys
	/^'.*' is no (size|count|whole |number of processors)/, // texts with units
	/^'.*' is neither a number of seconds/,
	/^'.*' is no condition of an alert$/,
	/stands for a whole value$/, // part of a text
	/^a newline of this block would belong to the (pattern|path)$/, // how a text is written
	/^'enabled' does not say which mode the rules are for$/, // what two keys mean together
	/^'.*' is no date$/, // days that do not exist
	/^a list stands here, wanted: (one proxy|a header, and what stands before the secret)$/, // how many
];

// YAML's own reader takes `~` and `null` for nothing; polc takes them as written.
const otherwise = new Set(['nulls.yml']);

const used = new Set();
const accepted = new Set();
let failed = 0, passed = 0, compared = 0, slips = 0;

function result(ok, name, said) {
	if (ok) {
		passed++;
		return;
	}
	failed++;
	console.log(`FAIL ${name}: ${said}`);
}

// "/command/0/locked x" as polc writes it: command[0].locked x
function dotted(pointer, more) {
	const parts = pointer.split('/').slice(1).map((p) => p.replace(/~1/g, '/').replace(/~0/g, '~'));

	if (more !== undefined)
		parts.push(more);
	return parts.reduce((s, p) => /^\d+$/.test(p) ? `${s}[${p}]` : s ? `${s}.${p}` : p, '');
}

function parent(p) {
	return p.replace(/(\.[^.[\]]*|\[\d+\])$/, '');
}

// Does some error of the schema stand where polc's does?
function related(errors, key, code) {
	return errors.some((e) => {
		const at = dotted(e.dataPath);

		if (e.keyword === 'additionalProperties' &&
		    dotted(e.dataPath, e.params.additionalProperty) === key)
			return true;
		if (e.keyword === 'propertyNames' &&
		    dotted(e.dataPath, e.params.propertyName) === key)
			return true;
		if (code === 'P0044' || code === 'P0045')
			return (at === key || at === parent(key)) &&
				['required', 'dependencies', 'oneOf', 'additionalProperties', 'anyOf']
					.includes(e.keyword);
		return at === key;
	});
}

function one(file) {
	const name = path.basename(file);
	const run = spawnSync(polc, ['check', '--format=json', name],
		{ cwd: path.dirname(file), encoding: 'utf8' });
	const diags = JSON.parse(run.stdout).diagnostics.filter((d) => d.severity === 'error');
	const faults = diags.filter((d) => expressible.has(d.code));
	const broken = diags.some((d) => textual.has(d.code));
	let errors = [];

	try {
		const data = yaml.load(fs.readFileSync(file, 'utf8'),
			{ schema: yaml.CORE_SCHEMA, json: true });

		if (!validate(data === undefined ? null : data))
			errors = validate.errors;
	} catch (e) {
		result(broken || faults.length, name, `js-yaml: ${e.message}`);
		return;
	}
	if (broken)
		return;
	if (!faults.length) {
		if (otherwise.has(name)) {
			result(errors.length, name, 'the schema takes it: no exception is needed');
			return;
		}
		if (diags.every((d) => d.code >= 'P0100'))
			accepted.add(file);
		result(!errors.length, name, 'the schema refuses it: ' +
			errors.slice(0, 4).map((e) => `${e.dataPath} ${e.message}`).join('; '));
		return;
	}
	for (const d of faults) {
		const note = d.notes.find((n) => n.message.startsWith('the key is '));
		const key = note ? note.message.slice('the key is '.length) : '';
		const skip = unexpressed.find((r) => r.test(d.message));

		if (related(errors, key, d.code)) {
			compared++;
			passed++;
		} else if (skip) {
			used.add(skip);
		} else {
			result(false, name, `${d.code} at ${key}: ${d.message}; the schema says nothing`);
		}
	}
}

// Every key of an accepted file, misspelt: both accept it (a name that somebody
// gives) or both refuse it.
function misspelt(file) {
	const text = fs.readFileSync(file, 'utf8');
	const work = fs.mkdtempSync('/var/tmp/pol-schema.');
	const copy = path.join(work, path.basename(file));

	for (const m of text.matchAll(/([A-Za-z][A-Za-z_-]{2,})( \+=)?:(?=\s)/g)) {
		const at = m.index + 2;
		const slip = `${text.slice(0, at)}q${text.slice(at)}`;
		let taken = true;

		fs.writeFileSync(copy, slip);
		try {
			taken = validate(yaml.load(slip, { schema: yaml.CORE_SCHEMA, json: true }));
		} catch (e) {
			taken = false;
		}
		const run = spawnSync(polc, ['dump', '--after', 'parse', path.basename(copy)],
			{ cwd: work, encoding: 'utf8' });
		slips++;
		result(taken === (run.status === 0), path.basename(file),
			`'${m[1]}' misspelt at byte ${at}: the schema ${taken ? 'takes' : 'refuses'} it, ` +
			`polc ${run.status === 0 ? 'takes' : 'refuses'} it ${run.stderr.split('\n')[0]}`);
	}
	fs.rmSync(work, { recursive: true });
}

for (const f of files) {
	const before = failed;

	one(f);
	if (failed === before && accepted.has(f) && !otherwise.has(path.basename(f)))
		misspelt(f);
}
for (const r of unexpressed)
	if (!used.has(r))
		result(false, 'unexpressed', `${r} excuses nothing: take it away`);
console.log(`${compared} faults found by both, ${slips} misspelt keys judged by both`);
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
