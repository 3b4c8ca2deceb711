import { type ConfigDocument, omitUndefined, type SessionEvent } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import { type ApprovalAnswer, type ApprovalSource, createGuardrails } from '../index.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'approvals',
  policies: [
    { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 },
    { id: 'order', type: 'sequential_dependency', dependencies: { publish: ['test'] } },
  ],
}

function person() {
  const waiting: ((answer: ApprovalAnswer) => void)[] = []
  const asked: unknown[] = []
  const arrived: (() => void)[] = []
  const source: ApprovalSource = {
    decide: (call) => {
      asked.push({ tool: call.tool, args: call.args, rules: call.rules })
      for (const told of arrived.splice(0)) told()
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
  const wasAsked = () =>
    asked.length > 0 ? Promise.resolve() : new Promise<void>((done) => arrived.push(done))
  return { source, asked, wasAsked, answer: (given: ApprovalAnswer) => waiting.shift()?.(given) }
}

function opened(approvals?: ApprovalSource, now?: () => number) {
  const lines: string[] = []
  const session = createGuardrails({
    config: CONFIG,
    onEvent: (line) => void lines.push(line),
    ...omitUndefined({ approvals, now }),
  }).openSession()
  const events = () => lines.map((line): SessionEvent => JSON.parse(line))
  return { session, events, types: () => events().map(({ type }) => type) }
}

const deploy = { tool: 'deploy', args: { token: 'x' }, callId: 'a' }

describe('a call that needs approval', () => {
  test('waits for its approval while other calls continue, and is then allowed', async () => {
    const { source, asked, wasAsked, answer } = person()
    const { session, types } = opened(source)
    const verdict = session.beforeToolCall(deploy)
    await wasAsked()
    expect(asked).toEqual([
      { tool: 'deploy', args: { token: { $redacted: 'builtin.secrets' } }, rules: ['ask'] },
    ])
    const other = await session.beforeToolCall({ tool: 'lint', args: {}, callId: 'b' })
    expect(other.allowed).toBe(true)
    answer({ decision: 'approved', by: 'ann' })
    expect(await verdict).toMatchObject({
      allowed: true,
      decision: { rules: [{ code: 'approval.approved', params: { by: 'ann' } }] },
    })
    expect(types().slice(2)).toEqual([
      'tool.requested',
      'approval.requested',
      'tool.requested',
      'tool.decided',
      'approval.decided',
      'tool.decided',
    ])
  })

  test('a call that needs approval is denied with the note of the reviewer who denies it', async () => {
    const { source, wasAsked, answer } = person()
    const { session } = opened(source)
    const verdict = session.beforeToolCall(deploy)
    await wasAsked()
    answer({ decision: 'denied', by: 'ann', note: 'Not before the review.' })
    expect((await verdict).reason).toBe("Tool 'deploy' was not approved: Not before the review.")
  })

  test('a call that needs approval is denied when the approval arrives after the timeout', async () => {
    let now = 1_800_000_000_000
    const source: ApprovalSource = {
      decide: async () => {
        now += 60_001
        return { decision: 'approved', by: 'ann' }
      },
    }
    const { session } = opened(source, () => now)
    expect((await session.beforeToolCall(deploy)).reason).toBe(
      "Tool 'deploy' was not approved within 60 seconds.",
    )
  })

  test('a call that needs approval is denied immediately when there is no approval source or the source fails', async () => {
    const reason = "Tool 'deploy' needs approval, and nobody can be asked."
    expect((await opened().session.beforeToolCall(deploy)).reason).toBe(reason)
    const broken: ApprovalSource = { decide: () => Promise.reject(new Error('away')) }
    expect((await opened(broken).session.beforeToolCall(deploy)).reason).toBe(reason)
  })

  test('a call that needs approval is denied when the session ends while it waits', async () => {
    const { source, wasAsked } = person()
    const { session, types } = opened(source)
    const verdict = session.beforeToolCall(deploy)
    await wasAsked()
    await session.end({ reason: 'aborted' })
    expect(await verdict).toMatchObject({ allowed: false, reason: 'The session has ended.' })
    expect(types().at(-1)).toBe('session.ended')
  })

  test('a call that needs approval is denied without an approval request when another rule denies it', async () => {
    const { source, asked } = person()
    const config: ConfigDocument = {
      ...CONFIG,
      policies: [
        { id: 'ask', type: 'approval', tools: ['publish'], timeout_seconds: 60 },
        { id: 'order', type: 'sequential_dependency', dependencies: { publish: ['test'] } },
      ],
    }
    const session = createGuardrails({ config, approvals: source }).openSession()
    const verdict = await session.beforeToolCall({ tool: 'publish', args: {}, callId: 'a' })
    expect(verdict.reason).toBe("Tool 'publish' requires: test")
    expect(asked).toEqual([])
  })
})
