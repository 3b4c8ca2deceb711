import { redactor } from '@signalbox/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { likelySecrets } from './likely-secrets.ts'
import { redactionMarks } from './redaction-marks.ts'
import { withRule } from './with-rule.ts'

const RULES = [
  { id: 'customer', keys: ['email'] },
  { id: 'codename', literals: ['Project Heron'] },
]
const redact = redactor(RULES, [])

describe('the redaction report', () => {
  test('names the rule at each place, including places in lists and truncated values', () => {
    const payload = {
      user: { Email: 'a@b.test', password: 'x' },
      notes: ['fine', 'about Project Heron'],
      log: 'y'.repeat(20_000),
    }
    expect(redactionMarks(payload, redact(payload))).toEqual([
      { pointer: '/user/Email', rule: 'customer', bytes: null },
      { pointer: '/user/password', rule: 'builtin.secrets', bytes: null },
      { pointer: '/notes/1', rule: 'codename', bytes: null },
      { pointer: '/log', rule: null, bytes: 20_000 },
    ])
  })

  test('leaves marks of earlier redactions unchanged', () => {
    const payload = { a: { $redacted: 'customer' } }
    expect(redactionMarks(payload, redact(payload))).toEqual([])
  })

  test('finds a mark for every change, and none without one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        // The JSON values of fast-check are JSON with another type.
        const before = JSON.parse(JSON.stringify(payload))
        const after = redact(before)
        const isSame = JSON.stringify(before) === JSON.stringify(after)
        expect(redactionMarks(before, after).length === 0).toBe(isSame)
      }),
    )
  })
})

describe('the secret detector', () => {
  test.each([
    ['an AWS access key id', 'key AKIAIOSFODNN7EXAMPLE here'],
    ['a GitHub token', `ghp_${'a1'.repeat(18)}`],
    ['a Slack token', 'xoxb-1234567890-abc'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMII'],
    ['a password in an address', 'postgres://app:hunter2@db/shop'],
    ['a bearer token', `curl -H "x: Bearer ${'t'.repeat(24)}"`],
  ])('detects a secret by its form: %s', (name, text) => {
    expect(likelySecrets({ deep: [{ command: text }] })).toEqual([
      { pointer: '/deep/0/command', property: 'command', why: `looks like ${name}` },
    ])
  })

  test('detects a secret by its field name', () => {
    expect(likelySecrets({ db_password_2: 'x', 'Client-Credentials': 'y', passport: 'z' })).toEqual(
      [
        {
          pointer: '/db_password_2',
          property: 'db_password_2',
          why: 'has the name "db_password_2"',
        },
        {
          pointer: '/Client-Credentials',
          property: 'Client-Credentials',
          why: 'has the name "Client-Credentials"',
        },
      ],
    )
  })

  test('finds nothing in the output of a rule with the suggested name', () => {
    const payload = { env: { DEPLOY: `ghp_${'a1'.repeat(18)}` } }
    const [found] = likelySecrets(payload)
    const rule = { id: 'new', keys: [found?.property ?? ''] }
    expect(likelySecrets(redactor([rule], [])(payload))).toEqual([])
  })

  test('finds nothing in long runs of prefixes, within the timeout of the test', () => {
    const text = 'eyJaaaaaaaaaa'.repeat(15_000)
    expect(likelySecrets([text, `${'https://'.repeat(20_000)}`])).toEqual([])
  })
})

describe('a suggested rule', () => {
  test('a suggested rule is added to a draft without changing its text, with its own id', () => {
    const text = '{\n  "ns": "a",\n  "redaction": [{ "id": "secrets", "keys": ["pin"] }]\n}\n'
    const next = withRule(text, ['email']) ?? ''
    expect(
      next.startsWith('{\n  "ns": "a",\n  "redaction": [{ "id": "secrets", "keys": ["pin"] }'),
    ).toBe(true)
    expect(JSON.parse(next).redaction).toEqual([
      { id: 'secrets', keys: ['pin'] },
      { id: 'secrets-2', keys: ['email'] },
    ])
    expect(JSON.parse(withRule('{}', ['email']) ?? '').redaction).toHaveLength(1)
  })

  test('a suggested rule is not added to a text that is not JSON', () => {
    expect(withRule('{', ['email'])).toBeNull()
  })
})
