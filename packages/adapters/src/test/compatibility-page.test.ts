import path from 'node:path'
import { compatibilityPage } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { DRIVERS } from './compat-drivers.ts'

const PAGE = path.join(import.meta.dirname, '../../../../specs/compatibility.md')

// Written by `npm run compat`, which proves every cell first.
test('specs/compatibility.md matches the drivers', async () => {
  await expect(compatibilityPage(DRIVERS)).toMatchFileSnapshot(PAGE)
})
