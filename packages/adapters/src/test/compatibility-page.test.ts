import path from 'node:path'
import { compatibilityPage } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { ADAPTERS } from '../registry.ts'
import { DRIVERS } from './compat-drivers.ts'

const PAGE = path.join(import.meta.dirname, '../../../../specs/compatibility.md')

test('a driver proves each adapter', () => {
  const proved = new Set(DRIVERS.map(({ name }) => name.split(' ')[0]))
  expect([...proved].toSorted()).toEqual(ADAPTERS.map(({ name }) => name).toSorted())
})

// Written by `npm run compat`, which proves every cell first.
test('specs/compatibility.md matches the drivers', async () => {
  await expect(compatibilityPage(DRIVERS)).toMatchFileSnapshot(PAGE)
})
