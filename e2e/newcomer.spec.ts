// The first hour with the product for a user who has only its README: the start with its demo, the steps of Get started, each command of
// the console in a shell, and real Claude Code, whose write is denied and whose stop is blocked.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, type Locator, type Page } from '@playwright/test'
import { whyNotInstalled } from '@signalbox/testkit'
import { CODER_CONFIG, CodingAgent } from './coding-agent.ts'
import { collectProblems } from './page-problems.ts'
import { openDraft } from './procedures.ts'
import { describeProduct } from './product.ts'
import { becomeAdministrator, start } from './start-product.ts'
import { takenOver, test } from './test.ts'

const missing = whyNotInstalled('first')
test.skip(missing !== null && process.env['CI'] === undefined, missing ?? '')
// The command that installs the daemon uses it to download.
test.skip(spawnSync('curl', ['--version']).status !== 0, 'curl is not installed')

/** A product that only this test uses: no one has signed in, and only the demo has run. */
const NEW = describeProduct(10)
test.use({ baseURL: NEW.origin, storageState: { cookies: [], origins: [] } })

let agent: CodingAgent
let product: Awaited<ReturnType<typeof start>>

test.beforeAll(async () => {
  test.setTimeout(240_000)
  product = await start(NEW)
})
test.afterAll(() => product.stop())
test.beforeEach(() => {
  agent = new CodingAgent()
})
test.afterEach(() => agent.close())

/** Runs the command of a step. Resolves with its output once it contains `wanted`, or when the command has ended. */
async function type(step: Locator, wanted?: RegExp): Promise<string> {
  const command = await step.innerText()
  const child = agent.type(command)
  let output = ''
  const held = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += String(chunk)
        if (wanted?.test(output)) resolve()
      })
  })
  await Promise.race([held, once(child, 'close')])
  return output
}

