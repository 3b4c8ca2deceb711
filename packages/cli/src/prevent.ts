// signalbox prevent: the smallest change that would have refused one call or stop (specs/prevent.md).
import fs from 'node:fs'
import path from 'node:path'
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import { plural } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import {
  backtestGood,
  type Candidate,
  describeEvidence,
  describeFault,
  describeNoAnswer,
  type Findings,
  findUnfit,
  openPrevent,
  type Prevent,
} from '@signalbox/core/prevent'
import { describeNewFaults, findNewFaults } from '@signalbox/core/prove'
import { readSchemaAddress, withSchemaAddress } from '@signalbox/wire'
import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import { readConfigFile } from './base/config-file.ts'
import { readEvents } from './base/event-log.ts'
import { EXIT, formatExitCodes, type Io, Unusable } from './base/io.ts'
import { printable } from './base/printable.ts'
import { readCustomTypes } from './replay.ts'

/** For questions about what the changes make wrong. */
const PROOF_MS = 5_000

interface Options {
  readonly at: number
  readonly good: string
  readonly config?: string
  readonly maxDenied: number
  readonly seconds: number
  readonly take: number
  readonly apply: boolean
  readonly json: boolean
}

export function addPrevent(program: Command, context: CommandContext): void {
  program
    .command('prevent')
    .description('Find the smallest change to the rules that would have refused a call or a stop')
    .argument('<session>', 'Event log of the session')
    .requiredOption('--at <seq>', 'Number of the event: the request of a call, or a stop', parseSeq)
    .requiredOption('--good <folder>', 'Folder with event logs of good sessions')
    .option('--config <file>', 'Config under which the session ran (default: no rules)')
    .option('--max-denied <sessions>', 'Good sessions that a change may refuse', parseCount, 0)
    .option('--seconds <seconds>', 'Time for the search, at most', parseSeq, 60)
    .option('--apply', 'Write the first change to the config file', false)
    .option('--take <number>', 'With --apply: write this change instead', parseSeq, 1)
    .option('--json', 'Print JSON', false)
    .addHelpText(
      'after',
      formatExitCodes(
        'A change refuses it, and refuses nothing in good sessions',
        'Only a reviewer can tell it from good sessions, or nothing can',
        'Unusable input',
      ),
    )
    .action(async (session: string, options: Options) =>
      context.done(await prevent(context.io, session, options)),
    )
}

function parseSeq(word: string): number {
  const value = Number(word)
  if (Number.isInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('Use a whole number from 1.')
}

function parseCount(word: string): number {
  return word === '0' ? 0 : parseSeq(word)
}

async function prevent(io: Io, file: string, options: Options): Promise<number> {
  const { config: configFile, at, good, apply, take, json } = options
  if (apply && configFile === undefined)
    throw new Unusable('Name the config to change with --config.')
  const [events = [], ...others] = await readSessions(io, file)
  if (others.length > 0) throw new Unusable(`${file} has several sessions. Give the log of one.`)
  const ran = await findConfig(io, configFile, events)
  const opened = openPrevent(ran, events, at)
  if (!opened.ok) throw new Unusable(describeFault(opened.fault))
  const unused = await addGood(opened.prevent, io, { folder: good, incident: events })
  const end = performance.now() + options.seconds * 1000
  const found = opened.prevent.candidates({
    maxDenied: options.maxDenied,
    isAborted: () => performance.now() > end,
  })
  const findings = { ...found, candidates: withFaults(ran, found.candidates) }
  if (json) io.out(JSON.stringify({ ...findings, unused: Object.fromEntries(unused) }))
  else for (const line of listLines(findings, unused)) io.out(printable(line))
  const incident = events[0]?.session ?? ''
  if (apply) await applyChange(io, { incident, findings, take, ran, options })
  return findings.candidates.some(({ outcome }) => outcome !== 'waits') ? EXIT.clean : EXIT.findings
}

async function readSessions(io: Io, file: string): Promise<readonly (readonly SessionEvent[])[]> {
  const sessions = new Map<string, SessionEvent[]>()
  for await (const event of readEvents(io, file)) {
    const known = sessions.get(event.session)
    if (known === undefined) sessions.set(event.session, [event])
    else known.push(event)
  }
  return [...sessions.values()]
}

async function findConfig(
  io: Io,
  file: string | undefined,
  [first]: readonly SessionEvent[],
): Promise<CompiledConfig> {
  if (first === undefined) throw new Unusable('The log of the session is empty.')
  if (file !== undefined)
    return (await readConfigFile(io, file)).compiledFor(readCustomTypes(first))
  const { ns, key } = first.type === 'session.started' ? first.data : { ns: 'local', key: 'config' }
  const document = { schema_version: 1, ns, key } as const
  const result = compileChecked(document, { expressions: celExpressions() })
  if (!result.ok) throw new Unusable('The session names no prompt. Give its config with --config.')
  return result.config
}

function listLogs(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) throw new Unusable(`There is no folder ${folder}.`)
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /[.](jsonl|ndjson)$/.test(file))
    .toSorted()
    .map((file) => path.join(folder, file))
}

