// @ts-check
// Runs the import rules and proves that they saw the code: dependency-cruiser silently skips TypeScript files when the installed compiler
// has no API, and a rule over no files always passes. Code that ships must have no cycle between folders, at any level.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'
import { folderCycles } from './folder-cycles.mjs'

const FOLDERS = ['packages', 'server', 'app', 'components', 'scripts', 'bench', 'e2e', 'examples']
/** Code that does not ship, or that is generated. */
const LEFT_OUT = /\/generated\/|\.(test|test-d|spec)\.tsx?$|\/test\/|^e2e\/|\/test-[^/]+\.ts$/

/** @param {string} program @param {readonly string[]} args */
function output(program, args) {
  return spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 128 * 1024 * 1024 })
    .stdout
}

/** @typedef {{ source: string, dependencies: readonly { resolved: string, couldNotResolve: boolean }[] }} Cruised */

/** Modules that ship, with imports among each other. @param {readonly Cruised[]} modules @param {readonly string[]} files of the project */
function shipped(modules, files) {
  const ours = new Set(files.filter((name) => !LEFT_OUT.test(name)))
  return modules
    .filter(({ source }) => ours.has(source))
    .map(({ source, dependencies }) => ({
      source,
      imports: dependencies.map(({ resolved }) => resolved).filter((name) => ours.has(name)),
    }))
}

const cruised = output(process.execPath, [
  // It keeps what it parses: with the usual space for new objects, an eighth of its time goes to moving them.
  '--max-semi-space-size=128',
  'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  ...FOLDERS,
  '--config',
  '.dependency-cruiser.cjs',
  '--output-type',
  'json',
])
/** @type {{ modules: readonly Cruised[], summary: any }} */
const { modules, summary } = JSON.parse(cruised)
const sources = output('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS])
  .split('\n')
  .filter((file) => /\.(tsx?|mjs)$/.test(file) && fs.existsSync(path.join(ROOT, file)))
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
const cycles = folderCycles(shipped(modules, sources))
for (const cycle of cycles) {
  const names = cycle.map(({ from }) => from)
  console.error(`no-folder-cycles: ${[...names, names[0]].join(' -> ')}`)
  for (const { example } of cycle) console.error(`  ${example}`)
}
if (summary.totalCruised < sources.length) {
  console.error(`the cruise saw ${summary.totalCruised} modules of ${sources.length} source files`)
  process.exit(1)
}
const violations = summary.violations.length + cycles.length
console.log(`${summary.totalCruised} modules, ${violations} violations`)
process.exit(violations === 0 ? 0 : 1)
