// A blocked stop is explained to a reader without a login: the explanation is exported as one signed file, the command and a page from disk
// recompute it, and both reject a copy with one changed byte.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersInThemes } from './barriers.ts'
import { publishFirst, read } from './procedures.ts'
import { ORIGIN, ROOT, secrets } from './product.ts'
import { test } from './test.ts'

const OUT = path.join(ROOT, 'test-results/portable')
const PLACE = { ns: `portable-${Date.now().toString(36)}`, key: 'main' }
const REASON = '2 of 3 plan steps are not done'

async function recordStop(page: Page): Promise<string> {
  const checker = { id: 'plan', type: 'plan' }
  const document = { schema_version: 1, ...PLACE, task_completion_checker: checker }
  await publishFirst(page, PLACE, { text: JSON.stringify(document, null, 2) })
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    dataDir: path.join(OUT, 'runtime'),
    prompt: `${PLACE.ns}/${PLACE.key}`,
  })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const session = guardrails.openSession()
    await session.updatePlan([
      { title: 'Read the code', status: 'done' },
      { title: 'Change it', status: 'pending' },
      { title: 'Test it', status: 'pending' },
    ])
    await session.beforeStop({ via: 'turn_end' })
  } finally {
    await guardrails.close(3000)
  }
  let id: string | undefined
  await expect
    .poll(async () => {
      const filter = { prompt: PLACE }
      const { rows: stops } = await read<{ rows: { id: string }[] }>(page, 'stops.list', { filter })
      id = stops[0]?.id
      return id
    })
    .toBeDefined()
  return id ?? ''
}

interface Ran {
  readonly code: number
  readonly out: string
}

function signalbox(...words: readonly string[]): Promise<Ran> {
  const program = path.join(ROOT, 'packages/cli/dist/main.js')
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...words], (_error, out) =>
      resolve({ code: child.exitCode ?? -1, out }),
    )
  })
}

async function exported(page: Page): Promise<{ readonly whole: string; readonly changed: string }> {
  const waiting = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export the stop: Export' }).click()
  await page.getByRole('menuitem', { name: 'Portable bundle' }).click()
  const download = await waiting
  const whole = path.join(OUT, download.suggestedFilename())
  await download.saveAs(whole)
  const text = readFileSync(whole, 'utf8')
  const changed = path.join(OUT, 'changed.signalbox')
  writeFileSync(changed, text.replace('"title":"Test it"', '"title":"Rest it"'))
  return { whole, changed }
}

test('a stop is exported as a file that verifies itself', async ({ page, browser }) => {
  mkdirSync(OUT, { recursive: true })
  const stop = await recordStop(page)
  await page.goto(`/stops/${stop}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(REASON)
  const { whole, changed } = await exported(page)
  const keys = await read<{ keys: { publicKey: string; state: string }[] }>(
    page,
    'signingKeys.list',
    {},
  )
  const key = keys.keys.find(({ state }) => state === 'active')?.publicKey ?? ''
  const html = path.join(OUT, 'page.html')

  const opened = await signalbox('open', whole, '--key', key, '--page', html)
  expect(opened.out).toContain(`verified: ${stop}`)
  expect(opened.out).toContain(`Stop blocked: ${REASON}`)
  expect(opened.out).toContain('1. Finish or remove “Change it” (agent)')
  expect(opened.out).toContain('which matches the given key')
  expect(opened.code).toBe(0)
  const refused = await signalbox('open', changed)
  expect(refused.out).toMatch(
    /refused: .*\n.*The events were changed after they were signed: line \d+ does not have the hash/,
  )
  expect(refused.code).toBe(2)

  const alone = await browser.newContext({ offline: true })
  const opener = await alone.newPage()
  const asked: string[] = []
  opener.on('request', (request) => {
    if (/^https?:/.test(request.url())) asked.push(request.url())
  })
  await opener.goto(pathToFileURL(html).href)
  const outcome = opener.getByLabel('Outcome')
  await expect(outcome).toContainText('Verified')
  await expect(opener.getByRole('heading', { name: REASON })).toBeVisible()
  await expect(opener.getByRole('treeitem')).toHaveAttribute('data-status', 'incomplete')
  await expect(opener.getByText('Finish or remove “Change it”')).toBeVisible()
  await expect(opener.getByText('not verified against a known key')).toBeVisible()
  const asks = opener.getByLabel('Expected signing key')
  // Half a key is not used yet, so nothing is verified again at each letter.
  await asks.fill(key.slice(0, 20))
  await expect(opener.getByText('Not checked with this key yet')).toBeVisible()
  await expect(opener.getByText('not verified against a known key')).toBeVisible()
  await asks.fill(key)
  await expect(opener.getByText('yes: it matches the given key')).toBeVisible()
  await opener.locator('input[type=file]').setInputFiles(changed)
  await expect(outcome).toContainText('Refused')
  await expect(outcome).toContainText('The events were changed after they were signed: line')
  await expect(opener.getByRole('heading', { name: REASON })).toBeHidden()
  expect(asked).toEqual([])
  await alone.close()
})

test('the /open page verifies a portable bundle without a login', async ({ browser }) => {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const page = await context.newPage()
  const refusals: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') refusals.push(message.text())
  })
  await page.goto(`${ORIGIN}/open`)
  await expect(page.getByRole('heading', { name: 'Open a portable bundle' })).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  expect(refusals).toEqual([])
  await context.close()
})
