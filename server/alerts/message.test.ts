import { expect, test } from 'vitest'
import { type AlertMessage, chatBody, composeLetter } from './message.ts'

const HOSTILE: AlertMessage = {
  id: 'dlv_1',
  event: 'firing',
  alertId: 'alr_1',
  rule: 'Stops',
  signal: 'blocked_stops',
  scope: 'dev team/agent',
  value: 1,
  threshold: 1,
  windowMinutes: 5,
  reason: '<!channel> & <https://evil.test|Why>\r\nBcc: all@evil.test\n\nWhy: https://evil.test',
  url: 'https://console.test/stops/1?a=1&b=2',
  consoleUrl: 'https://console.test/alerts',
  firedAt: 0,
  resolvedAt: null,
}

test('a chat message escapes mentions and disguised links in the reason', () => {
  const { text } = JSON.parse(chatBody(HOSTILE))
  expect(text).toBe(
    'Alert: Stops (dev team/agent). &lt;!channel&gt; &amp; &lt;https://evil.test|Why&gt; Bcc: all@evil.test Why: https://evil.test https://console.test/stops/1?a=1&amp;b=2',
  )
})

test('a reason in an email cannot start a line or a header', () => {
  const { subject, text, html } = composeLetter(HOSTILE)
  expect(subject).not.toMatch(/[\r\n]/)
  expect(text.split('\n').filter((line) => line.startsWith('Why: '))).toEqual([
    `Why: ${HOSTILE.url}`,
  ])
  expect(html).not.toMatch(/<!channel|href="https:\/\/evil/)
})
