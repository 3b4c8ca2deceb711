import path from 'node:path'
import { compatibilityPage } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { ADAPTERS } from '../registry.ts'
import { DRIVERS } from './compat-drivers.ts'

const PAGE = path.join(import.meta.dirname, '../../../../specs/compatibility.md')

test('a driver proves each adapter, the bare loop of the runtime, and the Python client', () => {
  const proved = new Set(DRIVERS.map(({ name }) => name.split(' ')[0]))
  const expected = [...ADAPTERS.map(({ name }) => name), 'python', 'runtime']
  expect([...proved].toSorted()).toEqual(expected.toSorted())
})

// Written by `npm run compat`, which proves every cell first.
test('specs/compatibility.md matches the drivers', async () => {
  await expect(compatibilityPage(DRIVERS)).toMatchFileSnapshot(PAGE)
})
