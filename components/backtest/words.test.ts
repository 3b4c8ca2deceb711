import { describe, expect, test } from 'vitest'
import { fidelityText } from './words.ts'

describe('how far a rule can be relied on', () => {
  const unreplayedRules = [
    { rule: 'order', fidelity: 'approximate', sessions: 2 },
    { rule: 'order', fidelity: 'cannot_replay', sessions: 1 },
    { rule: 'order', fidelity: 'cannot_replay', sessions: 3 },
  ] as const

  test('is exact where no session says otherwise', () => {
    expect(fidelityText({ unreplayedRules }, 'rate')).toBe('exact')
  })

  test('says in how many sessions it is a guess, and in how many nothing is known', () => {
    expect(fidelityText({ unreplayedRules }, 'order')).toBe(
      'approximate in 2 sessions · cannot be replayed in 4 sessions',
    )
  })
})
