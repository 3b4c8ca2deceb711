import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { ENGINE_VERSION } from './engine-version.ts'

it('ENGINE_VERSION is the version in package.json of core', () => {
  const manifest = readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')
  expect(ENGINE_VERSION).toBe(JSON.parse(manifest).version)
})