/** Replaces the rules of the template by those that the rest of this story expects, and publishes them. */
async function enforce(page: Page): Promise<void> {
  const draft = await openDraft(page, { ns: 'team', key: 'coder' })
  const answer = await page.request.post('/api/trpc/drafts.save', {
    headers: { origin: NEW.origin },
    data: { ns: 'team', key: 'coder', text: CODER_CONFIG, seen: draft, baseVersion: 2 },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  await page.goto('/configs/team/coder/edit')
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('button', { name: /^Publish v\d+ to dev/ }).click()
  await expect(page.getByText('v3 is live in dev')).toBeVisible()
}

async function publishOther(page: Page): Promise<void> {
  const other = { ns: 'team', key: 'other', template: 'coding-agent', mode: 'enforce' }
  const answer = await page.request.post('/api/trpc/configs.create', {
    headers: { origin: NEW.origin },
    data: other,
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  await page.goto('/configs/team/other/edit')
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('button', { name: /^Publish v\d+ to dev/ }).click()
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

test('a newcomer connects Claude Code by Get started, publishes a config, and reads why a stop was blocked', async ({
  page,
}) => {
  test.setTimeout(300_000)
  const problems = collectProblems(page)
  await becomeAdministrator(page, product.line)
  // The demo of the first start completes no step.
  await expect(page.getByRole('link', { name: 'Why its stop was blocked' })).toBeVisible({
    timeout: 60_000,
  })
  const step = (name: string) => page.getByRole('region', { name })
  const progress = (name: string, state: 'done' | 'to do') =>
    page.getByRole('listitem').filter({ hasText: name }).getByLabel(state, { exact: true })
  // The demo of the first start leaves a session, but completes no step.
  const main = page.getByRole('navigation', { name: 'Main' })
  await expect(main.getByRole('link', { name: 'Get started' })).toContainText('0 of 3')
  // The wizard is kept in the address.
  await page.getByLabel('Prompt').fill('team/other')
  await expect(page).toHaveURL(/prompt=team\/other/)
  await page.reload()
  await expect(step('Start the daemon')).toContainText('--prompt team/other')
  await page.getByLabel('Prompt').fill('team/coder')
  await page.getByRole('button', { name: 'Create key and publish to dev (shadow)' }).click()
  await expect(page.getByText('Waiting for the first call from Claude Code…')).toBeVisible()
  await expect(progress('Key created', 'done')).toBeVisible()
  await expect(
    page.getByText('This key is shown only here, until you leave this page.'),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create another key' })).toBeEnabled()
  await expect(progress('Daemon connected', 'to do')).toBeVisible()
  // The key stays when another tab is looked at.
  await page.getByRole('tab', { name: 'Python' }).click()
  await expect(page).toHaveURL(/agent=python/)
  await expect(step('Start the daemon')).toContainText(/SIGNALBOX_API_KEY=sbx_\w+/)
  await page.getByRole('tab', { name: 'Claude Code' }).click()
  expect(await type(step('Install the CLI'))).toContain('added 1 package')
  const daemon = await type(step('Start the daemon'), /signalbox daemon: team\/coder on /)
  expect(daemon).toContain('signalbox daemon: team/coder on ')
  await type(step('Add the hooks in the agent’s folder'))
  const checked = await type(step('Check the connection'))
  expect(checked).toContain('daemon: answers')
  expect(checked).toContain('live: the canary was refused')
  await expect(progress('Daemon connected', 'done')).toBeVisible()

  const shadowed = await agent.run([
    () => ({ calls: [{ name: 'Bash', input: { command: 'true' } }] }),
    () => ({ say: 'Done.' }),
  ])
  expect(shadowed.exitCode).toBe(0)
  await expect(page.getByText('Connected. First call: Bash, allowed.')).toBeVisible()
  await expect(progress('First hook received', 'done')).toBeVisible()
  await expect(main.getByRole('link', { name: 'Get started' })).toContainText('2 of 3')
  await page.getByRole('link', { name: 'Open session' }).first().click()
  await expect(page.getByRole('row', { name: /Ended/ })).toContainText('completed')

  await page.goto('/configs')
  await expect(page.getByRole('row', { name: /team\/coder/ })).toContainText('Shadow: ')
  // Enforced rules of another prompt complete no step of this one.
  await publishOther(page)
  await page.getByRole('link', { name: 'Connect an agent' }).click()
  await expect(page.getByText('1 of 3 steps is done for team/other.')).toBeVisible()
  await expect(step('Start the daemon')).toContainText('--prompt team/other')
  await page.goto('/get-started')
  await expect(page.getByText('2 of 3 steps are done for team/coder.')).toBeVisible()
  await page.getByRole('link', { name: 'Enforce its rules' }).click()
  await page
    .getByRole('button', { name: /^Enforce all \d+ shadow rules and the stop check$/ })
    .click()
  await page.getByRole('button', { name: 'Review and publish' }).click()
  const published = page.waitForResponse(/releases\.publish/)
  const readAgain = published.then(() => page.waitForResponse(/drafts\.open/))
  await page.getByRole('button', { name: /^Publish v\d+ to dev/ }).click()
  await expect(page.getByText('v2 is live in dev')).toBeVisible()
  // The released version is the one in force now, and the sentence about the one before must stay.
  await readAgain
  await takenOver(page)
  await expect(
    page.getByText(/^The rules are now enforced in dev: \d+ rules deny calls/),
  ).toBeVisible()

  await page.goto('/get-started')
  await expect(page.getByText('The rules of team/coder are enforced.')).toBeVisible()
  await page.getByLabel('Prompt').fill('team/other')
  await expect(page.getByText('1 of 3 steps is done for team/other.')).toBeVisible()

  await enforce(page)
  await page.goto('/sessions')
  await expect(page.getByRole('heading', { name: 'Sessions', level: 1 })).toBeVisible()
  await expect(main.getByRole('link', { name: 'Get started' })).toHaveCount(0)
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

  // A list that was read before the session began reports it, and one that was read afterwards contains it.
  const news = page.getByRole('button', { name: /new session/ })
  // The other one is the session in shadow mode.
  const sessions = page.getByRole('link', { name: 'team/coder' })
  await expect(news.or(sessions.nth(1)).first()).toBeVisible({ timeout: 30_000 })
  if (await news.isVisible()) await news.click()
  await expect(sessions).toHaveCount(2)
  await sessions.first().click()
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
  await page.getByRole('link', { name: 'Plan steps are not done' }).first().click()
  await expect(page.getByText('What would unblock it')).toBeVisible()
  await expect(page.getByText(/Write the release notes/).first()).toBeVisible()
  // Every step is complete: the first page is the Overview again.
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  expect(problems).toEqual([])
})
