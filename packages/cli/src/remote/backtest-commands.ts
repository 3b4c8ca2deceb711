// Backtests and pinned cases of the environment of the key (specs/backtest.md).
import { setTimeout as pause } from 'node:timers/promises'
import { ManagedRow, ManagedRows } from '@signalbox/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatExitCodes, Unusable } from '../base/io.ts'
import { type ControlPlane, connect } from './control-plane.ts'
import { parsePrompt } from './folder.ts'
import { parseSeconds, parseVersion } from './options.ts'
import { configPath, findDraft } from './remote-configs.ts'
import { connectTo, printRow, printRows } from './table.ts'

const POLL_MS = 500
const RUNS = ['id', 'status', 'version', 'sessions_done', 'would_deny', 'would_block', 'created_at']
const CASES = ['id', 'kind', 'expected', 'recorded', 'session', 'seq', 'name']

interface Common {
  readonly url?: string
  readonly json: boolean
}

interface Starting extends Common {
  readonly last: number
  readonly since?: number
  readonly until?: number
  readonly casesOnly: boolean
  readonly wait: boolean
  readonly timeout: number
}

function parseSessions(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 5_000) return value
  throw new InvalidArgumentError('Use 1 to 5000.')
}

function parseTime(text: string): number {
  const at = Date.parse(text)
  if (Number.isFinite(at)) return at
  throw new InvalidArgumentError('Use a time in ISO 8601, such as 2026-11-20T12:00:00Z.')
}

function toSample({ last, since, until = Date.now(), casesOnly }: Starting) {
  if (casesOnly) return { kind: 'cases' }
  return since === undefined
    ? { kind: 'last', sessions: last }
    : { kind: 'range', from: since, to: until }
}

async function start(
  plane: ControlPlane,
  name: string,
  { version, sample }: { readonly version: number | undefined; readonly sample: object },
): Promise<string> {
  const prompt = parsePrompt(name)
  const draft = version === undefined ? await findDraft(plane, prompt) : null
  if (version === undefined && draft === null) {
    throw new Unusable(`${name} has no draft. Name a version to test.`)
  }
  const { id } = await plane.need({
    method: 'POST',
    path: `${configPath(prompt)}/backtests`,
    body: { sample, version },
    ...(draft && { headers: { 'if-match': `"${draft.id}.${draft.revision}"` } }),
    schema: ManagedRow,
  })
  return String(id)
}

const isOver = ({ status }: ManagedRow): boolean => status !== 'queued' && status !== 'running'

/** Returns the report of a run that is over, or that still runs after `timeoutMs`. */
async function waitForReport(
  plane: ControlPlane,
  path: string,
  timeoutMs: number,
): Promise<ManagedRow> {
  const until = Date.now() + timeoutMs
  for (;;) {
    const report = await plane.need({ path, schema: ManagedRow })
    if (isOver(report) || Date.now() >= until) return report
    await pause(POLL_MS)
  }
}

/** True: the run is not done, or a pinned case is not as expected. */
function hasFinding({ status, results }: ManagedRow): boolean {
  if (status !== 'done' || !Array.isArray(results)) return true
  return results.some(({ verdict, expected }) => verdict !== expected)
}

