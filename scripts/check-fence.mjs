// Runs the import rules and proves that they saw the code: dependency-cruiser silently
// skips .ts files when the installed TypeScript has no compiler API (7.0 has none), and a
// rule over no files always passes.
import { execFileSync } from 'node:child_process'

const roots = ['packages', 'server', 'app', 'components', 'e2e']
const run = (cmd, args) => {
  try {
    return execFileSync(cmd, args, { encoding: 'utf8', maxBuffer: 64e6 })
  } catch (e) {
    return e.stdout
  }
}
const { summary } = JSON.parse(
  run('npx', [
    'depcruise',
    ...roots,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
  ]),
)
const sources = run('git', ['ls-files', '-co', '--exclude-standard', ...roots])
  .split('\n')
  .filter((f) => /\.tsx?$/.test(f))
for (const v of summary.violations) console.error(`${v.rule.name}: ${v.from} -> ${v.to}`)
if (summary.totalCruised < sources.length) {
  console.error(`the cruise saw ${summary.totalCruised} modules of ${sources.length} source files`)
  process.exit(1)
}
process.exit(summary.violations.length === 0 ? 0 : 1)
