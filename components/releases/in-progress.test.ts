import { type ComponentProps, createElement } from 'react'
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

type Requests = ComponentProps<typeof InProgress>['requests']

function renderPlan(plan: ListedSchedule, requests: Requests = []): string {
  const row = createElement(InProgress, { work: asWork([plan]), requests })
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

test('a planned release says whether it was approved, and when it was too late', () => {
  const refused = { ...PLAN, state: 'refused', reason: REASON } as const
  const approved = {
    planIds: [PLAN.id],
    state: 'approved',
    sentence: 'Approved by Bo',
    standing: { counted: [{ at: PLAN.dueAt - 1 }] },
  } as const
  const late = renderPlan(refused, [{ ...approved, standing: { counted: [{ at: 1 }] } }])
  expect(late).toContain('Approved by Bo after that time')
  // It was refused for another reason.
  expect(renderPlan(refused, [approved])).toContain('|Approved by Bo|')
  expect(renderPlan(PLAN, [approved])).toContain('|Approved by Bo|')
  const other = { ...approved, planIds: ['sch_2'] }
  expect(renderPlan(PLAN, [other])).not.toContain('Approved')
})

test('the summary of the releases in progress counts them by state', () => {
  expect(describeInProgress(asWork([PLAN, PLAN]), [{ state: 'waiting' }])).toBe(
    'Needs a decision: 1 waiting for approval. In progress: 2 scheduled.',
  )
  const ended = { ...PLAN, state: 'refused', reason: REASON } as const
  expect(
    describeInProgress(asWork([PLAN, ended]), [{ state: 'refused' }, { state: 'approved' }]),
  ).toBe('Needs a decision: 1 approved, 2 refused. In progress: 1 scheduled.')
  expect(describeInProgress(asWork([]), [])).toBe(
    'No release is staged, scheduled or waits for a decision.',
  )
  expect(describeInProgress(asWork([PLAN]), undefined)).toBe('\u00a0')
})
