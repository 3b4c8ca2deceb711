import { celExpressions } from '@signalbox/core/expression'
import { expect, test } from 'vitest'
import { createGuardrails } from '../index.ts'
import { redactor } from './redact.ts'

const redact = redactor([], [])
const many = Array.from({ length: 2001 }, (_, i) => i)

test('a truncated list ends with a mark of its original length', () => {
  const kept = redact({ files: many })
  expect(kept).toMatchObject({ files: { length: 2001, 2000: { $truncated: { entries: 2001 } } } })
  expect(redact({ files: many.slice(1) })).toEqual({ files: many.slice(1) })
})

test('a truncated object has a mark', () => {
  const object = Object.fromEntries(many.map((i) => [`k${i}`, i]))
  expect(redact([object])).toMatchObject([{ k0: 0, $truncated: { entries: 2001 } }])
})

test('a condition does not treat a truncated list as complete', async () => {
  const session = createGuardrails({
    expressions: celExpressions(),
    config: {
      schema_version: 1,
      ns: 'team',
      key: 'x',
      policies: [
        { id: 'no-secrets', type: 'expression', deny_when: "args.files.exists(f, f == 'secret')" },
      ],
    },
  }).openSession()
  const files = Array.from({ length: 2001 }, (_, i) => (i === 2000 ? 'secret' : 'a'))
  const verdict = await session.beforeToolCall({ tool: 'upload', args: { files }, callId: 'a' })
  expect(verdict).toMatchObject({ allowed: false, decision: { decision: 'error' } })
})
