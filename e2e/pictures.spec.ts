// The pictures of the README, taken from the running product. PICTURES=docs/images writes them there; otherwise a soak proves that they can be taken.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import { publishFirst, read } from './procedures.ts'
import { ORIGIN, ROOT, secrets } from './product.ts'
import { takenOver, test } from './test.ts'

const PROMPT = { ns: 'shop', key: 'coding-agent' }
const TEMPLATE = 'server/configs/templates/coding-agent/config.json'
const README = path.join(ROOT, 'README.md')

const folder = mkdtempSync(path.join(os.tmpdir(), 'sbx-pictures-'))
const target = process.env['PICTURES'] ?? folder

test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The template with its rules turned on. */
function enforcedTemplate(): string {
  const document = JSON.parse(readFileSync(path.join(ROOT, TEMPLATE), 'utf8'))
  const enforced = (rules: readonly object[]) => rules.map((rule) => ({ ...rule, mode: 'enforce' }))
  return JSON.stringify(
    {
      ...document,
      ...PROMPT,
      policies: enforced(document.policies),
      feedback_providers: enforced(document.feedback_providers),
      limits: { max_stop_blocks: 3 },
    },
    null,
    2,
  )
}

const TESTS_FAIL = { outcome: 'failure', error: '2 tests failed.' } as const

/** Runs the call when it is allowed. */
async function attempt(
  session: GuardedSession,
  call: { readonly tool: string; readonly args: object },
  result: { readonly outcome: 'success' } | typeof TESTS_FAIL = { outcome: 'success' },
): Promise<void> {
  const asked = { tool: call.tool, args: { ...call.args } }
  const { allowed, callId } = await session.beforeToolCall(asked)
  if (allowed) await session.afterToolCall({ ...asked, ...result, callId })
}

async function work(session: GuardedSession): Promise<void> {
  const plan = (...done: readonly boolean[]) =>
    session.updatePlan(
      ['Find where the total is rounded', 'Round each line', 'Run the tests', 'Commit'].map(
        (title, index) => ({ title, status: done[index] === true ? 'done' : 'pending' }),
      ),
    )
  const total = { file_path: 'src/total.ts' }
  await plan()
  await attempt(session, { tool: 'write_file', args: { ...total, content: 'const total = 0' } })
  await attempt(session, { tool: 'read_file', args: total })
  await plan(true)
  await attempt(session, { tool: 'edit_file', args: { ...total, old: 'sum', new: 'round(sum)' } })
  await plan(true, true)
  const shell = (command: string) => ({ tool: 'shell', args: { command } })
  for (let run = 0; run < 3; run++) await attempt(session, shell('npm test'), TESTS_FAIL)
  await attempt(session, shell('git reset --hard && git push --force'))
  await session.beforeStop({ via: 'turn_end' })
}

async function take(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('main').locator('[data-skeleton]')).toHaveCount(0)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    const file = path.join(target, `${name}-${scheme}.png`)
    await page.screenshot({ path: file, animations: 'disabled' })
    expect(statSync(file).size).toBeGreaterThan(20_000)
    expect(readFileSync(README, 'utf8')).toContain(`${name}-${scheme}.png`)
  }
}

test('the pictures of the README show the three jobs', { tag: '@soak' }, async ({ page }) => {
  await publishFirst(page, PROMPT, { text: enforcedTemplate(), note: 'Rules of the template' })
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${PROMPT.ns}/${PROMPT.key}`,
    dataDir: path.join(folder, 'runtime'),
  })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const root = mkdtempSync(path.join(folder, 'shop-'))
    mkdirSync(path.join(root, 'src'))
    writeFileSync(path.join(root, 'src/total.ts'), 'export const total = sum')
    const session = guardrails.openSession({ workspaceRoot: root })
    await work(session)
    const filter = { prompt: PROMPT }
    const list = () =>
      read<{ readonly rows: readonly { id: string }[] }>(page, 'stops.list', { filter })
    await expect.poll(async () => (await list()).rows.length).toBe(1)
    const [stop] = (await list()).rows

    await page.goto(`/configs/${PROMPT.ns}/${PROMPT.key}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await takenOver(page)
    await take(page, 'edit')
    await page.goto(`/sessions/${session.id}`)
    await expect(page.getByText('Stop blocked').first()).toBeVisible()
    // The last part of the page's state.
    await expect(page.getByText('A stop now would be')).toBeVisible()
    await takenOver(page)
    await take(page, 'watch')
    await page.goto(`/stops/${stop?.id}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await takenOver(page)
    await take(page, 'audit')
  } finally {
    await guardrails.close(3000)
  }
})
