// A named rule describes each intended difference from the Python reference, and each rule is needed: without it some line fails.
import fs from 'node:fs'
import path from 'node:path'
import { differences } from '@signalbox/testkit'
import { describe, expect, it } from 'vitest'
import type { DifferenceRule } from './test/reference/difference-rule.ts'
import { DIFFERENCES_OF_AGENTS } from './test/reference/differences-of-agents.ts'
import { DIFFERENCES_OF_VALUES } from './test/reference/differences-of-values.ts'
import { type ReferenceLine, readReference } from './test/reference/reference-line.ts'
import { runLine } from './test/reference/run-line.ts'

const FOLDER = path.join(import.meta.dirname, '../../../specs/vectors/reference')
const RULES = [...DIFFERENCES_OF_AGENTS, ...DIFFERENCES_OF_VALUES]
const lines = readReference(path.join(FOLDER, 'reference.jsonl'))

async function findDifferences(
  line: ReferenceLine,
  rules: readonly DifferenceRule[],
): Promise<readonly string[]> {
  const restated = rules.reduce((before, rule) => rule.restate(before), line)
  return differences(restated.answers, await runLine(restated))
}

describe('a behavior of the reference', () => {
  it.each(lines)('$id: $description', async (line) => {
    expect(await findDifferences(line, RULES)).toEqual([])
  })
})

describe('a difference from the reference', () => {
  it.each(RULES)('the difference "$name" still exists', async (rule) => {
    const others = RULES.filter((other) => other !== rule)
    const failing: string[] = []
    for (const line of lines) {
      if ((await findDifferences(line, others)).length > 0) failing.push(line.id)
    }
    expect(failing).not.toEqual([])
  })

  it('a difference from the reference is described in specs/vectors/reference/README.md with its sentence', () => {
    const text = fs.readFileSync(path.join(FOLDER, 'README.md'), 'utf8')
    const rows = text.split('\n').filter((row) => row.startsWith('| `'))
    expect(rows).toEqual(RULES.map(({ name, sentence }) => `| \`${name}\` | ${sentence} |`))
  })
})
