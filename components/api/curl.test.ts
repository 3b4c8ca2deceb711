import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shownRoutes } from '@/server/http/api-page.ts'
import { formatCurl } from './curl.ts'

const routes = shownRoutes()

test.each(routes)(
  'the curl command for $id is one command that a shell parses as intended',
  (route) => {
    // `curl` is a function that prints its arguments, each with a NUL at the end.
    const script = `curl() { printf '%s\\0' "$@"; }\n${formatCurl(route)}`
    const env = {
      NODE_ENV: 'test' as const,
      SIGNALBOX_URL: 'https://box.test',
      SIGNALBOX_API_KEY: 'sbx_secret',
    }
    const given = execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0')
    expect(given).toContain(`https://box.test${route.examplePath}`)
    expect(given.includes('Authorization: Bearer sbx_secret')).toBe(route.scope !== null)
    const data = given[given.indexOf('--data-binary') + 1] ?? ''
    if (route.body?.type === 'application/json') {
      expect(JSON.parse(data)).toEqual(JSON.parse(route.body.example ?? ''))
    }
  },
)

test('the address of a curl command has no placeholder of a parameter', () => {
  for (const { examplePath } of routes) expect(examplePath).not.toMatch(/[{}]/)
})
