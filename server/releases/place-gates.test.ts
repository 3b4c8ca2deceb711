import { describe, expect, test } from 'vitest'
import { archivedGates, contentGates, demandGates, refusalBy, unreadGate } from './place-gates.ts'
import type { Gate, ReleaseAnswers } from './release-input.ts'

const LIVE = { number: 4, digest: 'sha256:live', baseVersionId: null }
const DEV = { environment: { name: 'dev' }, live: LIVE }
const MINE = { digest: 'sha256:mine', base: null, draft: { baseVersion: 4 } }
const BARE: ReleaseAnswers = { environment: 'production', note: null, typedName: null }
const PRODUCTION = { name: 'production', requiresNote: true, requiresTypedName: true }
const NEEDS_APPROVAL: Gate = {
  id: 'approvals',
  state: 'missing',
  sentence: '0 of 1 approval given',
  question: null,
}
const ASKS: Gate = {
  id: 'runtimes',
  state: 'ask',
  sentence: 'worker-2 does not know checker “plan”',
  question: 'Publish to 3 of 4',
}
const OPEN: Gate = {
  id: 'backtest',
  state: 'open',
  sentence: 'No backtest was run',
  question: null,
}

describe('a draft', () => {
  const reason = (
    place: typeof DEV | { environment: { name: string }; live: null },
    base: number | null,
  ) =>
    refusalBy(contentGates(place, { ...MINE, draft: { baseVersion: base } }, 'publish'), BARE)
      ?.reason
  test.each([
    ['made from the live version passes', DEV, 4, undefined],
    ['made from a newer version than the target runs passes', DEV, 9, undefined],
    ['made from an older version is behind', DEV, 3, 'behind'],
    ['made from no version is behind', DEV, null, 'behind'],
    ['passes where nothing is live yet', { ...DEV, live: null }, null, undefined],
  ])('is checked against the live version: %s', (...[, place, base, expected]) => {
    expect(reason(place, base)).toBe(expected)
  })

  test('a draft with the content of the live version is refused as unchanged', () => {
    const gates = contentGates(DEV, { ...MINE, digest: LIVE.digest }, 'publish')
    expect(refusalBy(gates, BARE)).toMatchObject({
      reason: 'unchanged',
      message: 'dev runs exactly this content already, as v4. There is nothing to publish.',
    })
  })

  test('that is behind is refused with the next step', () => {
    const gates = contentGates(DEV, { ...MINE, draft: { baseVersion: 3 } }, 'publish')
    expect(refusalBy(gates, BARE)?.message).toBe(
      'dev runs v4, and this draft was made from v3. Review the difference and update the draft first.',
    )
  })

  test('that could not be read is refused with that reason', () => {
    const message = 'The draft has 2 problems, so it cannot be published.'
    const gate = unreadGate({ ok: false, reason: 'problems', message, problems: [] })
    expect(refusalBy([gate], BARE)).toMatchObject({ reason: 'problems', message })
  })
})

test('a version that is already live is refused as unchanged, and its base is not checked', () => {
  const version = { digest: LIVE.digest, base: null, draft: null }
  expect(refusalBy(contentGates(DEV, version, 'promote'), BARE)?.message).toBe(
    'dev runs v4 already, with exactly this content.',
  )
  expect(contentGates(DEV, { ...version, digest: 'sha256:other' }, 'rollback')).toEqual([])
})

test('an archived config cannot be released', () => {
  expect(archivedGates({ config: { archivedAt: null } })).toEqual([])
  expect(refusalBy(archivedGates({ config: { archivedAt: 1 } }), BARE)?.reason).toBe('archived')
})

describe('the requirements of an environment', () => {
  test.each<[string, readonly Gate[], Partial<ReleaseAnswers>, string | undefined]>([
    ['production without note and name', demandGates(PRODUCTION), {}, 'note_required'],
    ['blank words are no note', demandGates(PRODUCTION), { note: '  ' }, 'note_required'],
    [
      'the wrong case is not the name',
      demandGates(PRODUCTION),
      { note: 'why', typedName: 'Production' },
      'name_required',
    ],
    [
      'production with note and name',
      demandGates(PRODUCTION),
      { note: 'why', typedName: 'production' },
      undefined,
    ],
    [
      'neither note nor name where neither is required',
      demandGates({ ...PRODUCTION, requiresNote: false, requiresTypedName: false }),
      {},
      undefined,
    ],
    ['an approval is missing', [OPEN, NEEDS_APPROVAL], {}, 'approvals'],
    ['a runtime lacks a type', [ASKS], {}, 'runtimes'],
    ['a runtime lacks a type, acknowledged', [ASKS], { acknowledged: ['runtimes'] }, undefined],
    [
      'an acknowledged runtime is no approval',
      [ASKS, NEEDS_APPROVAL],
      { acknowledged: ['runtimes'] },
      'approvals',
    ],
  ])('refuse or allow a release: %s', (...[, gates, answers, expected]) => {
    expect(refusalBy(gates, { ...BARE, ...answers })?.reason).toBe(expected)
  })
})