interface CheckedCandidate extends Candidate {
  /** Sentences about what the change makes wrong. */
  readonly faults: readonly string[]
}

function withFaults(
  ran: CompiledConfig,
  candidates: readonly Candidate[],
): readonly CheckedCandidate[] {
  const end = performance.now() + PROOF_MS
  const isAborted = () => performance.now() > end
  return candidates.map((candidate) => {
    const changed = compileChecked(candidate.document, ran.options)
    const faults = changed.ok ? findNewFaults(ran, changed.config, { isAborted }) : null
    return { ...candidate, faults: faults === null ? [] : describeNewFaults(faults) }
  })
}

interface CheckedFindings extends Findings {
  readonly candidates: readonly CheckedCandidate[]
}

/** By reason: numbers of sessions that are not good, or that are the incident. */
type Unused = ReadonlyMap<string, number>

async function addGood(
  search: Prevent,
  io: Io,
  { folder, incident }: { readonly folder: string; readonly incident: readonly SessionEvent[] },
): Promise<Unused> {
  const unused = new Map<string, number>()
  for (const file of listLogs(folder)) {
    for (const events of await readSessions(io, file)) {
      const isIncident = events[0]?.session === incident[0]?.session
      const unfit = isIncident ? 'is the incident' : findUnfit(events)
      if (unfit === null) search.addGood(events)
      else unused.set(unfit, (unused.get(unfit) ?? 0) + 1)
    }
  }
  return unused
}

function listLines(findings: CheckedFindings, unused: Unused): readonly string[] {
  const { candidates, nearMisses, used, isCut } = findings
  const none = describeNoAnswer(findings)
  const leftOut = [...unused].map(([why, count]) => `${count} ${why}`)
  return [
    ...(none === null ? [] : [none]),
    ...candidates.flatMap((candidate, i) => [
      `${i + 1}. ${candidate.sentence}.`,
      `   ${describeEvidence(candidate)}`,
      ...candidate.faults.map((fault) => `   Caution: ${fault}`),
    ]),
    ...(nearMisses.length === 0 ? [] : ['Near misses:']),
    ...nearMisses.flatMap((candidate) => [
      `   ${candidate.sentence}.`,
      `   ${describeEvidence(candidate)} ${candidate.denied.join(', ')}`,
    ]),
    `Compared with ${plural(used.sessions, 'good session')}.`,
    ...(leftOut.length === 0 ? [] : [`Not used: ${leftOut.join(', ')}.`]),
    ...(used.sessionsLeftOut === 0
      ? []
      : [`Left out: ${plural(used.sessionsLeftOut, 'older session')}, beyond the limit.`]),
    ...(isCut ? ['The search ran out of time before it tried every change.'] : []),
  ]
}

interface Applying {
  /** Id of its session. */
  readonly incident: string
  readonly findings: Findings
  readonly take: number
  readonly ran: CompiledConfig
  readonly options: Options
}

/** The whole config decides every good session again before the file is written. */
async function applyChange(
  io: Io,
  { incident, findings, take, ran, options }: Applying,
): Promise<void> {
  const candidate = findings.candidates[take - 1]
  const { config: file } = options
  if (candidate === undefined || file === undefined)
    throw new Unusable(`There is no change ${take}. Nothing was written.`)
  const denied = await backtestAll(io, candidate, { ran, folder: options.good, incident })
  if (denied > options.maxDenied)
    throw new Unusable(
      `The whole config would refuse ${plural(denied, 'good session')}. Nothing was written.`,
    )
  const address = readSchemaAddress(await io.readText(file))
  const text = `${JSON.stringify(candidate.document, null, 2)}\n`
  fs.writeFileSync(file, address === null ? text : withSchemaAddress(text, address))
  io.err(`Change ${take} is in ${file}. Review it before you publish it.`)
}

async function backtestAll(
  io: Io,
  { document, outcome }: Candidate,
  {
    ran,
    folder,
    incident,
  }: { readonly ran: CompiledConfig; readonly folder: string; readonly incident: string },
): Promise<number> {
  const changed = compileChecked(document, ran.options)
  if (!changed.ok) throw new Unusable('The changed config is not usable. Nothing was written.')
  if (outcome === 'waits') return 0
  let denied = 0
  for (const file of listLogs(folder)) {
    for (const events of await readSessions(io, file)) {
      if (events[0]?.session === incident || findUnfit(events) !== null) continue
      if (backtestGood(ran, changed.config, events).isDenied) denied += 1
    }
  }
  return denied
}
