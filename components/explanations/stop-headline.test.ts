import { expect, test } from 'vitest'
import { stopHeadline } from './stop-headline.ts'

test('the headline of a stop with an error says once that a check could not be evaluated', () => {
  const headline = (reason: string) =>
    stopHeadline({ verdict: 'error', code: 'any', reason }).sentence
  expect(headline('The judge gave no usable answer')).toBe(
    'A check could not be evaluated: The judge gave no usable answer',
  )
  const condition = 'The condition of rule enough could not be evaluated'
  expect(headline(condition)).toBe(condition)
})
