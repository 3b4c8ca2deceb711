// @ts-check
// npm test: everything from a fresh clone: installs, builds, every check, every test, in a real browser and a real database.
// Goes on after a failure, so that one run shows all; ends with one line of counts.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { prepare, ROOT } from './build-steps.mjs'
import { messageOf } from './failure.mjs'
import { ensureHarnesses, hasHarnesses } from './harnesses.mjs'
import { ensureNatsServer } from './nats-server.mjs'

const counts = { passed: 0, failed: 0, skipped: 0 }
const reports = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-reports-'))

/** @param {readonly string[]} command @param {NodeJS.ProcessEnv} [env] */
function run(command, env = {}) {
  const [program = '', ...args] = command
  return spawnSync(program === 'node' ? process.execPath : program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
  })
}

/** @param {{ name: string, started: number, ok: boolean, detail?: string }} step */
function say({ name, started, ok, detail = '' }) {
  process.stdout.write(
    `${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)${detail}\n`,
  )
}

/** A check that is one test: it passes or it fails. @param {string} name @param {readonly string[]} command */
function check(name, command) {
  const started = Date.now()
  const result = run(command)
  const ok = result.status === 0
  counts[ok ? 'passed' : 'failed'] += 1
  say({ name, started, ok })
  if (!ok) process.stdout.write(`${result.stdout}${result.stderr}\n`)
}

/**
 * A runner that counts its own tests.
 * @param {string} name
 * @param {readonly string[]} command
 * @param {{ report: string, read: (report: any) => { passed: number, failed: number, skipped: number }, env?: NodeJS.ProcessEnv }} how
 */
function suite(name, command, { report, read, env }) {
  const started = Date.now()
  const result = run(command, env)
  const found = fs.existsSync(report)
    ? read(JSON.parse(fs.readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0 }
  // A runner that failed without a failed test (it crashed, or ran nothing) is a failure, too.
  const crashed = (result.status !== 0 && found.failed === 0) || found.passed + found.failed === 0
  counts.passed += found.passed
  counts.failed += found.failed + (crashed ? 1 : 0)
  counts.skipped += found.skipped
  const ok = !crashed && found.failed === 0
  say({ name, started, ok, detail: `: ${found.passed} passed, ${found.failed} failed` })
  if (!ok) process.stdout.write(`${result.stdout}${result.stderr}\n`)
}

/** @param {string} name @param {readonly string[]} projects of vitest.config.ts */
function vitestSuite(name, projects) {
  const report = path.join(reports, `${projects.join('-')}.json`)
  const command = [
    'node',
    'node_modules/vitest/vitest.mjs',
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  suite(name, command, {
    report,
    read: ({ numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, success }) => ({
      passed: numPassedTests,
      failed: success ? 0 : Math.max(1, numFailedTests || numFailedTestSuites),
      skipped: numPendingTests,
    }),
  })
}

/** 800 MB of other people's programs: where they cannot be had nothing of ours is broken, but CI must not pass without them. */
function harnessSuite() {
  const name = 'real harness processes'
  const reason = ensureHarnesses('first')
  if (reason === null) {
    vitestSuite(name, ['harness'])
    if (!hasHarnesses('second')) {
      process.stdout.write(
        '     without opencode, Gemini and Copilot: npm run harnesses -- --tier all\n',
      )
    }
    return
  }
  const detail = `: NOT RUN, ${reason}`
  if (process.env.CI) {
    counts.failed += 1
    say({ name, started: Date.now(), ok: false, detail })
  } else {
    counts.skipped += 1
    process.stdout.write(`SKIP ${name}${detail}\n`)
  }
}

async function browserSuite() {
  const { ensureBrowser } = await import('./browser.mjs')
  const report = path.join(reports, 'playwright.json')
  suite(
    'browser tests',
    ['node', 'node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'],
    {
      report,
      read: ({ stats }) => ({
        passed: stats.expected,
        failed: stats.unexpected + stats.flaky,
        skipped: stats.skipped,
      }),
      env: { CHROMIUM_PATH: await ensureBrowser(), PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    },
  )
}

async function main() {
  prepare({ web: true })
  check('locks hold every platform and no registry', ['node', 'scripts/lockcheck.mjs'])
  check('biome', [
    'node',
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--error-on-warnings',
    '.',
  ])
  check('types', ['node', 'node_modules/typescript/bin/tsc', '--noEmit'])
  check('import fence', ['node', 'scripts/check-fence.mjs'])
  check('dead code', ['node', 'node_modules/knip/bin/knip.js', '--no-progress'])
  check('schema and migrations agree', ['node', 'scripts/check-schema.mjs'])
  check('package doors', ['node', 'scripts/check-packages.mjs'])
  ensureNatsServer()
  vitestSuite('unit, property, type, database and process tests', ['unit', 'db', 'boot'])
  harnessSuite()
  await browserSuite()
}

try {
  await main()
} catch (error) {
  counts.failed += 1
  process.stdout.write(`${messageOf(error)}\n`)
}
fs.rmSync(reports, { recursive: true, force: true })
if (counts.skipped > 0)
  process.stdout.write(`${counts.skipped} skipped, each with its reason above or in its title\n`)
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1)
