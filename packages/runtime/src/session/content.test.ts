import type { ConfigDocument, ContentRuleDocument, SessionEvent } from '@signalbox/core'
import { compileConfig } from '@signalbox/core'
import { verifySession } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { expect, test } from 'vitest'
import { PROFILE } from '../test/harness-profile.ts'
import { guardTools } from './guard-tools.ts'
import { createGuardrails } from './guardrails.ts'
import type { SessionOptions } from './session-options.ts'

// Put together, so that no scanner takes this file for a leak.
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
const AWS = `wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYEXAMPLEKEx'}`
const CARD = '4111 1111 1111 1111'

function open(
  content: readonly ContentRuleDocument[],
  more: Partial<ConfigDocument> = {},
  options: SessionOptions = {},
) {
  const config: ConfigDocument = { schema_version: 1, ns: 'n', key: 'k', ...more, content }
  const expressions = celExpressions()
  const lines: string[] = []
  const diagnostics: string[] = []
  const guardrails = createGuardrails({
    config,
    expressions,
    onEvent: (line) => lines.push(line),
    onDiagnostic: ({ code }) => diagnostics.push(code),
  })
  const session = guardrails.openSession(options)
  const events = () => lines.map((line) => JSON.parse(line) as SessionEvent)
  const verified = () => {
    const compiled = compileConfig(config, { expressions })
    if (!compiled.ok) throw new Error('The config compiles.')
    return verifySession(compiled.config, events())
  }
  return { session, lines, events, diagnostics, verified }
}

const secrets = { id: 'no-secrets', kind: 'secrets' } as const

test('a secret in a result is masked before the model and the log get it', async () => {
  const { session, lines, events, verified } = open([{ ...secrets, on: 'result', action: 'mask' }])
  const run = guardTools({ read: () => ({ text: `key ${TOKEN} end`, [TOKEN]: 1 }) }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer?.text).toBe('{"text":"key [secrets] end","[secrets]":1}')
  expect(lines.join('\n')).not.toContain(TOKEN)
  expect(events().find(({ type }) => type === 'tool.invoked')?.data).toMatchObject({
    outcome: 'success',
    facts: {
      content: {
        detectors: [{ name: 'secretlint', version: '11.7.1' }],
        checked: ['no-secrets'],
        found: [
          { rule: 'no-secrets', kind: 'secrets', pointer: '/text', offset: 4, length: 40 },
          { pointer: '', property: 1, offset: 0, length: 40 },
        ],
      },
    },
  })
  await session.end({ reason: 'completed', output: `done ${TOKEN}` })
  expect(lines.join('\n')).not.toContain(TOKEN)
  expect(verified()).toMatchObject({ status: 'verified' })
})

test('a secret is found by the name of its property', async () => {
  const { session } = open([{ ...secrets, on: 'result', action: 'mask' }])
  const run = guardTools({ read: () => ({ aws_secret_access_key: AWS }) }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer?.text).toBe('{"aws_secret_access_key":"[secrets]"}')
})

test('equal values have equal tags within a session, and other ones in another session', async () => {
  const tags = async () => {
    const { session, events } = open([{ ...secrets, on: 'result', action: 'mask' }])
    const run = guardTools({ read: () => `${TOKEN} ${TOKEN}` }, session)
    await run([{ name: 'read', args: {} }])
    return events().flatMap((event) =>
      event.type === 'tool.invoked'
        ? (event.data.facts?.content?.found ?? []).map(({ tag }) => tag)
        : [],
    )
  }
  const [one, other] = [await tags(), await tags()]
  expect(one).toEqual([one[0], one[0]])
  expect(other[0]).not.toBe(one[0])
})

test('a text that tells the scanner to stop does not stop it', async () => {
  const { session } = open([{ ...secrets, on: 'result', action: 'withhold' }])
  const run = guardTools({ read: () => `// secretlint-disable\n${TOKEN}` }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer).toMatchObject({ outcome: 'success', text: 'Result withheld: secrets.' })
})

test('a withheld result still satisfies a prerequisite', async () => {
  const { session } = open([{ ...secrets, on: 'result', tools: ['read'], action: 'deny' }], {
    policies: [{ id: 'first', type: 'sequential_dependency', dependencies: { write: ['read'] } }],
  })
  const run = guardTools({ read: () => TOKEN, write: () => 'ok' }, session)
  expect(await run([{ name: 'read', args: {} }])).toMatchObject([
    { text: 'Result withheld: secrets.' },
  ])
  expect(await run([{ name: 'write', args: {} }])).toMatchObject([{ text: 'ok' }])
})

