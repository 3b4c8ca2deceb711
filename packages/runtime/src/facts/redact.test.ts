import { celExpressions } from '@signalbox/core/expression'
import { expect, test } from 'vitest'
import { createGuardrails } from '../index.ts'
import { redactor } from './redact.ts'

const redact = redactor([], [])
const many = Array.from({ length: 2001 }, (_, i) => i)

test('redaction ends a truncated list with a mark of its original length', () => {
  const kept = redact({ files: many })
  expect(kept).toMatchObject({ files: { length: 2001, 2000: { $truncated: { entries: 2001 } } } })
  expect(redact({ files: many.slice(1) })).toEqual({ files: many.slice(1) })
})

test('redaction adds a mark of the original size to a truncated object', () => {
  const object = Object.fromEntries(many.map((i) => [`k${i}`, i]))
  expect(redact([object])).toMatchObject([{ k0: 0, $truncated: { entries: 2001 } }])
})

test('a condition over a truncated list is an error, which denies the call', async () => {
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
