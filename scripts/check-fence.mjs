// @ts-check
// Runs the import rules and proves that they saw the code: dependency-cruiser silently skips TypeScript files when the
// installed compiler has no API, and a rule over no files always passes.
import { spawnSync } from 'node:child_process'
import { ROOT } from './build-steps.mjs'

const FOLDERS = ['packages', 'server', 'app', 'components', 'e2e', 'examples']

/** @param {string} program @param {readonly string[]} args */
function output(program, args) {
  return spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 128 * 1024 * 1024 })
    .stdout
}

const cruised = output(process.execPath, [
  'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  ...FOLDERS,
  '--config',
  '.dependency-cruiser.cjs',
  '--output-type',
  'json',
])
const { summary } = JSON.parse(cruised)
const sources = output('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS])
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file))
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
if (summary.totalCruised < sources.length) {
  console.error(`the cruise saw ${summary.totalCruised} modules of ${sources.length} source files`)
  process.exit(1)
}
console.log(`${summary.totalCruised} modules, ${summary.violations.length} violations`)
process.exit(summary.violations.length === 0 ? 0 : 1)
