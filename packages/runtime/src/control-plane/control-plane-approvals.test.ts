import { computeDigest, derivePublicKey, signCallAnswer } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import type { PendingCall } from '../facts/approvals.ts'
import {
  type ControlPlaneApprovalsParts,
  controlPlaneApprovals,
} from './control-plane-approvals.ts'

const SEED = Buffer.alloc(32, 7).toString('base64url')
const STRANGER = Buffer.alloc(32, 8).toString('base64url')
const CALL: PendingCall = {
  session: 'sess_1',
  seq: 4,
  callId: 'a',
  tool: 'deploy',
  args: { to: 'production' },
  rules: ['ask'],
  expiresAt: 60_000,
  timeLeftMs: 60_000,
}
const ABOUT = {
  call_answer_version: 1 as const,
  session: 'sess_1',
  seq: 4,
  call_id: 'a',
  tool: 'deploy',
  input: computeDigest(CALL.args),
  decision: 'approved' as const,
  by: 'ann',
  at: 5,
}

type Plane = ControlPlaneApprovalsParts['plane']
type Told = Awaited<ReturnType<Plane['awaitAnswer']>>

const answered = (about: object, seed = SEED): Told => ({
  ok: true,
  // A forger can send any text.
  value: { state: 'answered', ...signCallAnswer({ ...ABOUT, ...about }, seed) },
})
const away: Told = { ok: false, kind: 'retry', detail: 'ECONNREFUSED', retryAfterMs: 1 }

function asked(answers: readonly Told[], call: PendingCall = CALL) {
  let now = 0
  let turn = 0
  const plane: Plane = {
    awaitAnswer: async () => {
      now += 1000
      return answers[Math.min(turn++, answers.length - 1)] ?? away
    },
  }
  const source = controlPlaneApprovals({
    plane,
    signingKeys: () => [derivePublicKey(SEED)],
    now: () => now,
  })
  return { answer: source.decide(call, new AbortController().signal), turns: () => turn }
}

describe('an approval by the control plane', () => {
  test('an approval by the control plane is received after two lost connections and a pending answer', async () => {
    const { answer } = asked([away, away, { ok: true, value: { state: 'waiting' } }, answered({})])
    expect(await answer).toEqual({ decision: 'approved', by: 'ann' })
  })

  test('includes the note of the reviewer', async () => {
    const { answer } = asked([answered({ decision: 'denied', note: 'Not now.' })])
    expect(await answer).toEqual({ decision: 'denied', by: 'ann', note: 'Not now.' })
  })

  test.each([
    ['signed by another key', answered({}, STRANGER)],
    ['about another session', answered({ session: 'sess_2' })],
    ['about an earlier call', answered({ seq: 2 })],
    ['about other arguments', answered({ input: computeDigest({ to: 'dev' }) })],
    ['about another tool', answered({ tool: 'delete' })],
  ])('is ignored when it is %s', async (_what, forged) => {
    await expect(asked([forged], { ...CALL, timeLeftMs: 3000 }).answer).rejects.toThrow(
      'not signed by a key that this runtime trusts, or is about another call',
    )
  })

  test('an approval by the control plane is unavailable, with the reason, while the control plane cannot be reached', async () => {
    const { answer, turns } = asked([away], { ...CALL, timeLeftMs: 20_000 })
    await expect(answer).rejects.toThrow('The control plane could not be reached: ECONNREFUSED')
    expect(turns()).toBe(11)
  })

  test.each([
    [
      'refuses the key',
      { ok: false, kind: 'denied', detail: '403' } as const,
      'refused the request: 403',
    ],
    [
      'has closed the request',
      { ok: true, value: { state: 'closed', detail: 'Over.' } } as const,
      'Over.',
    ],
  ])('fails immediately when the control plane %s', async (_what, told, why) => {
    await expect(asked([told]).answer).rejects.toThrow(why)
  })
})
