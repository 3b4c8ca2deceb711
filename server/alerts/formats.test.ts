import { MESSAGE_FORMATS } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { destinationKind, splitPagerDuty } from './destination.kinds.ts'
import { hideKey, revealKey } from './destinations.ts'
import { discordBody, pagerDutyBody, slackBody, teamsBody } from './formats.ts'
import { type AlertMessage, chatBody, webhookBody } from './message.ts'
import { ALERT_SIGNAL_NAMES } from './signals.kinds.ts'

const KEY = 'k'.repeat(32)
const HOSTILE = [
  '<!channel> @everyone <@U024BE7LH> <at>all</at> & &lt;',
  '[Approve](https://evil.test) <https://evil.test|Approve> ||**_~`# > -',
  'a\r\nb\u2028c\u202ed',
].join(' ')

const BODIES = {
  webhook: webhookBody,
  chat: chatBody,
  slack: slackBody,
  teams: teamsBody,
  discord: discordBody,
  pagerduty: (message: AlertMessage) =>
    pagerDutyBody(message, {
      routingKey: KEY,
      action: message.event === 'resolved' ? 'resolve' : 'trigger',
    }),
} as const

const message = (change: Partial<AlertMessage> = {}): AlertMessage => ({
  id: 'dlv_1',
  event: 'firing',
  alertId: 'alr_1',
  rule: 'Calls wait',
  signal: 'approval_waiting',
  scope: 'dev team/agent apr_1_2',
  value: 1,
  threshold: 1,
  windowMinutes: 1,
  reason: 'A call waits for approval: deploy, until 12:00:00 UTC.',
  url: 'https://console.test/call-approvals?call=apr_1_2',
  consoleUrl: 'https://console.test/alerts',
  firedAt: 1_795_000_000_000,
  resolvedAt: null,
  ...change,
})

const KINDS = Object.keys(BODIES) as (keyof typeof BODIES)[]
const EVENTS = [
  { event: 'firing', resolvedAt: null },
  { event: 'resolved', resolvedAt: 1_795_000_060_000 },
  { event: 'test', resolvedAt: null },
] as const

describe.each(KINDS)('a message for %s', (kind) => {
  test.each(ALERT_SIGNAL_NAMES)('has the documented shape for the signal %s', (signal) => {
    for (const event of EVENTS) {
      const body = JSON.parse(BODIES[kind](message({ signal, ...event })))
      expect(MESSAGE_FORMATS[kind].safeParse(body)).toMatchObject({ success: true })
    }
  })

  test('keeps the shape, mentions no one and disguises no link when its texts are hostile and long', () => {
    for (const text of [HOSTILE, HOSTILE.repeat(300), '\u{1F6A8}'.repeat(5_000)]) {
      const body = JSON.parse(BODIES[kind](message({ rule: text.slice(0, 100), reason: text })))
      expect(MESSAGE_FORMATS[kind].safeParse(body)).toMatchObject({ success: true })
      // Half of a surrogate pair would be escaped here.
      expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/)
    }
  })
})

test('the schemas refuse an unescaped mention, link and style', () => {
  const raw = (kind: 'slack' | 'discord', body: string) =>
    MESSAGE_FORMATS[kind].safeParse(JSON.parse(body)).success
  const slack = slackBody(message()).replace('A call waits', '<!channel> A call waits')
  const discord = discordBody(message()).replace('A call waits', '[a](https://b) A call waits')
  expect([raw('slack', slack), raw('discord', discord)]).toEqual([false, false])
})

test('an incident is opened and resolved under one key, and a test has its own', () => {
  const keys = EVENTS.map((event) => JSON.parse(BODIES.pagerduty(message(event))).dedup_key)
  expect(keys).toEqual(['alr_1', 'alr_1', 'dlv_1'])
})

test('a routing key is entered alone, hidden in what is shown, and restored only for its own rule', () => {
  const url = destinationKind('pagerduty').toUrl(KEY)
  expect(url).toBe(`https://events.pagerduty.com/v2/enqueue#${KEY}`)
  expect(destinationKind('pagerduty').findProblem('short')).toContain('32 letters and digits')
  const own = (address: string) => destinationKind('pagerduty').findProblem(`${address}#${KEY}`)
  expect(own('https://pager.example.com/v2/enqueue')).toBeNull()
  expect(own('https://pager.example.com')).toContain('/v2/enqueue before the #')
  const stored = { kind: 'pagerduty', url } as const
  const hidden = hideKey(stored)
  expect(hidden.url).not.toContain(KEY)
  expect(splitPagerDuty(hidden.url)?.isHidden).toBe(true)
  expect(revealKey(hidden, [stored])).toEqual(stored)
  expect(revealKey(hidden, [])).toEqual(hidden)
})