test('arguments with a secret are denied, and the secret is not recorded', async () => {
  const { session, lines, verified } = open([{ ...secrets, on: 'arguments', action: 'deny' }])
  const run = guardTools({ post: () => 'sent' }, session)
  const [answer] = await run([{ name: 'post', args: { body: `x ${TOKEN}` } }])
  expect(answer).toMatchObject({ outcome: 'denied', text: 'Arguments contain secrets.' })
  expect(lines.join('\n')).not.toContain(TOKEN)
  expect(lines.join('\n')).toContain('x [secrets]')
  await session.end({ reason: 'aborted' })
  expect(verified()).toMatchObject({ status: 'verified' })
})

test('policies and the tool get masked arguments', async () => {
  const { session } = open([{ id: 'cards', kind: 'pii', on: 'arguments', action: 'mask' }], {
    policies: [{ id: 'masked', type: 'expression', require: "args.note == 'card [pii]'" }],
  })
  const run = guardTools({ post: (args) => args }, session)
  const [answer] = await run([{ name: 'post', args: { note: `card ${CARD}` } }])
  expect(answer?.text).toBe('{"note":"card [pii]"}')
})

test('a pattern is masked, and a long result is cut and says how much', async () => {
  const { session } = open([
    { id: 'ticket', kind: 'pattern', on: 'result', matches: 'T-[0-9]+', action: 'mask' },
    { id: 'long', kind: 'size', on: 'result', max_chars: 20, action: 'mask' },
  ])
  const run = guardTools({ read: () => `see T-1234 ${'x'.repeat(50)}` }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer?.text).toBe(`see [pattern] xxxxxx\n[44 characters cut]`)
})

test('a warning reaches the agent with the result, which stays as it is', async () => {
  const { session } = open([{ id: 'cards', kind: 'pii', on: 'result', action: 'warn' }])
  const run = guardTools({ read: () => CARD }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer?.text).toContain(CARD)
  expect(answer?.text).toContain('The result of this call: pii.')
})

test('the error of a failed call is inspected like a result', async () => {
  const { session, lines } = open([{ ...secrets, on: 'result', action: 'mask' }])
  const fail = () => {
    throw new Error(`refused ${TOKEN}`)
  }
  const run = guardTools({ read: fail }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer).toMatchObject({ outcome: 'failure', text: 'refused [secrets]' })
  expect(lines.join('\n')).not.toContain(TOKEN)
})

test('a rule in shadow mode changes nothing and is recorded', async () => {
  const { session, events } = open([{ ...secrets, on: 'result', action: 'mask', mode: 'shadow' }])
  const run = guardTools({ read: () => TOKEN }, session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer?.text).toBe(TOKEN)
  expect(events().find(({ type }) => type === 'content.decided')?.data).toMatchObject({
    verdict: 'passed',
    rules: [{ rule: 'no-secrets', mode: 'shadow', code: 'content.masked' }],
  })
})

test('a value that no detector can read is withheld, and arguments that none can read are denied', async () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  const { session, diagnostics } = open([
    { id: 'in', kind: 'secrets', on: 'arguments', action: 'mask' },
    { id: 'out', kind: 'secrets', on: 'result', action: 'mask' },
  ])
  const denied = await session.beforeToolCall({ tool: 'read', args: circle })
  expect(denied).toMatchObject({ allowed: false, reason: "Rule 'in' could not be evaluated." })
  const { callId } = await session.beforeToolCall({ tool: 'read', args: {} })
  const finished = await session.afterToolCall({
    tool: 'read',
    args: {},
    callId,
    outcome: 'success',
    output: circle,
  })
  expect(finished.replaced).toEqual({ output: 'Result withheld: secrets.' })
  expect(diagnostics).toEqual(['content_not_checked', 'content_not_checked'])
})

test('a harness that cannot replace results refuses the config, or warns and shows a gap', async () => {
  const { capabilities } = PROFILE
  const unable = { capabilities: { ...capabilities, replacesResults: false } }
  const rule = { ...secrets, on: 'result', action: 'mask' } as const
  const refused = open([rule], {}, unable)
  const verdict = await refused.session.beforeToolCall({ tool: 'read', args: {} })
  expect(verdict).toMatchObject({ allowed: false, reason: expect.stringContaining("'no-secrets'") })
  expect(verdict).toMatchObject({ reason: expect.stringContaining('replaces_results') })
  const warned = open([{ ...rule, on_unsupported: 'warn' }], {}, unable)
  const run = guardTools({ read: () => TOKEN }, warned.session)
  const [answer] = await run([{ name: 'read', args: {} }])
  expect(answer?.text).toContain(TOKEN)
  expect(answer?.text).toContain('secrets')
  expect(warned.events()[0]?.data).toMatchObject({
    capabilities: { unkept_content: ['no-secrets'] },
  })
})
