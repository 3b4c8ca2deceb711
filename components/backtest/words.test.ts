import { describe, expect, test } from 'vitest'
import { fidelityText } from './words.ts'

describe('how far a rule can be relied on', () => {
  const unreplayedRules = [
    { rule: 'order', fidelity: 'approximate', reason: 'files_not_recorded', sessions: 2 },
    { rule: 'order', fidelity: 'cannot_replay', reason: 'files_not_recorded', sessions: 1 },
    { rule: 'order', fidelity: 'cannot_replay', reason: 'answers_not_recorded', sessions: 3 },
    { rule: 'late', fidelity: 'approximate', reason: 'after_divergence', sessions: 28 },
  ] as const

  test('is exact where no session says otherwise', () => {
    expect(fidelityText({ unreplayedRules }, 'rate')).toBe('exact')
    expect(fidelityText({ unreplayedRules }, 'late')).toBe('exact')
  })

  test('says in how many sessions it is a guess, and in how many nothing is known', () => {
    expect(fidelityText({ unreplayedRules }, 'order')).toBe(
      'approximate in 2 sessions · cannot be replayed in 4 sessions',
    )
  })
})
