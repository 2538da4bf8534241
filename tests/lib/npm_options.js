// The options of the npm that is named, as a listing: what its own definitions say.
//   node npm_options.js "$(command -v npm)"
// Its manual lists the same, but is not in Debian's package.
const fs = require('fs');
const path = require('path');

const top = path.join(path.dirname(fs.realpathSync(process.argv[2])), '..');
const { definitions, shorthands } = ['node_modules/@npmcli/config/lib/definitions', 'lib/utils/config']
    .map((p) => path.join(top, p)).filter((p) => fs.existsSync(p)).map((p) => require(p))[0];

const npx = path.basename(process.argv[2]) === 'npx';

// A flag takes no value but true, false and null; with other types beside, it may take one.
// npx looks for the command first: a type that may be a flag is one, "--no-name" is not known.
function takes(type) {
    const types = [type].flat(Infinity).filter((t) => t !== null);
    if (!types.includes(Boolean)) return ' VALUE';
    return types.length > 1 && !npx ? ' [VALUE]' : '';
}

for (const [name, d] of Object.entries(definitions)) {
    console.log(`  --${name}${takes(d.type)}`);
    if (!takes(d.type)) console.log(`  --no-${name}${npx ? ' [VALUE]' : ''}`);
}
for (const [name, [option, value]] of Object.entries(shorthands)) {
    const d = definitions[option.slice(2)];
    const dashes = name.length === 1 ? '-' : '--';
    if (npx && name.match(/^[np]$/)) console.log(`  -${name} VALUE`);
    else console.log(`  ${dashes}${name}${value ? '' : d ? takes(d.type) : npx ? ' [VALUE]' : ''}`);
}
if (npx) console.log('  --no-install\n  --always-spawn\n  --ignore-existing\n  --shell-auto-fallback\n' +
                     '  --npm VALUE\n  --node-arg VALUE');
