// @ts-check
// npm test: everything from a fresh clone. Goes on after a failure, so that one run shows all; ends with one line of counts.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { describeError } from '../server/platform/base/failure.mjs'
import { ensureBrowser } from './browser.mjs'
import { installPackages, ROOT } from './build-steps.mjs'
import { hasHarnesses } from './harnesses.mjs'
import { ensurePrograms, findPython } from './system-programs.mjs'

const execute = promisify(execFile)
const counts = { passed: 0, failed: 0, skipped: 0 }
const reports = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-reports-'))

/**
 * `isPatient`: it takes only what others leave of the processor.
 * @param {readonly string[]} command @param {{ env?: NodeJS.ProcessEnv | undefined, isPatient?: boolean }} [how]
 */
async function run([program = '', ...args], { env = {}, isPatient = false } = {}) {
  const options = {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
  }
  const running = execute(program === 'node' ? process.execPath : program, args, options)
  const { pid } = running.child
  if (isPatient && pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_LOW)
  try {
    const { stdout, stderr } = await running
    return { isRight: true, output: `${stdout}${stderr}` }
  } catch (error) {
    // execFile adds both outputs to the error of a command that failed.
    const { stdout = '', stderr = describeError(error) } = /** @type {any} */ (error)
    return { isRight: false, output: `${stdout}${stderr}` }
  }
}

/** @param {{ name: string, started: number, ok: boolean, detail?: string }} step */
function say({ name, started, ok, detail = '' }) {
  process.stdout.write(
    `${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)${detail}\n`,
  )
}

/** @param {readonly [name: string, command: readonly string[]]} check @param {{ isPatient?: boolean }} [how] */
async function check([name, command], how) {
  const started = Date.now()
  const { isRight, output } = await run(command, how)
  counts[isRight ? 'passed' : 'failed'] += 1
  say({ name, started, ok: isRight })
  if (!isRight) process.stdout.write(`${output}\n`)
}

/** The end of a long text, where runners say what went wrong. @param {string} text @param {number} lines */
const lastLines = (text, lines) => text.trimEnd().split('\n').slice(-lines).join('\n')

/**
 * What failed is printed, not what passed: the log of a failed run must fit where people read it.
 * @param {string} name
 * @param {readonly string[]} command
 * @param {{ report: string, read: (report: any) => { passed: number, failed: number, skipped: number, failures: readonly string[] }, env?: NodeJS.ProcessEnv }} how
 */
async function suite(name, command, { report, read, env }) {
  const started = Date.now()
  const { isRight, output } = await run(command, { env })
  const found = fs.existsSync(report)
    ? read(JSON.parse(fs.readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0, failures: [] }
  // A runner that failed without a failed test (it crashed, or ran nothing) is a failure, too.
  const crashed = (!isRight && found.failed === 0) || found.passed + found.failed === 0
  counts.passed += found.passed
  counts.failed += found.failed + (crashed ? 1 : 0)
  counts.skipped += found.skipped
  const ok = !crashed && found.failed === 0
  say({ name, started, ok, detail: `: ${found.passed} passed, ${found.failed} failed` })
  for (const failure of found.failures) process.stdout.write(`\n${failure}\n`)
  if (!ok && found.failures.length === 0) process.stdout.write(`${lastLines(output, 200)}\n`)
}

/** @param {string} name @param {readonly string[]} messages */
const formatFailure = (name, messages) =>
  `FAILED ${name}\n${stripVTControlCharacters(messages.join('\n')).split('\n').slice(0, 40).join('\n')}`

/** @param {any} report of vitest's own JSON reporter */
function readVitest(report) {
  const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, success } = report
  /** @type {readonly any[]} */
  const files = report.testResults
  const failures = files.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((/** @type {any} */ test) => test.status === 'failed')
    const file = path.relative(ROOT, name)
    // A file that cannot be loaded has no tests that report it.
    if (status === 'failed' && failed.length === 0) return [formatFailure(file, [message])]
    return failed.map((/** @type {any} */ test) =>
      formatFailure(`${file} › ${test.fullName}`, test.failureMessages),
    )
  })
  return {
    passed: numPassedTests,
    failed: success ? 0 : Math.max(1, numFailedTests || numFailedTestSuites),
    skipped: numPendingTests,
    failures,
  }
}

/** @param {any} group @returns {readonly any[]} */
const specsIn = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsIn)]

/** @param {any} report of Playwright's own JSON reporter */
function readPlaywright({ stats, suites, errors }) {
  const failed = specsIn({ suites }).filter(({ ok }) => !ok)
  const failures = failed.map(({ file, line, title, tests }) => {
    const results = tests.flatMap((/** @type {any} */ test) => test.results)
    const messages = results.flatMap((/** @type {any} */ result) => result.errors)
    return formatFailure(
      `${file}:${line} › ${title}`,
      messages.map((/** @type {any} */ error) => error.message),
    )
  })
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    failures: [
      ...failures,
      ...errors.map((/** @type {any} */ error) => formatFailure('browser tests', [error.message])),
    ],
  }
}

