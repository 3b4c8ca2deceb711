// signalbox learn: rules that recorded sessions have in common (specs/learn.md).
import { type CompiledConfig, compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import {
  chooseTools,
  isImplied,
  type LearnCounts,
  openLearner,
  openProposalTests,
  openTogetherTest,
  type Proposal,
  propose,
  type TestedProposal,
  type TogetherResult,
  YOUNG_DAYS,
} from '@signalbox/core/learn'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { readConfigFile } from '../base/config-file.ts'
import { EXIT, formatExitCodes, type Io, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import type { LearnedRules } from './learned-rules.ts'
import { describeReport, toPatch } from './report.ts'
import {
  findPrompt,
  type Labels,
  type Log,
  labelSession,
  listLogFiles,
  SessionLogs,
  type Unused,
} from './session-logs.ts'

interface Options {
  readonly config?: string
  readonly ns?: string
  readonly key?: string
  readonly since?: number
  readonly min: number
  readonly good?: readonly string[]
  readonly bad?: readonly string[]
  readonly irreversible?: readonly string[]
  readonly habits: boolean
  readonly format: 'text' | 'json' | 'patch'
}

const FORMATS = ['text', 'json', 'patch'] as const
/** Time for the questions about what the config already says, and for those about traps. */
const PROOF_MS = 5000

export function addLearn(program: Command, { io, around, done }: CommandContext): void {
  program
    .command('learn')
    .description('Propose rules that good recorded sessions have in common')
    .argument('<logs...>', 'Log files in JSON Lines, or folders of .jsonl files')
    .option('--config <file>', 'Config of the sessions; what it already says is not proposed')
    .option('--ns <ns>', 'First part of the prompt, without --config')
    .option('--key <key>', 'Second part of the prompt, without --config')
    .option(
      '--since <duration>',
      'Only sessions that started in this time, such as 30d',
      parseSince,
    )
    .option('--min <sessions>', 'Good sessions that a rule needs, at least', parseMin, 20)
    .option('--good <sessions...>', 'Ids of good sessions, or log files of them')
    .option('--bad <sessions...>', 'Ids of bad sessions, or log files of them')
    .option('--irreversible <tools...>', 'Tools whose calls cannot be undone')
    .option('--habits', 'Put habits into the patch, too', false)
    .addOption(new Option('--format <format>', 'Output').choices(FORMATS).default('text'))
    .addHelpText(
      'after',
      formatExitCodes('Nothing is proposed', 'Rules are proposed', 'Unusable input'),
    )
    .action(async (logs: readonly string[], options: Options) => {
      const learned = await learn(io, around.cwd, { logs, options })
      print(io, learned, options)
      done(learned.kept.length > 0 ? EXIT.findings : EXIT.clean)
    })
}

const UNITS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const

function parseSince(word: string): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(word) ?? []
  if (unit === 'h' || unit === 'd' || unit === 'w') return Number(count) * UNITS[unit]
  throw new InvalidArgumentError('Use a number of hours, days or weeks, such as 36h, 30d or 4w.')
}

function parseMin(word: string): number {
  const sessions = Number(word)
  if (Number.isInteger(sessions) && sessions >= 5) return sessions
  throw new InvalidArgumentError('Use a whole number from 5.')
}

interface Task {
  readonly logs: readonly string[]
  readonly options: Options
}

async function learn(io: Io, cwd: string, { logs, options }: Task): Promise<LearnedRules> {
  const named = await listLogFiles(cwd, logs)
  const good = await readLabels(io, cwd, options.good)
  const bad = await readLabels(io, cwd, options.bad)
  const labeled = [...(good?.files ?? []), ...(bad?.files ?? [])]
  const source = new SessionLogs(io, [...new Set([...named, ...labeled])])
  const config = options.config === undefined ? null : await readConfigFile(io, options.config)
  const document = config?.compiledFor('any').document ?? null
  const prompt = document === null ? await choosePrompt(source, options) : toPrompt(document)
  const present = config?.compiledFor('any') ?? compileEmpty(prompt)
  const labels: Labels = {
    good: good?.sessions ?? null,
    bad: bad?.sessions ?? new Set(),
    since: options.since === undefined ? null : Date.now() - options.since,
    prompt,
  }
  const sample = await count(source, labels, present)
  const { min: minSessions, irreversible = [] } = options
  const { youngTools } = sample
  const proposals = propose(sample, present.document, { minSessions, irreversible, youngTools })
  const end = performance.now() + PROOF_MS
  const isAborted = () => performance.now() > end
  const fresh = proposals.filter((one) => !isImplied(present, one, { isAborted }))
  const tested = await test(source, labels, { present, proposals: fresh })
  const kept = tested.filter(({ isKept }) => isKept)
  return {
    prompt,
    present,
    good: sample.good.sessions,
    bad: sample.bad.sessions,
    min: options.min,
    unused: sample.unused,
    kept,
    refused: tested.filter(({ isKept }) => !isKept),
    together: kept.length === 0 ? null : await testTogether(source, labels, { present, kept }),
    skipped: sample.good.groups.get('skipped') ?? new Map(),
  }
}

function toPrompt({ ns, key }: { readonly ns: string; readonly key: string }): string {
  return `${ns}/${key}`
}

const expressions = celExpressions()

function compileEmpty(prompt: string): CompiledConfig {
  const [ns = '', key = ''] = prompt.split('/')
  const result = compileConfig({ schema_version: 1, ns, key }, { expressions, customTypes: 'any' })
  if (!result.ok) throw new Unusable(`${prompt} is no name of a prompt.`)
  return result.config
}

async function choosePrompt(source: SessionLogs, { ns, key }: Options): Promise<string> {
  if (ns !== undefined && key !== undefined) return `${ns}/${key}`
  const prompts = new Set<string>()
  for await (const log of source.read()) {
    const prompt = findPrompt(log)
    if (prompt !== null) prompts.add(prompt)
  }
  const [only, ...others] = [...prompts].filter(
    (prompt) =>
      (ns === undefined || prompt.startsWith(`${ns}/`)) &&
      (key === undefined || prompt.endsWith(`/${key}`)),
  )
  if (only === undefined)
    throw new Unusable('The logs contain no session of this prompt. Check --ns and --key.')
  if (others.length > 0)
    throw new Unusable(
      `The logs are of several prompts: ${[only, ...others].join(', ')}. Name one with --ns and --key, or give its config.`,
    )
  return only
}

interface LabeledSessions {
  readonly sessions: ReadonlySet<string>
  readonly files: readonly string[]
}

/** null: no label was given. */
async function readLabels(
  io: Io,
  cwd: string,
  words: readonly string[] | undefined,
): Promise<LabeledSessions | null> {
  if (words === undefined) return null
  const ids = words.filter((word) => word.startsWith('sess_'))
  const files = await listLogFiles(
    cwd,
    words.filter((word) => !word.startsWith('sess_')),
  )
  const sessions = new Set(ids)
  for await (const log of new SessionLogs(io, files).read())
    for (const { session } of log.slice(0, 1)) sessions.add(session)
  return { sessions, files }
}

interface Sample {
  readonly good: LearnCounts
  readonly bad: LearnCounts
  readonly unused: ReadonlyMap<Unused, number>
  readonly youngTools: readonly string[]
}

async function count(
  source: SessionLogs,
  labels: Labels,
  present: CompiledConfig,
): Promise<Sample> {
  const unused = new Map<Unused, number>()
  const calls = new Map<string, number>()
  const firstAt = new Map<string, number>()
  for await (const log of source.read()) {
    const label = labelSession(log, labels)
    if (label !== 'other_prompt') noteFirstCalls(log, present, firstAt)
    if (label === 'good' || label === 'bad') countTools(log, present, calls)
    else unused.set(label, (unused.get(label) ?? 0) + 1)
  }
  const tools = chooseTools(calls)
  const learners = {
    good: openLearner({ tools, config: present.document }),
    bad: openLearner({ tools, config: present.document }),
  }
  for await (const log of source.read()) {
    const label = labelSession(log, labels)
    if (label === 'good' || label === 'bad') learners[label].add(log)
  }
  const youngSince = Date.now() - YOUNG_DAYS * UNITS.d
  const youngTools = tools.filter((tool) => (firstAt.get(tool) ?? 0) > youngSince)
  return { good: learners.good.counts(), bad: learners.bad.counts(), unused, youngTools }
}

function countTools(log: Log, present: CompiledConfig, calls: Map<string, number>): void {
  for (const { tool } of listCalls(log, present)) calls.set(tool, (calls.get(tool) ?? 0) + 1)
}

/** `firstAt`: time of the first call by tool, epoch ms. */
function noteFirstCalls(log: Log, present: CompiledConfig, firstAt: Map<string, number>): void {
  for (const { tool, at } of listCalls(log, present))
    firstAt.set(tool, Math.min(firstAt.get(tool) ?? at, at))
}

function listCalls(log: Log, { canonicalTool }: CompiledConfig) {
  return log.flatMap((event) =>
    event.type === 'tool.requested' ? [{ tool: canonicalTool(event.data.tool), at: event.at }] : [],
  )
}

async function test(
  source: SessionLogs,
  labels: Labels,
  {
    present,
    proposals,
  }: { readonly present: CompiledConfig; readonly proposals: readonly Proposal[] },
): Promise<readonly TestedProposal[]> {
  if (proposals.length === 0) return []
  const tests = openProposalTests(present, proposals)
  for await (const log of source.read()) {
    const label = labelSession(log, labels)
    if (label === 'good' || label === 'bad') tests.add(label, log)
  }
  return tests.results()
}

async function testTogether(
  source: SessionLogs,
  labels: Labels,
  { present, kept }: { readonly present: CompiledConfig; readonly kept: readonly TestedProposal[] },
): Promise<TogetherResult> {
  const end = performance.now() + PROOF_MS
  const isAborted = () => performance.now() > end
  const together = openTogetherTest(
    present,
    kept.map(({ proposal }) => proposal),
    { isAborted },
  )
  for await (const log of source.read()) if (labelSession(log, labels) === 'good') together.add(log)
  return together.result()
}

function print(io: Io, learned: LearnedRules, { format, habits }: Options): void {
  const { present, unused, skipped, ...shown } = learned
  if (format === 'json')
    io.out(
      JSON.stringify({
        ...shown,
        unused: Object.fromEntries(unused),
        skipped: Object.fromEntries(skipped),
      }),
    )
  else if (format === 'patch') io.out(JSON.stringify(toPatch(learned, habits), null, 2))
  else for (const line of describeReport(learned)) io.out(printable(line))
}
