import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { collectProblems } from './page-problems.ts'
import { call } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const TYPE = 'acme/freeze'
const SCHEMA = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: { type: 'string', title: 'Reason', description: 'Agents read it.' },
    hours: { type: 'integer', title: 'Hours' },
    strict: { type: 'boolean', title: 'Also for rollbacks' },
    team: { enum: ['web', 'data'], title: 'Team' },
  },
}

test('a registered custom type is edited in a form generated from its schema', async ({ page }) => {
  const problems = collectProblems(page)
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-custom-'))
  const runtime = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: 'demo/release-notes',
    name: 'custom-host',
    dataDir: folder,
    custom: {
      policies: { [TYPE]: { schema: SCHEMA, answer: () => ({ kind: 'policy', allow: true }) } },
    },
  })
  try {
    await runtime.ready()
    const ns = `custom-${Date.now().toString(36)}`
    await call(page, 'configs.create', { ns, key: 'agent' })
    await page.goto(`/configs/${ns}/agent/edit`)
    await page.getByRole('region', { name: 'Policies' }).getByText('Add a policy').click()
    await page.getByRole('option', { name: TYPE }).click()
    await page.getByLabel('Reason', { exact: true }).fill('No deploys on Friday')
    await page.getByLabel('Hours (optional)').fill('12')
    await page.getByLabel('Also for rollbacks').check()
    await page.getByRole('combobox', { name: 'Team (optional)' }).click()
    await page.getByRole('option', { name: 'data' }).click()
    const json = page.locator('.cm-content')
    for (const written of [
      '"No deploys on Friday"',
      '"hours": 12',
      '"strict": true',
      '"team": "data"',
    ])
      await expect(json).toContainText(written)
    // Lint knows the type, so it reports no problem.
    await expect(page.getByRole('region', { name: 'Problems' })).not.toContainText(TYPE)
    expect(problems).toEqual([])
  } finally {
    await runtime.close(100)
    rmSync(folder, { recursive: true, force: true })
  }
})
