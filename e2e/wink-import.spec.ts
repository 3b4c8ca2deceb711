// See specs/wink-import.md.
import { createHash } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { barriersIn } from './barriers.ts'
import { test } from './test.ts'

const TYPES = 'weakincentives.runtime.events.types'

function archive({ format = '1.0.0' } = {}): Buffer {
  const time = (second: number) => `2026-01-15T10:30:0${second}+00:00`
  const items = [
    { name: 'read_file', params: { path: 'a.md' }, result: { success: true }, created_at: time(2) },
    { name: 'deploy', params: {}, result: { success: false }, created_at: time(3) },
  ]
  const slices = [{ item_type: `${TYPES}:ToolInvoked`, items }]
  const after = strToU8(JSON.stringify({ version: '1', slices }))
  const manifest = {
    format_version: format,
    bundle_id: 'from-a-browser',
    created_at: time(9),
    request: {
      request_id: 'r-1',
      session_id: 's-1',
      status: 'success',
      started_at: time(0),
      ended_at: time(8),
    },
    prompt: { ns: 'examples/code-review', key: 'main', adapter: 'openai' },
    integrity: {
      algorithm: 'sha256',
      checksums: { 'session/after.jsonl': createHash('sha256').update(after).digest('hex') },
    },
  }
  return Buffer.from(
    zipSync({
      'debug_bundle/manifest.json': strToU8(JSON.stringify(manifest)),
      'debug_bundle/session/after.jsonl': after,
    }),
  )
}

async function choose(page: Page, name: string, buffer: Buffer) {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import…' }).click()
  await (await choosing).setFiles({ name, mimeType: 'application/zip', buffer })
  return page.getByRole('dialog', { name: `Import ${name}` })
}

test('a debug bundle opens as a session marked not enforced, and an invalid one is reported', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto('/sessions')
  const bad = await choose(page, 'new.zip', archive({ format: '2.0.0' }))
  await expect(bad.getByRole('alert')).toHaveText(
    /new\.zip cannot be imported.*manifest\.json \/format_version: This program reads format 1/,
  )
  await expect(bad.getByRole('button', { name: 'Import session' })).toBeDisabled()
  expect(await barriersIn(page)).toEqual([])
  await bad.getByRole('button', { name: 'Cancel' }).click()

  const good = await choose(page, 'run.zip', archive())
  await expect(good).toContainText('examples/code-review/main')
  await expect(good).toContainText('2 tool calls')
  await good.getByRole('button', { name: 'Import session' }).click()
  await expect(page).toHaveURL(/\/sessions\/sess_wink[0-9a-f]{24}/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('examples/code-review / main')
  await expect(page.getByText('read_file').first()).toBeVisible()
  await expect(page.getByText('Not fully enforced').first()).toBeVisible()
})
