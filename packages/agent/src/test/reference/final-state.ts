import { compileConfig, initialState, type SessionEvent } from '@signalbox/core'
import { stateAt } from '@signalbox/core/analysis'
import { snapshotState } from '@signalbox/core/snapshot'
import type { PromptSession, Workspace } from '../../index.ts'
import { FeedbackHistory, Plan, ToolInvoked } from '../../index.ts'
import type { Answers, ReferenceLine } from './reference-line.ts'

interface Ended {
  readonly line: ReferenceLine
  readonly run: PromptSession
  readonly workspace: Workspace | null
  readonly lines: readonly string[]
}

type FinalState = NonNullable<Answers['final_state']>

export async function finalState({ line, run, workspace, lines }: Ended): Promise<FinalState> {
  const { session } = run
  const memory = remembered(run, lines)
  const policy = policyState(line, memory)
  return {
    policy_state: policy,
    policy_state_count: policy === null ? 0 : 1,
    fired_filenames: firedFiles(line, memory),
    feedback: session
      .slice(FeedbackHistory)
      .all()
      .map((record) => ({
        provider_name: record.providerName,
        summary: record.summary,
        severity: record.severity,
        call_index: record.callIndex,
        prompt_name: record.promptName,
        timestamp: new Date(record.at).toISOString().replace('.000Z', '+00:00'),
      })),
    tool_invoked: session
      .slice(ToolInvoked)
      .all()
      .map(({ tool, promptName, outcome, message }) => ({
        name: tool,
        prompt_name: promptName,
        success: outcome === 'success',
        rendered_output: message,
      })),
    notes: [],
    plan: session.slice(Plan).latest() === null ? null : { steps: [] },
    files: (await workspace?.list())?.map(({ path }) => path) ?? [],
  }
}

interface Memory {
  readonly events: readonly SessionEvent[]
  readonly state: ReturnType<typeof snapshotState>
}

function remembered(run: PromptSession, lines: readonly string[]): Memory {
  const template = run.prompt.template
  const customTypes = 'any'
  const compiled = compileConfig(template.document(), { customTypes })
  if (!compiled.ok) throw new Error('the prompt ran, so its document compiles')
  const { config } = compiled
  // The recorder wrote these lines, and writes only valid events.
  const events = lines.map((text) => JSON.parse(text) as SessionEvent)
  const from = initialState(config.promptName)
  return { events, state: snapshotState(stateAt(config, events, { seq: events.length, from })) }
}

function policyState(line: ReferenceLine, { events, state }: Memory): FinalState['policy_state'] {
  const policy = line.given.prompt.policies[0]
  if (policy === undefined || policy.type === 'custom') return null
  const succeeded = Object.entries(state.tallies).flatMap(([tool, tally]) =>
    tally.successSeq === null ? [] : [tool],
  )
  const read = Object.values(state.reads).flatMap((marks) =>
    Object.entries(marks).map(([path, { seq }]) => [toolAt(events, seq), path]),
  )
  const isSequential = policy.type === 'sequential_dependency'
  if (isSequential ? succeeded.length === 0 : read.length === 0) return null
  return {
    policy_name: policy.type,
    invoked_tools: isSequential ? succeeded : [],
    invoked_keys: isSequential ? [] : read,
  }
}

function toolAt(events: readonly SessionEvent[], seq: number): string {
  const event = events.find((candidate) => candidate.seq === seq)
  return event?.type === 'tool.invoked' ? event.data.tool : ''
}

function firedFiles(line: ReferenceLine, { state }: Memory): string[] {
  const names = line.given.prompt.feedback_providers.flatMap(
    ({ trigger }) => trigger.on_file_created ?? [],
  )
  return names.slice(0, Object.keys(state.fired_files).length)
}