/** @param {string} name @param {readonly string[]} projects of vitest.config.ts */
async function vitestSuite(name, projects) {
  const report = path.join(reports, `${projects.join('-')}.json`)
  const command = [
    'node',
    'node_modules/vitest/vitest.mjs',
    'run',
    ...projects.map((project) => `--project=${project}`),
    // JSON leaves out errors that no test waits for, which fail the run.
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  await suite(name, command, {
    report,
    read: readVitest,
  })
}

/** Installs 800 MB of third-party programs. @returns {Promise<string | null>} why they are missing; null: they are there */
async function installHarnesses() {
  const { isRight, output } = await run(['node', 'scripts/harnesses.mjs', '--tier', 'first'])
  return isRight ? null : output.trim()
}

/** Without the harnesses nothing of ours is broken, but CI must not pass. @param {Promise<string | null>} missing */
async function processSuite(missing) {
  const reason = await missing
  if (reason === null) {
    await vitestSuite('process tests and real harnesses', ['boot', 'harness'])
    if (!hasHarnesses('second')) {
      process.stdout.write(
        '     without opencode, Gemini and Copilot: npm run harnesses -- --tier all\n',
      )
    }
    return
  }
  await vitestSuite('process tests', ['boot'])
  const name = 'real harness processes'
  const detail = `: NOT RUN, ${reason}`
  if (process.env.CI) {
    counts.failed += 1
    say({ name, started: Date.now(), ok: false, detail })
  } else {
    counts.skipped += 1
    process.stdout.write(`SKIP ${name}${detail}\n`)
  }
}

async function pythonSuite() {
  const report = path.join(reports, 'python.json')
  const command = [findPython(), 'packages/python/tests/run.py', report]
  // Compiled files in the tree would change the stamps of builds.
  await suite('Python client', command, {
    report,
    read: (counts) => counts,
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  })
}

/** @param {Promise<string>} browser path of the program */
async function browserSuite(browser) {
  const report = path.join(reports, 'playwright.json')
  await suite(
    'browser tests',
    ['node', 'node_modules/@playwright/test/cli.js', 'test', '--reporter=json'],
    {
      report,
      read: readPlaywright,
      env: { CHROMIUM_PATH: await browser, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    },
  )
}

const CHECKS = {
  locks: ['locks hold every platform and no registry', ['node', 'scripts/lockcheck.mjs']],
  biome: [
    'biome',
    ['node', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  ],
  // One checker: each of several checks the types that they share again, which doubles the processor time.
  types: [
    'types',
    [
      'node',
      'node_modules/typescript-7/bin/tsc',
      '--noEmit',
      '--singleThreaded',
      '--incremental',
      'false',
    ],
  ],
  fence: ['import fence', ['node', 'scripts/check-fence.mjs']],
  knip: ['dead code', ['node', 'node_modules/knip/bin/knip.js', '--no-progress']],
  schema: ['schema and migrations agree', ['node', 'scripts/check-schema.mjs']],
  exports: ['package exports', ['node', 'scripts/check-packages.mjs']],
}

/** The build runs in a separate process, because building would block everything that waits here. */
const BUILD = "import('./scripts/build-steps.mjs').then(({ prepare }) => prepare({ web: true }))"

async function main() {
  // Debian's packages and the harnesses come while npm's packages are unpacked and built.
  const programs = ensurePrograms()
  const harnesses = installHarnesses()
  await installPackages()
  const browser = programs.then(ensureBrowser)
  // Reported where it is waited for.
  browser.catch(() => undefined)
  await check(['build of packages and console', ['node', '-e', BUILD]])
  await programs
  await Promise.all([runSuites(harnesses, browser), runChecks()])
}

/**
 * One after the other: two at a time wait for each other's processes and browsers, which makes both slower.
 * @param {Promise<string | null>} harnesses @param {Promise<string>} browser
 */
async function runSuites(harnesses, browser) {
  await vitestSuite('unit, property and database tests', ['unit', 'mocked', 'db'])
  await pythonSuite()
  await processSuite(harnesses)
  await browserSuite(browser)
}

async function runChecks() {
  for (const one of Object.values(CHECKS)) await check(one, { isPatient: true })
}

try {
  await main()
} catch (error) {
  counts.failed += 1
  process.stdout.write(`${describeError(error)}\n`)
}
fs.rmSync(reports, { recursive: true, force: true })
if (counts.skipped > 0)
  process.stdout.write(`${counts.skipped} skipped, each with its reason above or in its title\n`)
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1)
