// A change is tested on recorded sessions before it is published: every count is known beforehand, and a stop that must stay blocked is
// pinned.
import { expect, type Page } from '@playwright/test'
import { compileConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { computeDigest, eventHash, newId, parseConfigText } from '@signalbox/wire'
import { barriersIn } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, openDraft, publishFirst } from './procedures.ts'
import { secrets } from './product.ts'
import { test } from './test.ts'

const NS = `backtest-${Date.now().toString(36)}`
const PROMPT = { ns: NS, key: 'agent' }
const HEAD = { schema_version: 1, ...PROMPT }
const order = (dependencies: object) => ({
  id: 'order',
  type: 'sequential_dependency',
  dependencies,
})

const LIVE = JSON.stringify({
  ...HEAD,
  policies: [order({ deploy: ['test'] })],
  task_completion_checker: { id: 'planned', type: 'plan' },
})
const DRAFT = {
  ...HEAD,
  policies: [
    order({ push: ['build'] }),
    { id: 'read', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
  ],
}

async function save(page: Page, document: object): Promise<void> {
  const text = JSON.stringify(document, null, 2)
  await call(page, 'drafts.save', {
    ...PROMPT,
    text,
    seen: await openDraft(page, PROMPT),
    baseVersion: 1,
  })
}

const ask = (tool: string, call_id: string, args: object = {}) => ({
  type: 'tool.requested',
  data: { call_id, tool, args },
})
const plan = (status: string) => ({
  type: 'plan.updated',
  data: { steps: [{ title: 'Ship', status }] },
})
const stop = { type: 'stop.attempted', data: { via: 'turn_end' } }

function recorded(happenings: readonly object[]): readonly SessionEvent[] {
  const parsed = parseConfigText(LIVE)
  const compiled = parsed.ok ? compileConfig(parsed.document) : parsed
  if (!parsed.ok || !compiled.ok) throw new Error('The config does not compile.')
  const random = crypto.getRandomValues(new Uint8Array(16))
  const session = newId('sess', { now: Date.now(), random })
  const events: SessionEvent[] = []
  let state = initialState(compiled.config.promptName)
  const record = (happening: object): void => {
    const before = events.at(-1)
    const event = {
      session,
      seq: events.length + 1,
      at: Date.now() - 60_000 + events.length,
      config: computeDigest(parsed.value),
      ...(before === undefined ? {} : { prev: eventHash(before) }),
      ...happening,
      // The drafts above are events of the wire format.
    } as SessionEvent
    events.push(event)
    const next = step(compiled.config, state, event)
    state = next.state
    for (const effect of next.effects) {
      if (effect.kind !== 'anomaly') record({ type: effect.kind, data: effect.data })
    }
  }
  const started = { ...PROMPT, environment: 'dev', harness: { name: 'test' } }
  for (const happening of [{ type: 'session.started', data: started }, ...happenings]) {
    record(happening)
  }
  return events
}

async function ingest(page: Page, events: readonly SessionEvent[]): Promise<void> {
  const answer = await page.request.post('/api/runtime/v1/events', {
    headers: {
      authorization: `Bearer ${secrets().demoKey}`,
      'content-type': 'application/x-ndjson',
    },
    data: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  })
  expect(await answer.json()).toMatchObject({ errors: [] })
}

async function prepare(page: Page): Promise<string> {
  await publishFirst(page, PROMPT, { text: LIVE, note: 'first' })
  // One change, then two decisions after it, one of which also differs.
  await ingest(page, recorded([ask('push', 'p1'), ask('read', 'r'), ask('push', 'p2')]))
  await ingest(page, recorded([ask('deploy', 'd')]))
  await ingest(page, recorded([ask('write', 'w', { path: 'a' })]))
  const blocked = recorded([plan('pending'), stop])
  await ingest(page, blocked)
  await save(page, DRAFT)
  const decided = blocked.find(({ type }) => type === 'stop.decided')
  return `stop_${decided?.session.slice(5)}_${decided?.seq}`
}

test.describe.configure({ mode: 'serial' })

test('a backtest counts changed decisions, those after a divergence, and those that cannot be replayed', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const stopId = await prepare(page)

  await page.goto(`/stops/${stopId}`)
  await page.getByRole('button', { name: 'Pin as test case' }).click()
  await page.getByRole('dialog').getByLabel('Note').fill('incident 212')
  await page.getByRole('dialog').getByRole('button', { name: 'Pin', exact: true }).click()
  await expect(page.getByRole('link', { name: 'Pinned: should be blocked' })).toBeVisible()

  await page.goto(`/configs/${NS}/agent/edit`)
  await expect(page.getByRole('button', { name: 'Backtest' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText('Current: the draft has not changed since')).toBeVisible()
  await expect(page.getByText('Nothing changed so far')).toHaveCount(0)
  for (const figure of [
    '1 Would deny',
    '1 Would allow',
    '0 Would block a stop',
    '1 Would allow a stop',
  ]) {
    await expect(page.getByRole('button', { name: figure, exact: true })).toBeVisible()
  }
  await expect(page.getByText('0Unchanged')).toBeVisible()
  await expect(page.getByText('1Cannot be replayed')).toBeVisible()
  await expect(page.getByText('2After divergence, 1 of them changed')).toBeVisible()
  await expect(page.getByText('its files were not looked up')).toBeVisible()

  await page.getByRole('button', { name: '1 Would deny' }).click()
  const rows = page.getByRole('region', { name: 'Changed decisions' }).getByRole('button')
  await expect(rows).toHaveCount(2)
  await page.keyboard.press('j')
  const peek = page.getByRole('complementary', { name: 'Change' })
  await expect(peek).toContainText('Exact')
  await page.keyboard.press('j')
  await expect(peek).toContainText('After divergence')
  await expect(peek.getByRole('link', { name: /Open event #/ })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])

  await page.getByRole('button', { name: 'Pinned cases 1, 1 failing' }).click()
  await expect(page.getByRole('list', { name: 'Pinned cases' })).toContainText('incident 212')
  expect(await barriersIn(page)).toEqual([])

  await save(page, { ...DRAFT, description: 'changed' })
  await expect(page.getByText('Run on an older draft')).toBeVisible()
  // The draft was saved elsewhere, so a backtest would not test the text of this page.
  await page.reload()
  await page.getByRole('button', { name: 'Run again' }).last().click()
  await expect(page.getByText('Current: the draft has not changed since')).toBeVisible()

  const draft = await openDraft(page, PROMPT)
  const acknowledged = ['backtest', 'cases']
  const release = { ...PROMPT, environment: 'dev', note: 'second', acknowledged }
  await expect(page.getByText('last 50 sessions and 1 pinned case')).toBeVisible()
  await expect(page.getByRole('button', { name: '1 Would deny', exact: true })).toBeVisible()
  await call(page, 'releases.publish', { ...release, draftId: draft.id, revision: draft.revision })
  await page.goto(`/configs/${NS}/agent/versions`)
  const tested = page.getByRole('link', { name: /^Backtest of v2: \+1 deny, −1 deny, −1 block/ })
  await expect(tested).toBeVisible()
  await expect(page.locator('[data-version="1"]')).toContainText('no backtest')
  await tested.click()
  await expect(page).toHaveURL(/\/backtests\/bkt_/)
  expect(problems).toEqual([])
})

test('a backtest uses the sessions of a saved view, or of a range of times in the displayed zone', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await save(page, { ...DRAFT, description: 'changed again' })
  await page.goto(`/configs/${NS}/agent/edit?tab=backtest`)
  const view = { list: 'sessions', name: 'Denied ones', query: 'verdict=denied', shared: false }
  await call(page, 'savedViews.save', view)
  const sample = page.getByRole('combobox', { name: 'Sample' })
  await sample.click()
  await page.getByRole('option', { name: 'View: Denied ones' }).click()
  await page.getByRole('button', { name: /^Run / }).first().click()
  await expect(page.getByText('sessions of the view “Denied ones” and 1 pinned case')).toBeVisible()
  await sample.click()
  await page.getByRole('option', { name: 'Custom time range' }).click()
  await page.getByLabel(/^From \(/).fill('2026-01-01T10:00')
  await page.getByLabel(/^To \(/).fill('2026-01-01T09:00')
  await expect(page.getByText('The end of the range must be after its start.')).toBeVisible()
  await page.getByLabel(/^To \(/).fill('2026-01-01T12:00')
  await page.getByRole('button', { name: 'Run again' }).first().click()
  await expect(
    page.getByText(/sessions from 2026-01-01 10:00:00 .* to 2026-01-01 12/),
  ).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  expect(problems).toEqual([])
})
