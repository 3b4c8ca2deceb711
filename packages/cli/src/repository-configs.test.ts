// lint reports nothing for the configs of this repository: advice that fits every config is useless.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { ordinaryDocument, rulesDocument } from '@/bench/base/rules.mjs'
import { run } from './index.ts'
import { recordIo } from './test/command-parts.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')

it.each<[string, () => string]>([
  [
    'the demo agent',
    () => readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
  ],
  [
    'coding agents',
    () => readFileSync(path.join(ROOT, 'examples/coding-agent/config.json'), 'utf8'),
  ],
  ['the benchmarks, rules for one call in five', () => JSON.stringify(rulesDocument())],
  ['the benchmarks, rules for every call', () => JSON.stringify(rulesDocument({ all: true }))],
  ['the benchmarks, an ordinary agent', () => JSON.stringify(ordinaryDocument())],
])('lint reports no problem in the config of %s', async (_, text) => {
  const { io, out } = recordIo({ readText: async () => text() })
  expect(await run(['lint', 'config.json'], { ...io, err: io.out })).toBe(0)
  expect(out).toEqual(['config.json: no problems'])
})
