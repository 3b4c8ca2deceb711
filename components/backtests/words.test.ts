import { describe, expect, test } from 'vitest'
import { fidelityText, resultText } from './words.ts'

describe('fidelity of a rule in a backtest', () => {
  const unreplayedRules = [
    { rule: 'order', fidelity: 'approximate', reason: 'files_not_recorded', sessions: 2 },
    { rule: 'order', fidelity: 'cannot_replay', reason: 'files_not_recorded', sessions: 1 },
    { rule: 'order', fidelity: 'cannot_replay', reason: 'answers_not_recorded', sessions: 3 },
    { rule: 'late', fidelity: 'approximate', reason: 'after_divergence', sessions: 28 },
  ] as const

  test('fidelity of a rule in a backtest is exact when no session reports anything else', () => {
    expect(fidelityText({ unreplayedRules }, 'rate')).toBe('exact')
    expect(fidelityText({ unreplayedRules }, 'late')).toBe('exact')
  })

  test('states how many sessions are approximate and how many cannot be replayed', () => {
    expect(fidelityText({ unreplayedRules }, 'order')).toBe(
      'approximate in 2 sessions · cannot be replayed in 4 sessions',
    )
  })
})

describe('summary of a backtest', () => {
  const none = {
    wouldDeny: 0,
    wouldAllow: 0,
    wouldBlock: 0,
    wouldRelease: 0,
    unchanged: 0,
    cannotReplay: 0,
    lateChanged: 0,
    lateUnchanged: 0,
  }

  test('counts changed decisions by direction', () => {
    expect(resultText({ ...none, wouldDeny: 6, unchanged: 4_102 })).toBe('+6 deny in sample')
    expect(resultText({ ...none, wouldAllow: 2, wouldBlock: 1, wouldRelease: 1_200 })).toBe(
      '−2 deny, +1 block, −1,200 block in sample',
    )
  })

  test('states "no change" only for replayed decisions, and counts the others separately', () => {
    expect(resultText({ ...none, unchanged: 3 })).toBe('no change')
    expect(resultText({ ...none, unchanged: 3, lateChanged: 4, cannotReplay: 12 })).toBe(
      'no change · 4 after divergence · 12 not replayed',
    )
    expect(resultText({ ...none, cannotReplay: 1 })).toBe('nothing could be replayed')
    expect(resultText(none)).toBe('empty sample')
  })
})
