// lint reports nothing for the configs of this repository: advice that fits every config is useless.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { ordinaryDocument, rulesDocument } from '@/bench/rules.mjs'
import { type Io, run } from './index.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')

it.each<[string, () => string]>([
  [
    'the demo agent',
    () => readFileSync(path.join(ROOT, 'examples/demo-agent/config.json'), 'utf8'),
  ],
  [
    'coding agents',
    () => readFileSync(path.join(ROOT, 'examples/coding-agent/config.json'), 'utf8'),
  ],
  ['the benchmarks, rules for one call in five', () => JSON.stringify(rulesDocument())],
  ['the benchmarks, rules for every call', () => JSON.stringify(rulesDocument({ all: true }))],
  ['the benchmarks, an ordinary agent', () => JSON.stringify(ordinaryDocument())],
])('lint reports no problem in the config of %s', async (_, text) => {
  const out: string[] = []
  const io: Io = {
    out: (line) => out.push(line),
    err: (line) => out.push(line),
    readText: async () => text(),
    readLines: async function* () {},
  }
  expect(await run(['lint', 'config.json'], io)).toBe(0)
  expect(out).toEqual(['config.json: no problems'])
})
