import { percentText } from '@signalbox/core/analysis'
import { expect, test } from 'vitest'
import { meanText } from '@/components/releases/verdict-words.ts'
import { differenceText } from './difference-text.ts'

const MEAN = { text: meanText, round: (mean: number) => Number(meanText(mean)) }
const PERCENT = {
  text: (share: number | null) => percentText((share ?? 0) * 100),
  round: (share: number) => Number.parseFloat(percentText(share * 100)) / 100,
}

test.each([
  ['0.31', 0.306, 0.294, '0.29', '−0.02'],
  ['0.29', 0.294, 0.286, '0.29', '0'],
  ['1.5', 1.52, 2.06, '2.1', '+0.60'],
])('the difference of a mean shown as %s and another agrees with both', (...row) => {
  const [shownBase, base, candidate, shownCandidate, difference] = row
  expect([meanText(base), meanText(candidate)]).toEqual([shownBase, shownCandidate])
  expect(differenceText(base, candidate, MEAN)).toBe(difference)
})

test('the difference of two shares is in points and agrees with the shown percentages', () => {
  expect(differenceText(0.114, 0.146, PERCENT)).toBe('+4.0 points')
  expect(differenceText(null, 0.146, PERCENT)).toBe('–')
})
