import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails } from '@signalbox/runtime'
import type { HarnessProfile } from '@signalbox/runtime/harness'
import { HarnessSession } from '@signalbox/runtime/harness'
import type { CompatOutcome, CompatRun, ModelTurn } from '@signalbox/testkit'
import { findFailureFile } from './check-command.ts'
import { orderGiver } from './give-orders.ts'

export const BENCH_TOOLS = {
  write: 'write_file',
  read: 'read_file',
  check: 'run_check',
  plan: 'update_plan',
} as const

export interface Bench {
  readonly session: HarnessSession
  readonly write: (file: string, content: string) => Promise<string>
  readonly read: (file: string) => Promise<string>
  /** Rejects if the script requires a failure. */
  readonly check: (how: string) => Promise<string>
}

export interface BenchCall {
  readonly id: string
  readonly tool: string
  readonly input: { readonly [key: string]: unknown }
}

export interface BenchTurn {
  readonly calls: readonly BenchCall[]
  readonly text: string | null
  readonly output: { readonly [field: string]: unknown } | null
}

export interface Driven {
  readonly requests: readonly string[]
  readonly output: unknown
}

/** After the script the model always answers that it is done. */
export function turnAt(script: readonly ModelTurn[], index: number): BenchTurn {
  const turn: ModelTurn = script[index] ?? { say: 'Done.' }
  if ('say' in turn) return { calls: [], text: turn.say, output: null }
  if ('output' in turn) return { calls: [], text: null, output: turn.output }
  return {
    text: null,
    output: null,
    calls: turn.calls.map((call, at) => ({ id: `call_${index}_${at}`, ...toBenchCall(call) })),
  }
}

export function givesOutput({ script }: CompatRun): boolean {
  return script.some((turn) => 'output' in turn)
}

/** Runs one script; a run that rejects ends its session as failed, and gives no output. */
export async function onBench(
  run: CompatRun,
  profile: HarnessProfile,
  drive: (bench: Bench) => Promise<Driven>,
): Promise<CompatOutcome> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'signalbox-bench-'))
  const at = (file: string) => path.join(folder, file)
  for (const [file, content] of Object.entries(run.files ?? {}))
    await fs.writeFile(at(file), content)
  const lines: string[] = []
  const session = openBenchSession(run, { profile, folder, lines })
  const driven = await drive({
    session,
    write: async (file, content) => {
      await fs.writeFile(at(file), content)
      return 'Written.'
    },
    read: (file) => fs.readFile(at(file), 'utf8'),
    check: async (how) => {
      if (how === 'passes') return 'The check passed.'
      const file = findFailureFile(how)
      throw new Error(
        file === undefined ? 'The check failed.' : await fs.readFile(at(file), 'utf8'),
      )
    },
  })
  await session.end({ reason: 'completed', output: driven.output })
  const names = await fs.readdir(folder)
  const files = await Promise.all(
    names.map(async (name) => [name, await fs.readFile(at(name), 'utf8')] as const),
  )
  await fs.rm(folder, { recursive: true })
  const events = lines.map((line) => JSON.parse(line))
  return { ...driven, files: Object.fromEntries(files), events }
}

function openBenchSession(
  { config, guard, deadlineInMs, budget, orders }: CompatRun,
  place: {
    readonly profile: HarnessProfile
    readonly folder: string
    readonly lines: string[]
  },
): HarnessSession {
  const giver = orderGiver(orders)
  const stuck = [{ id: 'stuck', type: 'never_answers' }]
  const guardrails = createGuardrails({
    config:
      guard === 'hangs' ? { ...config, policies: [...(config.policies ?? []), ...stuck] } : config,
    custom: { policies: { never_answers: { answer: () => new Promise(() => undefined) } } },
    answerTimeoutMs: guard === 'hangs' ? 20 : 10_000,
    onEvent: (line) => {
      place.lines.push(line)
      giver.onEvent(line)
    },
  })
  const session = HarnessSession.open(giver.follow(guardrails), place.profile, {
    workspaceRoot: place.folder,
    ...(deadlineInMs === undefined ? {} : { deadlineAt: Date.now() + deadlineInMs }),
    ...(budget === undefined ? {} : { budget }),
  })
  if (guard === 'crashes') {
    session.session.beforeToolCall = () => Promise.reject(new Error('the guard is broken'))
  }
  return session
}

type ScriptedCall = Extract<ModelTurn, { readonly calls: unknown }>['calls'][number]

function toBenchCall(call: ScriptedCall): Omit<BenchCall, 'id'> {
  if ('write' in call) {
    return { tool: BENCH_TOOLS.write, input: { file_path: call.write, content: call.content } }
  }
  if ('read' in call) return { tool: BENCH_TOOLS.read, input: { file_path: call.read } }
  if ('check' in call) return { tool: BENCH_TOOLS.check, input: { how: call.check } }
  const steps = call.plan.map(({ title, done }) => ({ title, status: done ? 'done' : 'pending' }))
  return { tool: BENCH_TOOLS.plan, input: { steps } }
}
