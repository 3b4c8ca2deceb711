import { expect, test } from 'vitest'
import { preferencesFrom } from './preferences.ts'

test('preferences have their defaults without cookies', () => {
  expect(preferencesFrom(() => undefined)).toEqual({
    density: 'compact',
    clock: '24',
    motion: 'system',
    marks: 'plain',
    rail: 'wide',
  })
})

test('preferences are read from their cookies, and an invalid cookie is ignored', () => {
  const cookies: Readonly<Record<string, string>> = {
    sb_density: 'comfortable',
    sb_clock: '12',
    sb_motion: '"><script>',
    sb_marks: 'letters',
    sb_rail: 'collapsed',
  }
  expect(preferencesFrom((name) => cookies[name])).toEqual({
    density: 'comfortable',
    clock: '12',
    motion: 'system',
    marks: 'letters',
    rail: 'collapsed',
  })
})
