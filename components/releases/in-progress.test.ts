import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { TrpcProvider } from '@/components/trpc/trpc-provider.tsx'
import type { ListedSchedule } from '@/server/releases/schedule-list.sql.ts'
import { describeInProgress, InProgress } from './in-progress.tsx'

const PLAN: ListedSchedule = {
  id: 'sch_1',
  ns: 'shop',
  key: 'triage',
  environment: 'production',
  version: 3,
  digest: 'sha256:1',
  live: 2,
  note: null,
  dueAt: 0,
  zone: 'UTC',
  state: 'pending',
  reason: null,
  author: 'M. Ruiz',
  settledAt: null,
}

const REASON = 'The draft was edited after this was scheduled.'

const asWork = (planned: readonly ListedSchedule[]) => ({
  partly: [],
  staged: [],
  planned: [...planned],
  isPending: false,
  failed: null,
  retry: () => undefined,
})

function renderPlan(plan: ListedSchedule): string {
  const row = createElement(InProgress, { work: asWork([plan]) })
  const props = { project: null, children: row }
  const markup = renderToStaticMarkup(createElement(TrpcProvider, props))
  return markup.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|+/g, '|')
}

test.each([
  ['scheduled', PLAN, ['|Scheduled|', '|v3|', '|Change time|', '|Cancel|']],
  ['held', { ...PLAN, state: 'held', version: null }, ['|Held|', '|draft|', '|Cancel|']],
  [
    'refused when it was due',
    { ...PLAN, state: 'refused', reason: REASON },
    ['|Refused|', `|${REASON}|`, '|Dismiss|'],
  ],
] as const)(
  'a planned release that is %s shows its state and what can be done',
  (_, plan, texts) => {
    const shown = renderPlan(plan)
    for (const text of texts) expect(shown).toContain(text)
    expect(shown).toContain('chosen in UTC by M. Ruiz')
  },
)

test('the summary of the releases in progress counts them by state', () => {
  expect(describeInProgress(asWork([PLAN, PLAN]), 1)).toBe(
    'In progress: 2 scheduled, 1 waiting for approval.',
  )
  const ended = { ...PLAN, state: 'refused', reason: REASON } as const
  expect(describeInProgress(asWork([PLAN, ended]), 0)).toBe('In progress: 1 refused, 1 scheduled.')
  expect(describeInProgress(asWork([]), 0)).toBe('No release is in progress or waits for approval.')
  expect(describeInProgress(asWork([PLAN]), undefined)).toBe('\u00a0')
})
