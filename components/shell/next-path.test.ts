import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

test.each([
  ['/sessions?view=all#e12', '/sessions?view=all#e12'],
  ['/invite?token=abc', '/invite?token=abc'],
  ['/', '/'],
])('the page after a login may be %s, a path of this server', (next, path) => {
  expect(nextPath(next)).toBe(path)
})

test.each([
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  'sessions',
  '',
  undefined,
  ['/sessions', '//evil.example'],
])('the page after a login is the start page for %j', (next) => {
  expect(nextPath(next)).toBe('/')
})
