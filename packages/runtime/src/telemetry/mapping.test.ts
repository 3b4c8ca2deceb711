import fs from 'node:fs'
import path from 'node:path'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { expect, test } from 'vitest'
import { SCHEMA_URL } from './mapping.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8')

const NAME = /'((?:gen_ai|feature_flag|error|guardrail)\.[a-z_.]+)'/g
const namesIn = (source: string) =>
  [...new Set([...source.matchAll(NAME)].flatMap(([, name = '']) => name))].sort()
const used = namesIn(read('packages/runtime/src/telemetry/mapping.ts'))

test('every emitted telemetry name is in the OpenTelemetry conventions or begins with "guardrail."', () => {
  const published = new Set<unknown>(Object.values(conventions))
  const foreign = used.filter((name) => !name.startsWith('guardrail.'))
  expect(foreign.length).toBeGreaterThan(15)
  expect(foreign.filter((name) => !published.has(name))).toEqual([])
})

test('the schema URL names the installed version of the OpenTelemetry conventions', () => {
  const manifest = read('node_modules/@opentelemetry/semantic-conventions/package.json')
  expect(SCHEMA_URL).toBe(`https://opentelemetry.io/schemas/${JSON.parse(manifest).version}`)
})

test('specs/telemetry.md lists exactly the emitted telemetry names', () => {
  const spec = read('specs/telemetry.md').replaceAll('`', "'")
  expect(namesIn(spec)).toEqual(used)
  expect(spec).toContain(SCHEMA_URL)
})

test('session-spans.ts takes every telemetry name from mapping.ts', () => {
  const source = read('packages/runtime/src/telemetry/session-spans.ts')
  expect(namesIn(source)).toEqual([])
})
