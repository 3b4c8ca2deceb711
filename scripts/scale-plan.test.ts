import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './build-steps.mjs'
import { pages } from './scale-plan.mjs'

test('the tables of docs/operations/scale.md are those that npm run scale-plan -- --write writes', () => {
  const { written, wanted } = pages()
  expect(written).toBe(wanted)
})

test('an input of the command changes what depends on it', () => {
  const script = path.join(ROOT, 'scripts/scale-plan.mjs')
  const run = (...given: readonly string[]): string =>
    execFileSync(process.execPath, [script, '--events', '1000000000', ...given], {
      encoding: 'utf8',
    })
  expect(run()).toContain('| disk of one server, 30 days | 21 TB |')
  expect(run('--retentionDays', '3')).toContain('| disk of one server, 3 days | 2.1 TB |')
  expect(run('--peakFactor', '8')).toContain('12,000, 93,000')
  expect(() => run('--peakFactor', 'high')).toThrow(/--peakFactor must be a number above 0/)
})
