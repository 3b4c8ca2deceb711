import assert from 'node:assert/strict'
import type { ConfigDocument, EventOf, EventType, SessionEvent } from '@signalbox/core'
import type { CompatHarness, CompatOutcome, CompatTools, ModelTurn } from './compat-harness.ts'

export interface Scenario {
  readonly title: string
  /** Reason why this harness cannot run the scenario; null: it can. */
  readonly skip: (harness: CompatHarness) => string | null
  /** Throws an AssertionError when the behavior does not hold. */
  readonly prove: (harness: CompatHarness) => Promise<void>
}

export const always = (): null => null

type Rules = Omit<ConfigDocument, 'schema_version' | 'ns' | 'key'>

export function createCompatConfig(rules: Rules): ConfigDocument {
  return { schema_version: 1, ns: 'compat', key: 'kit', ...rules }
}

export function checkFirst({ write, check }: CompatTools): Rules {
  return {
    policies: [
      { id: 'check-first', type: 'sequential_dependency', dependencies: { [write]: [check] } },
    ],
  }
}

export function needsFile(...files: readonly string[]): Rules {
  return { task_completion_checker: { id: 'results', type: 'files_exist', files } }
}

export const write = (path: string, content = 'written by the agent\n'): ModelTurn => ({
  calls: [{ write: path, content }],
})
export const check = (how: 'passes' | 'fails' = 'passes'): ModelTurn => ({
  calls: [{ check: how }],
})
export const say = (text = 'I am done.'): ModelTurn => ({ say: text })

export function selectEvents<Type extends EventType>(
  { events }: CompatOutcome,
  type: Type,
): readonly EventOf<Type>[] {
  // The type of an event determines its data.
  return events.filter((event): event is SessionEvent & EventOf<Type> => event.type === type)
}

function laterRequests({ requests }: CompatOutcome): string {
  return requests.slice(1).join('\n')
}

export function assertReceived(outcome: CompatOutcome, text: string): void {
  const received = laterRequests(outcome)
  assert.ok(
    received.includes(text),
    `The model did not receive "${text}". It received: ${received.slice(-2000)}`,
  )
}

export function assertWritten({ files }: CompatOutcome, path: string): void {
  assert.ok(
    path in files,
    `${path} was not written; existing files: ${Object.keys(files).join(', ')}`,
  )
}

export function assertNotWritten({ files }: CompatOutcome, path: string): void {
  assert.ok(!(path in files), `${path} was written, but the call should have been refused`)
}

export function assertNothingEscaped(outcome: CompatOutcome): void {
  const decided = new Map(
    selectEvents(outcome, 'tool.decided').map(({ data }) => [data.call_id, data.decision]),
  )
  for (const { data } of selectEvents(outcome, 'tool.invoked')) {
    if (data.outcome === 'denied' || data.outcome === 'invalid') continue
    assert.equal(
      decided.get(data.call_id),
      'allowed',
      `${data.tool} ran without an allowed request`,
    )
  }
}

export function verdicts(outcome: CompatOutcome): readonly string[] {
  return selectEvents(outcome, 'stop.decided').map(({ data }) =>
    data.bypass === undefined ? data.verdict : `${data.verdict}(${data.bypass})`,
  )
}