function addRuns(program: Command, { io, around, done }: CommandContext): void {
  const group = program
    .command('backtests')
    .description('Replay recorded sessions under a draft or a version, and show the results')
  const plane = (options: Common) => connect(options, around.env)

  connectTo(group.command('list').description('List the backtests of a config'), 'publish')
    .argument('<prompt>', 'Prompt, as ns/key')
    .action(async (name: string, options: Common) => {
      const path = `${configPath(parsePrompt(name))}/backtests`
      const page = await plane(options).need({ path, schema: ManagedRows })
      printRows(io, page, { many: 'backtests', columns: RUNS, ...options })
      done(EXIT.clean)
    })
  connectTo(group.command('start').description('Start a backtest'), 'publish')
    .argument('<prompt>', 'Prompt, as ns/key')
    .argument('[version]', 'Version to test (default: the draft)', parseVersion)
    .option('--last <sessions>', 'Replay the newest sessions, up to 5000', parseSessions, 50)
    .addOption(
      new Option('--since <time>', 'Replay the sessions since this time instead').argParser(
        parseTime,
      ),
    )
    .option('--until <time>', 'Time before which the sessions began (default: now)', parseTime)
    .option('--cases-only', 'Replay only the pinned cases', false)
    .option('--wait', 'Wait until it is over, and print the results', false)
    .option('--timeout <seconds>', 'Limit for --wait, in seconds', parseSeconds, 600)
    .addHelpText(
      'after',
      formatExitCodes(
        'Started; with --wait also done, with each pinned case as expected',
        'With --wait: not done, or a pinned case is not as expected',
        'Unusable input',
      ),
    )
    .action(async (name: string, version: number | undefined, options: Starting) => {
      const server = plane(options)
      const id = await start(server, name, { version, sample: toSample(options) })
      if (!options.wait) {
        io.out(options.json ? JSON.stringify({ id }) : `${id} is queued.`)
        done(EXIT.clean)
        return
      }
      io.err(`Waiting for ${id} …`)
      const report = await waitForReport(server, `/backtests/${id}`, options.timeout * 1000)
      printRow(io, report, options)
      done(hasFinding(report) ? EXIT.findings : EXIT.clean)
    })
  connectTo(group.command('show').description('Show the results of a backtest'), 'publish')
    .argument('<id>', 'Id of the backtest')
    .action(async (id: string, options: Common) => {
      const path = `/backtests/${encodeURIComponent(id)}`
      printRow(io, await plane(options).need({ path, schema: ManagedRow }), options)
      done(EXIT.clean)
    })
  connectTo(
    group.command('cancel').description('Cancel a backtest, keeping its results so far'),
    'publish',
  )
    .argument('<id>', 'Id of the backtest')
    .action(async (id: string, options: Common) => {
      const path = `/backtests/${encodeURIComponent(id)}/cancel`
      const answer = await plane(options).need({ method: 'POST', path, schema: ManagedRow })
      const told = answer['cancelled'] === true ? 'canceled' : 'was over already'
      io.out(options.json ? JSON.stringify(answer) : `${id}: ${told}`)
      done(EXIT.clean)
    })
}

function addCases(program: Command, { io, around, done }: CommandContext): void {
  const group = program.command('cases').description('List pinned cases, change one, or unpin one')
  const plane = (options: Common) => connect(options, around.env)

  async function change(
    id: string,
    options: Common,
    ask: { readonly method: 'PATCH' | 'DELETE'; readonly body?: object },
  ): Promise<void> {
    const path = `/cases/${encodeURIComponent(id)}`
    await plane(options).need({ ...ask, path, schema: ManagedRow.optional() })
    const told = ask.method === 'PATCH' ? 'changed' : 'unpinned'
    io.out(options.json ? JSON.stringify({ ok: true }) : `${id}: ${told}`)
    done(EXIT.clean)
  }

  connectTo(group.command('list').description('List the pinned cases of a config'), 'publish')
    .argument('<prompt>', 'Prompt, as ns/key')
    .action(async (name: string, options: Common) => {
      const path = `${configPath(parsePrompt(name))}/cases`
      const page = await plane(options).need({ path, schema: ManagedRows })
      printRows(io, page, { many: 'pinned cases', columns: CASES, ...options })
      done(EXIT.clean)
    })
  connectTo(group.command('change').description('Change a pinned case'), 'publish')
    .argument('<id>', 'Id of the pinned case')
    .addOption(
      new Option('--expect <verdict>', 'Verdict that every backtest must give').choices([
        'allowed',
        'denied',
        'blocked',
      ]),
    )
    .option('--note <text>', 'Why the case is pinned')
    .action(
      async (
        id: string,
        { expect: expected, note, ...options }: Common & { expect?: string; note?: string },
      ) => {
        await change(id, options, { method: 'PATCH', body: { expected, note } })
      },
    )
  connectTo(
    group.command('unpin').description('Delete a pinned case with its copy of the events'),
    'publish',
  )
    .argument('<id>', 'Id of the pinned case')
    .action((id: string, options: Common) => change(id, options, { method: 'DELETE' }))
}

export function addBacktests(program: Command, context: CommandContext): void {
  addRuns(program, context)
  addCases(program, context)
}
