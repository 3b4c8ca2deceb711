// A real coding agent under guard: what it is refused, what it is told and when it may stop, while a person watches.
import { expect, type Page } from '@playwright/test'
import { whyNotInstalled } from '@signalbox/testkit'
import { CODER_CONFIG, CodingAgent } from './coding-agent.ts'
import { problemsOf } from './page-problems.ts'
import { test } from './test.ts'

const missing = whyNotInstalled('first')
test.skip(missing !== null && process.env['CI'] === undefined, missing ?? '')

let agent: CodingAgent
test.beforeEach(() => {
  agent = new CodingAgent()
})
test.afterEach(() => agent.close())

async function publish(page: Page): Promise<void> {
  await page.goto('/configs')
  await page.getByRole('button', { name: 'New config' }).first().click()
  await page.getByLabel('Prompt').fill('team/coder')
  await page.getByLabel('Start from').click()
  await page.getByRole('option', { name: 'A document of your own' }).click()
  await page.getByLabel('Document').fill(CODER_CONFIG)
  await page.getByRole('button', { name: 'Create team/coder' }).click()
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('button', { name: /^Publish v\d+ to dev/ }).click()
  await expect(page.getByText(/v1 is released to dev/)).toBeVisible()
}

/** What the model waits for before its next turn. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

test('Claude Code is refused a write, told why, and stops when it is done, while the console shows it', async ({
  page,
}) => {
  const problems = problemsOf(page)
  await publish(page)
  await agent.startDaemon()
  agent.init()
  await page.goto('/sessions')
  const [denialSeen, blockSeen] = [gate(), gate()]
  const notes = {
    calls: [{ name: 'Write', input: { file_path: agent.path('RELEASE.md'), content: '# 1.4\n' } }],
  }
  const subject = 'Write the release notes'
  const ended = agent.run([
    () => ({ calls: [{ name: 'TaskCreate', input: { subject, description: subject } }] }),
    () => notes,
    () => denialSeen.opened.then(() => ({ say: 'All done.' })),
    () => blockSeen.opened.then(() => ({ calls: [{ name: 'Bash', input: { command: 'true' } }] })),
    () => notes,
    () => ({ calls: [{ name: 'TaskUpdate', input: { taskId: '1', status: 'completed' } }] }),
    () => ({ say: 'The release notes are written.' }),
  ])

  // A list that was empty has filled itself; in another one the session waits to be shown.
  const news = page.getByRole('button', { name: /new session/ })
  const row = page.getByRole('link', { name: 'team/coder' }).first()
  await expect(news.or(row).first()).toBeVisible({ timeout: 30_000 })
  if (await news.isVisible()) await news.click()
  await row.click()
  const denied = page.getByRole('row', { name: /Denied write_file/ })
  await expect(denied).toContainText('Write · write_file needs shell first')
  expect(agent.has('RELEASE.md')).toBe(false)
  await expect(page.getByText(/claude-code 2\./)).toBeVisible()
  await expect(page.getByText(/not fully enforced/i)).toHaveCount(0)
  denialSeen.open()

  await expect(page.getByRole('row', { name: /Stop blocked/ })).toBeVisible()
  expect(agent.has('RELEASE.md')).toBe(false)
  blockSeen.open()

  await expect(page.getByRole('row', { name: /Stop allowed/ }).first()).toBeVisible()
  expect((await ended).exitCode).toBe(0)
  expect(agent.has('RELEASE.md')).toBe(true)
  await expect(page.getByRole('row', { name: /Ended/ })).toContainText('completed')

  await denied.click()
  await page.getByRole('link', { name: /Why/ }).click()
  await expect(page.getByText('write_file, called Write by the harness')).toBeVisible()
  await page.goto('/stops')
  await page
    .getByRole('link', { name: /1 of 1 plan steps/ })
    .first()
    .click()
  await expect(page.getByText('What would unblock it')).toBeVisible()
  await expect(page.getByText(/Write the release notes/).first()).toBeVisible()
  expect(problems).toEqual([])
})
