import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { SDK_VERSION } from './version.ts'

test('SDK_VERSION is the version in package.json of the runtime', () => {
  const file = path.join(import.meta.dirname, '../../package.json')
  expect(SDK_VERSION).toBe(JSON.parse(fs.readFileSync(file, 'utf8')).version)
})
