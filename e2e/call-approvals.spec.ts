import { expect } from '@playwright/test'
import { whyNotInstalled } from '@signalbox/testkit'
import { barriersIn } from './barriers.ts'
import { CodingAgent } from './coding-agent.ts'
import { collectProblems } from './page-problems.ts'
import { publishFirst } from './procedures.ts'
import { ADMIN } from './product.ts'
import { DESK, PHONE, test } from './test.ts'

const missing = whyNotInstalled('first')
test.skip(missing !== null && process.env['CI'] === undefined, missing ?? '')

const PROMPT = { ns: 'team', key: 'careful-coder' }
const TEXT = JSON.stringify({
  schema_version: 1,
  ...PROMPT,
  policies: [
    { id: 'ask-before-writing', type: 'approval', tools: ['write_file'], timeout_seconds: 300 },
  ],
})

let agent: CodingAgent
test.beforeEach(() => {
  agent = new CodingAgent()
})
test.afterEach(() => agent.close())

test('Claude Code waits for an approver, continues on approval, and reads the reason of a denial', async ({
  page,
}) => {
  test.setTimeout(180_000)
  const problems = collectProblems(page)
  await page.goto('/call-approvals')
  await expect(page.getByText('No calls are waiting for approval.').last()).toBeVisible()
  await publishFirst(page, PROMPT, { text: TEXT, note: 'asks' })
  await agent.startDaemon('team/careful-coder')
  agent.init()
  const write = (file: string) => () => ({
    calls: [{ name: 'Write', input: { file_path: agent.path(file), content: `# ${file}\n` } }],
  })
  const ended = agent.run([write('RELEASE.md'), write('SECRETS.md'), () => ({ say: 'Done.' })])

  const waiting = page.getByRole('list', { name: 'Waiting calls' })
  await expect(waiting.getByText(/RELEASE\.md/)).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('link', { name: /Call approvals.*1 waiting/ })).toBeVisible()
  await expect(waiting.getByText(/left$/)).toBeVisible()
  expect(agent.has('RELEASE.md')).toBe(false)
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('a')
  const dialog = page.getByRole('dialog', { name: 'Approve write_file?' })
  await dialog.getByLabel('Note').fill('Looks right.')
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toBeHidden()
  await expect.poll(() => agent.has('RELEASE.md'), { timeout: 60_000 }).toBe(true)

  await page.setViewportSize(PHONE)
  const second = waiting.getByRole('listitem').filter({ hasText: 'SECRETS.md' })
  await second.getByRole('button', { name: /^Deny/ }).click({ timeout: 60_000 })
  await page.getByLabel('Note').fill('Nobody needs that file.')
  await page.getByRole('button', { name: /^Deny write_file/ }).click()
  await expect(second.getByText(`by ${ADMIN.name}: “Nobody needs that file.”`)).toBeVisible()
  await page.getByRole('button', { name: /^Remove .* that are over$/ }).click()
  await expect(page.getByText(`by ${ADMIN.name}: “Looks right.”`)).toBeVisible()
  expect((await ended).exitCode).toBe(0)
  expect(agent.has('SECRETS.md')).toBe(false)

  await page.goto('/settings/audit-log')
  await expect(page.getByText('denied a call').first()).toBeVisible()
  const current = page.getByRole('navigation', { name: 'Settings' }).getByText('Audit log')
  await expect(current).toBeInViewport({ ratio: 0.9 })
  await page.setViewportSize(DESK)
  await page.goto('/call-approvals')
  await page
    .getByRole('link', { name: /^sess_/ })
    .first()
    .click()
  const denied = page.getByRole('row', { name: /Denied write_file/ })
  await expect(denied).toContainText(`Not approved by ${ADMIN.name}`)
  await denied.click()
  await page.getByRole('link', { name: /Why/ }).first().click()
  await expect(
    page.getByText("'write_file' was not approved: Nobody needs that file."),
  ).toBeVisible()
  expect(problems).toEqual([])
})
