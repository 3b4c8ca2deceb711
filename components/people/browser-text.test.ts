import { expect, test } from 'vitest'
import { browserText } from './browser-text.ts'

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['Mozilla/5.0 (Android 16; Mobile) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  ['curl/8.5.0', 'Unknown browser'],
  [null, 'Unknown browser'],
])('the user agent "%s" is shown as %s', (userAgent, expected) => {
  expect(browserText(userAgent)).toBe(expected)
})
