import type { ConfigDocument } from '@signalbox/core'
import { assertType, expectTypeOf, test } from 'vitest'
import {
  type CallVerdict,
  createGuardrails,
  type GuardedSession,
  type Guardrails,
} from './index.ts'

declare const config: ConfigDocument
declare const session: GuardedSession

test('createGuardrails requires an address, a key and a prompt for a control plane', () => {
  expectTypeOf(createGuardrails).returns.toEqualTypeOf<Guardrails>()
  createGuardrails({ url: 'http://127.0.0.1:3000', apiKey: 'sbx_', prompt: 'a/b' })
  createGuardrails({ config })
  // @ts-expect-error an API key requires an address
  assertType(createGuardrails({ apiKey: 'sbx_', prompt: 'a/b' }))
})

test('the verdict on a denied call always has a reason', () => {
  expectTypeOf(session.beforeToolCall).returns.resolves.toEqualTypeOf<CallVerdict>()
  expectTypeOf<CallVerdict['allowed']>().toEqualTypeOf<boolean>()
  expectTypeOf<CallVerdict['reason']>().toEqualTypeOf<string | null>()
  expectTypeOf<Extract<CallVerdict, { allowed: false }>['reason']>().toEqualTypeOf<string>()
})

test('afterToolCall accepts the outcome denied, for a call that something else refused', () => {
  assertType(session.afterToolCall({ tool: 'x', args: {}, outcome: 'denied' }))
})
