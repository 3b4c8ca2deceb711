// The next signing key is prepared, and runtimes learn it. A runtime of an earlier version is named before the key becomes active, and the
// other runtimes follow.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersIn } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { ORIGIN, secrets } from './product.ts'
import { startReporting } from './reporting-runtime.ts'
import { test } from './test.ts'

const OLD = 'worker of last year'

test('a new signing key is prepared, distributed and used, after naming runtimes that cannot follow', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-keys-'))
  const runtime = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: 'demo/release-notes',
    name: 'key-learner',
    dataDir: folder,
  })
  // Follows no key records: it registers and reports like older versions.
  const old = await startReporting(OLD, { sdkVersion: '0.0.9' })
  try {
    await runtime.ready()
    const before = runtime.status()?.applied?.revision ?? 0
    await page.goto('/settings/signing-key')
    await expect(page.getByText('SIGNALBOX_SIGNING_KEY', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Prepare a new key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Prepare key' }).click()
    await expect(page.getByRole('heading', { name: 'Prepared key' })).toBeVisible()
    await expect(page.getByText('1 of 2 connected runtimes has it.')).toBeVisible({
      timeout: 60_000,
    })
    await expect(page.getByText('Version 0.0.9 cannot switch to a new key')).toBeVisible()
    expect(await barriersIn(page)).toEqual([])

    await page.getByRole('button', { name: 'Sign with it' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText(OLD)).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Sign with it' })).toBeDisabled()
    await dialog.getByLabel('Type default to confirm').fill('default')
    await dialog.getByRole('button', { name: 'Sign with it' }).click()
    await expect(page.getByText('in the database, sealed')).toBeVisible()
    await expect(page.getByRole('cell', { name: 'retired' })).toBeVisible()
    await expect(page.getByText(/^SIGNALBOX_PUBLIC_KEY=/)).toBeVisible()
    await expect(page.getByRole('main').getByText(OLD)).toBeVisible()
    await expect.poll(() => runtime.status()?.applied?.revision).toBeGreaterThan(before)
    expect(runtime.status()?.rejected).toBeNull()
    expect(problems).toEqual([])
  } finally {
    await old.stop()
    await runtime.close(100)
    rmSync(folder, { recursive: true, force: true })
  }
})
