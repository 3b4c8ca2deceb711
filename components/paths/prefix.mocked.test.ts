import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.resetModules())

async function builtFor(prefix: string) {
  vi.stubEnv('SIGNALBOX_PREFIX', prefix)
  vi.resetModules()
  return await import('./prefix.ts')
}

test('a build for a prefix adds the prefix to paths and removes it', async () => {
  const { withPrefix, withoutPrefix } = await builtFor('/guard')
  const paths = ['/', '/?project=a', '/sessions/sess_1?e=2', '/api/trpc']
  const asked = ['/guard', '/guard?project=a', '/guard/sessions/sess_1?e=2', '/guard/api/trpc']
  expect(paths.map(withPrefix)).toEqual(asked)
  expect(['/guard', '/guard/', '/guard/stops'].map(withoutPrefix)).toEqual(['/', '/', '/stops'])
})

test('a build without a prefix leaves paths unchanged', async () => {
  const { withPrefix, withoutPrefix } = await builtFor('')
  expect(['/', '/?a=b', '/stops'].map(withPrefix)).toEqual(['/', '/?a=b', '/stops'])
  expect(['/', '/stops'].map(withoutPrefix)).toEqual(['/', '/stops'])
})
