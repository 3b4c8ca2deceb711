import { expect, type Page, type Route } from '@playwright/test'
import { barriersIn, hasVisibleFocus, tabTo } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, read, type SeenDraft } from './procedures.ts'
import { DESK, PHONE, test } from './test.ts'

/** New in every run, even against a server that ran these tests before. */
const NS = `editor-${Date.now().toString(36)}`

async function openNew(page: Page, key: string): Promise<void> {
  await call(page, 'configs.create', { ns: NS, key })
  await page.goto(`/configs/${NS}/${key}/edit`)
  await page.locator('.cm-content').click()
}

function head(key: string): string {
  return `{\n  "schema_version": 1,\n  "ns": "${NS}",\n  "key": "${key}",\n`
}

/** The editor ignores Enter for a list that changed less than 75 ms ago, so that no one accepts an unseen suggestion. */
const SEEN_MS = 100

async function acceptOnly(page: Page): Promise<void> {
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.waitForTimeout(SEEN_MS)
  await page.keyboard.press('Enter')
}

test('a rule is written by keyboard alone, with completions of the JSON editor', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await openNew(page, 'offered')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(
    `${head('offered')}  "sections": [{ "id": "s", "tools": ["read_file", "write_file"] }],\n  \n}`,
  )
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('End')
  const offered = page.getByRole('option')
  await page.keyboard.press('Control+Space')
  await expect(offered.filter({ hasText: 'redaction' })).toBeAttached()
  await expect(offered.filter({ hasText: 'sections' })).toHaveCount(0)
  await page.keyboard.type('polic')
  await acceptOnly(page)

  await expect(offered.filter({ hasText: 'rate_limit' })).toBeVisible()
  await page.keyboard.type('rate_l')
  await acceptOnly(page)
  await page.keyboard.type('"')
  await expect(offered).toHaveText([/read_file/, /write_file/])
  await page.keyboard.type('wr')
  await acceptOnly(page)
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText('none')
  await expect(page.locator('.cm-content')).toContainText('"tools": ["write_file"]')

  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  await page.keyboard.press('Control+Shift+Space')
  await expect(page.locator('.cm-explanation')).toContainText('whole number, 1 to 100000, required')
  await page.keyboard.press('Escape')
  await expect(page.locator('.cm-explanation')).toHaveCount(0)

  const info = page.getByRole('button', { name: 'What is a canonical name?' })
  await info.focus()
  const explained = page.getByRole('note', { name: 'a canonical name' })
  await expect(explained).toContainText('The name of a tool that rules use.')
  await expect(explained).toBeVisible()
  const [under, box] = [await info.boundingBox(), await explained.boundingBox()]
  expect((box?.y ?? 0) - (under?.y ?? 0)).toBeLessThan(40)
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('Tab')
  await expect(explained.getByRole('link', { name: 'Read more' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(explained).toBeHidden()
  await expect(info).toBeFocused()
  expect(problems).toEqual([])
})

test('a condition completes its names in the form, by keyboard and by pointer', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await openNew(page, 'condition')
  await page.keyboard.press('ControlOrMeta+a')
  const rule = '{ "id": "once", "type": "expression", "tools": ["write_file"], "deny_when": "" }'
  await page.keyboard.insertText(`${head('condition')}  "policies": [${rule}]\n}`)
  const condition = page.getByRole('textbox', { name: 'Deny when' })
  await condition.focus()
  const names = page.getByRole('listbox', { name: 'Names for Deny when' })
  await page.keyboard.type('calls.')
  await expect(names.getByRole('option')).toHaveText([/^write_file/])
  await page.keyboard.press('Enter')
  await page.keyboard.type('.')
  await expect(names).toContainText('calls that succeeded')
  expect(await barriersIn(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await expect(condition).toHaveValue('calls.write_file.succeeded')
  await page.keyboard.type(' > 0 && si')
  await page.keyboard.press('Enter')
  await page.keyboard.type('args.text')
  await page.keyboard.press('Escape')
  await page.keyboard.press('End')
  await page.keyboard.type(' > 9')
  await expect(condition).toHaveValue('calls.write_file.succeeded > 0 && size(args.text) > 9')
  const advice = page.getByRole('region', { name: 'Problems' })
  await expect(advice).toContainText('calls counts calls that have finished')
  await expect(advice).not.toContainText('error')
  await page.keyboard.type(' && si')
  await expect(names).toBeVisible()
  await condition.click({ position: { x: 4, y: 8 } })
  await expect(names).toBeHidden()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('z')
  await names.getByRole('option', { name: /^size/ }).click()
  await expect(condition).toBeFocused()
  await page.keyboard.type('args.text')
  await page.keyboard.press('Escape')
  await page.keyboard.press('End')
  await page.keyboard.type(' > 1')
  await expect(condition).toHaveValue(/ > 9 && size\(args\.text\) > 1$/)
  expect(problems).toEqual([])
})

/** Waits until the text is saved or in conflict. */
async function retype(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('two users edit one draft: different fields merge, the same field is a conflict, nothing is lost', {
  tag: '@soak',
}, async ({ page, context }) => {
  const start = `${head('shared')}  "name": "shared",\n  "limits": { "max_stop_blocks": 10 }\n}`
  await openNew(page, 'shared')
  await retype(page, start)
  await expect(page.getByText(/saved \d/)).toBeVisible()
  await page.reload()
  const other = await context.newPage()
  await other.goto(`/configs/${NS}/shared/edit`)
  await expect(other.locator('.cm-content')).toContainText('max_stop_blocks')
  await expect(page.locator('.cm-content')).toContainText('max_stop_blocks')

  await retype(other, start.replace('10', '20'))
  await expect(other.getByText(/saved \d/)).toBeVisible()
  const renamed = start.replace('"name": "shared"', '"name":   "ours"')
  await retype(page, renamed)
  await expect(page.getByText(/Merged from Ana Ruiz: limits › max_stop_blocks/)).toBeVisible()
  await expect(page.locator('.cm-content')).toContainText('"name":   "ours"')
  await expect(page.locator('.cm-content')).toContainText('"max_stop_blocks": 20')
  await expect(page.getByText(/saved \d/)).toBeVisible()
  const told = page
    .getByRole('listitem')
    .filter({ hasText: 'Ana Ruiz’s change to Limits was merged' })
  // A message stays while the pointer is on it.
  await told.hover()
  expect(await barriersIn(page)).toEqual([])
  await told.getByRole('button', { name: 'Show' }).click()
  await expect(page).toHaveURL(/path=%2Flimits%2Fmax_stop_blocks|path=\/limits\/max_stop_blocks/)
  await expect(page.locator('.cm-content')).toBeFocused()
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('20')

  await retype(other, start.replace('10', '20').replace('"name": "shared"', '"name": "theirs"'))
  const conflict = other.getByRole('region', { name: /changed the same field/ })
  await expect(conflict.getByRole('group', { name: 'name' })).toContainText('"ours"')
  await expect(conflict.getByRole('button', { name: '1 to choose' })).toBeDisabled()
  expect(await barriersIn(other)).toEqual([])
  await conflict.getByLabel(/Keep mine/).check()
  await conflict.getByRole('button', { name: 'Save' }).click()
  await expect(other.getByText(/saved \d/)).toBeVisible()
  await other.reload()
  await expect(other.locator('.cm-content')).toContainText('"theirs"')
  await expect(other.locator('.cm-content')).toContainText('"max_stop_blocks": 20')
})

test('an offline editor keeps the text in the browser, reports that, and saves when the server is back', {
  tag: '@soak',
}, async ({ page, context }) => {
  await openNew(page, 'offline')
  await expect(page.getByText(/saved \d/)).toBeVisible()
  await context.setOffline(true)
  await retype(page, `${head('offline')}  "name": "written offline"\n}`)
  await expect(page.getByText('offline, kept in this browser')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText(/saved \d/)).toBeVisible()
  await page.reload()
  await expect(page.locator('.cm-content')).toContainText('written offline')
})

test('a draft based on an older version than the live one is updated before publishing', {
  tag: '@soak',
}, async ({ page }) => {
  await openNew(page, 'behind')
  const start = `${head('behind')}  "name": "one",\n  "limits": { "max_stop_blocks": 10 }\n}`
  await retype(page, start)
  await expect(page.getByText(/saved \d/)).toBeVisible()
  const prompt = { ns: NS, key: 'behind' }
  const publish = async (text: string) => {
    const { draft } = await read<{ readonly draft: SeenDraft | null }>(page, 'drafts.open', prompt)
    const seen = draft === null ? null : { id: draft.id, revision: draft.revision }
    const asked = { ...prompt, text, seen, baseVersion: null }
    const saved = await call<SeenDraft>(page, 'drafts.save', asked)
    const { id: draftId, revision } = saved
    await call(page, 'releases.publish', { ...prompt, draftId, revision, environment: 'dev' })
    return { id: draftId, revision }
  }
  await publish(start)
  const last = await publish(start.replace('10', '20'))
  await call(page, 'drafts.discard', { ...prompt, ...last })
  await call(page, 'drafts.save', {
    ...prompt,
    text: start.replace('"one"', '"mine"'),
    seen: null,
    baseVersion: 1,
  })
  await page.reload()
  const behind = page.getByText(/v2 went live in dev \(Ana Ruiz, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
  await expect(behind).toBeVisible()
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await expect(page.getByRole('dialog')).toContainText('this draft was made from v1')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Update draft' }).first().click()
  await expect(page.locator('.cm-content')).toContainText('"max_stop_blocks": 20')
  await expect(page.locator('.cm-content')).toContainText('"name": "mine"')
  await expect(behind).toHaveCount(0)
})

test('an earlier draft text is found, compared and restored, and undo reverts that', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await openNew(page, 'earlier')
  const start = `${head('earlier')}  "name": "one",\n  "limits": { "max_stop_blocks": 10 }\n}`
  // A large change is stored as a separate text, even shortly after the previous one.
  const long = `${head('earlier')}  "name": "two",\n  "description": "${'long '.repeat(120)}"\n}`
  for (const text of [start, long]) {
    await retype(page, text)
    await page.keyboard.press('ControlOrMeta+s')
    await expect(page.getByText(/saved \d/)).toBeVisible()
  }
  await page.keyboard.press('Alt+Shift+H')
  const list = page.getByRole('dialog', { name: 'Earlier texts of the draft' })
  const texts = list.getByRole('listitem')
  await expect(texts.first()).toContainText(`1 change, ${start.length} characters`)
  expect(await barriersIn(page)).toEqual([])
  await texts.first().getByRole('button').click()
  await expect(page).toHaveURL(/history=txt_/)
  const preview = page.getByRole('dialog', { name: /Draft saved .* by Ana Ruiz/ })
  await expect(preview.getByRole('listitem').filter({ hasText: 'one' })).toBeVisible()
  const now = preview.getByRole('textbox', { name: 'The draft now' })
  const then = preview.getByRole('textbox', { name: /^Draft saved/ })
  await expect(now.locator('.cm-line', { hasText: '"two"' })).toHaveText(/^removed: .*"name"/)
  await expect(then.locator('.cm-line', { hasText: '"one"' })).toHaveText(/^added: .*"name"/)
  await expect(then.locator('.cm-line', { hasText: '"schema_version"' })).toHaveText(/^ *"schema/)
  const signs = preview.locator('.cm-diffSigns .cm-gutterElement').filter({ hasText: /[+−]/ })
  await expect(signs).toHaveText(['−', '−', '+', '+'])
  expect(await barriersIn(page)).toEqual([])
  await preview.getByRole('button', { name: 'Restore this text' }).click()
  await expect(preview).toHaveCount(0)
  await expect(page.locator('.cm-content')).toContainText('"name": "one"')
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(page.locator('.cm-content')).toContainText('"name": "two"')
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect(page.getByText(/saved \d/)).toBeVisible()
  await page.reload()
  await expect(page.locator('.cm-content')).toContainText('"name": "one"')
  expect(problems).toEqual([])
})

test('a reloaded editor shows the typed text even when an older save finishes meanwhile', {
  tag: '@soak',
}, async ({ page }) => {
  await openNew(page, 'reloaded')
  const save = /\/api\/trpc\/drafts\.save/
  let letSaveThrough = () => {}
  const isLetThrough = new Promise<void>((resolve) => {
    letSaveThrough = resolve
  })
  await page.route(save, async (route) => {
    await isLetThrough
    await route.continue()
  })
  const sent = page.waitForRequest(save)
  await retype(page, `${head('reloaded')}  "name": "typed"\n}`)
  await sent
  const readOlder = async (route: Route) => {
    const older = await route.fetch()
    const saved = page.waitForResponse(save)
    letSaveThrough()
    await saved
    await route.fulfill({ response: older })
  }
  await page.route(page.url(), readOlder, { times: 1 })
  await page.reload()
  await expect(page.locator('.cm-content')).toContainText('"name": "typed"')
  await expect(page.getByText(/saved \d/)).toBeVisible()
})

test('a broken text is kept and disables the form, and a problem is found and repaired by keyboard', async ({
  page,
}) => {
  const problems = collectProblems(page)
  await openNew(page, 'broken')
  const rules = `  "policies": [\n    { "id": "rate",   "type": "rate_limit", "tools": ["deploy"], "max_calls": 5, "per_seconds": 40000000 }\n  ]\n}`
  const text = `${head('broken')}${rules}`
  await retype(page, text)
  await expect(page.getByLabel('Calls')).toHaveValue('5')
  await retype(page, text.replace('"policies"', ' ,  "policies"'))
  await expect(page.getByText(/Form shows the last valid version · 1 error at 5:\d+/)).toBeVisible()
  await expect(page.getByLabel('Calls')).toBeDisabled()
  await page.reload()
  await expect(page.locator('.cm-content')).toContainText(' ,  "policies"')

  await retype(page, text)
  const found = page.getByRole('region', { name: 'Problems' })
  const problem = found.getByText('Use at most 31,536,000.')
  await page.setViewportSize(PHONE)
  await expect(found).toContainText('1 error')
  await expect(problem).toBeHidden()
  await found.getByRole('button', { name: 'Show problems' }).click()
  await expect(problem).toBeVisible()
  await page.setViewportSize(DESK)
  await problem.click()
  await expect(page).toHaveURL(/path=%2Fpolicies%2F0%2Fper_seconds|path=\/policies\/0\/per_seconds/)
  await expect(page.locator('.cm-content')).toBeFocused()
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('40000000')
  await page.keyboard.press('F8')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(found).toContainText('none')
  const kept = `"id": "rate",   "type": "rate_limit", "tools": ["deploy"], "max_calls": 5, "per_seconds": 31536000 }`
  await expect(page.locator('.cm-content')).toContainText(kept)

  await page.getByLabel('Calls').fill('7')
  await expect(page.locator('.cm-content')).toContainText(kept.replace('5', '7'))
  await page.keyboard.press('ControlOrMeta+z')
  await expect(page.getByLabel('Calls')).toHaveValue('5')
  await page.getByRole('button', { name: 'Duplicate rate' }).click()
  await page.getByLabel('Id of Rate limit rate-2').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(page.getByRole('button', { name: 'Move rate-2 up' })).toBeDisabled()
  await expect(page.getByLabel('Id of Rate limit rate-2')).toBeFocused()
  expect(problems).toEqual([])
})

test('a draft is edited, checked and compared without a mouse, with exactly the keys of the shortcut sheet', {
  tag: '@soak',
}, async ({ page }) => {
  await openNew(page, 'keyboard')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(
    `${head('keyboard')}  "policies": [{ "id": "rate", "type": "rate_limit", "tools": [], "max_calls": 0, "per_seconds": 60 }]\n}`,
  )
  const panel = page.getByRole('region', { name: 'Problems' })
  await expect(panel).toContainText('1 error')
  await page.keyboard.press('Escape')
  await page.keyboard.press('F8')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(panel).not.toContainText('error')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText(/saved \d/)).toBeVisible()
  await page.keyboard.press('Alt+Shift+D')
  await expect(page.getByRole('heading', { name: 'Draft vs' })).toBeVisible()
  await tabTo(page, 'Copy the changes as text')
  expect(await hasVisibleFocus(page)).toBe(true)
  expect(await barriersIn(page)).toEqual([])

  await page.locator('body').press('Shift+?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const keys = sheet.getByRole('region', { name: 'editor' }).locator('kbd')
  await expect(keys).toHaveText([
    ...[
      'Ctrl+S',
      'Ctrl+Shift+Enter',
      'Ctrl+Enter',
      'Ctrl+Z',
      'Ctrl+Shift+Z',
      'F8',
      'Shift+F8',
      'Ctrl+.',
      'Alt+Shift+D',
      'Alt+Shift+H',
      'Alt+↑',
      'Alt+↓',
    ],
  ])
  await page.keyboard.press('Escape')
  // A closing sheet still receives keys.
  await expect(sheet).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+Shift+Enter')
  await expect(page.getByRole('dialog')).toContainText(/Publish|Ready/)
})

test('a question about every run is answered from the draft, with an example where some run does it', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const policies = [
    { id: 'tests-first', type: 'sequential_dependency', dependencies: { deploy: ['run_tests'] } },
  ]
  await openNew(page, 'asked')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(`${head('asked')}  "policies": ${JSON.stringify(policies)}\n}`)
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Question about every run' })
  await panel.getByLabel('Tool').fill('deploy')
  await panel.getByLabel('Without a success of').fill('run_tests')
  await expect(
    panel.getByText('No. No run allows such a call. It rests on tests-first.'),
  ).toBeVisible()
  await panel.getByLabel('Since the last success of (optional)').fill('write_file')
  await expect(panel.getByText('Yes. The last call of this session is allowed.')).toBeVisible()
  await expect(panel.getByRole('list', { name: 'Example' }).getByRole('listitem')).toHaveText([
    /session starts/,
    /run_tests/,
    /run_tests: success/,
    /write_file/,
    /write_file: success/,
    /deploy/,
  ])
  expect(await barriersIn(page)).toEqual([])
  await page.goto(`/configs/${NS}/asked/edit?tab=ask&ask=advice`)
  await expect(
    panel.getByText('No policy is known to never decide, and no trap is known.'),
  ).toBeVisible()
  await page.goto(`/configs/${NS}/asked/edit?tab=ask&tool=deploy`)
  await expect(panel.getByText('Complete the question to see the answer.')).toBeVisible()
  expect(problems).toEqual([])
})
