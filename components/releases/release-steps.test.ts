import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Adoption, RuntimeAdoption } from '@/server/releases/adoption.ts'
import { ReleaseSteps } from './release-steps.tsx'

const RELEASE = {
  createdAt: 0,
  previousVersion: 1,
  appliedCount: 4,
  successor: null,
  sessions: { firstAt: null, count: 0 },
} as const

const runtime = (name: string, state: RuntimeAdoption['state']): RuntimeAdoption => ({
  id: name,
  name,
  state,
  reason: null,
  appliedAt: state === 'applied' ? 12_000 : null,
  rejectedAt: null,
  runs: 2,
  running: 0,
  keeping: 0,
})

const EVERYWHERE: Adoption = {
  id: 'rel_1',
  environment: 'dev',
  version: 2,
  revision: 2,
  createdAt: 0,
  status: 'live',
  isLate: true,
  applied: 2,
  rejected: 0,
  total: 2,
  successor: null,
  rejection: null,
  lastApplied: null,
  runtimes: [runtime('worker-1', 'applied'), runtime('worker-2', 'applied')],
}

const PARTLY: Adoption = {
  ...EVERYWHERE,
  status: 'publishing',
  applied: 1,
  total: 3,
  runtimes: [
    runtime('worker-1', 'applied'),
    runtime('worker-2', 'pending'),
    runtime('worker-3', 'pending'),
  ],
}

const REJECTED: Adoption = {
  ...EVERYWHERE,
  status: 'partial',
  isLate: false,
  applied: 1,
  rejected: 1,
  runtimes: [runtime('worker-1', 'applied'), runtime('worker-2', 'rejected')],
}

const successor = {
  id: 'r',
  kind: 'publish',
  version: 3,
  author: 'M. Ruiz',
  note: null,
  at: 0,
} as const

const WAITING: Adoption = { ...EVERYWHERE, status: 'waiting', applied: 0, total: 0, runtimes: [] }
const LEFT: Adoption = {
  ...EVERYWHERE,
  applied: 0,
  total: 0,
  runtimes: [],
  lastApplied: { runtime: 'worker-1', at: 0 },
}
const REPLACED: Adoption = { ...EVERYWHERE, status: 'superseded', successor }

interface Shown {
  readonly adoption: Adoption | undefined
  readonly successor?: typeof successor
  readonly appliedCount?: number
}

/** Icon and text of the step about the runtimes. */
function renderAdoption({ adoption, ...release }: Shown) {
  const props = { release: { ...RELEASE, ...release }, adoption, watch: null }
  const markup = renderToStaticMarkup(createElement(ReleaseSteps, props))
  const step = markup.split('<li')[2] ?? ''
  const icon = /lucide-[a-z-]+/.exec(step)?.[0]
  const texts = [...step.matchAll(/>([^<>]+)</g)].map(([, text]) => text)
  return [icon, ...texts]
}

test.each([
  [
    'applied everywhere',
    { adoption: EVERYWHERE },
    ['lucide-circle-check', 'Applied by 2 of 2 runtimes', 'all after 12 s'],
  ],
  [
    'applying',
    { adoption: { ...PARTLY, isLate: false } },
    ['lucide-radio', 'Applied by 1 of 3 runtimes', 'worker-2 has not applied it · 1 more to go'],
  ],
  [
    'partly applied after a minute',
    { adoption: PARTLY },
    [
      'lucide-triangle-exclamation-point',
      'Applied by 1 of 3 runtimes',
      'worker-2 has not applied it · 1 more to go',
    ],
  ],
  [
    'rejected',
    { adoption: REJECTED },
    ['lucide-triangle-exclamation-point', 'Applied by 1 of 2 runtimes', 'worker-2 rejected it'],
  ],
  [
    'waiting for a runtime',
    { adoption: WAITING },
    ['lucide-hourglass', 'Applied by no runtime yet', 'none that hosts this prompt is connected'],
  ],
  [
    'applied by runtimes that left',
    { adoption: LEFT },
    ['lucide-circle-check', 'Applied by 4 runtimes', '0 connected now'],
  ],
  [
    'replaced',
    { adoption: REPLACED, successor },
    ['lucide-circle-check', 'Applied by 4 runtimes', 'before v3 replaced it'],
  ],
  [
    'replaced before a runtime applied it',
    { adoption: REPLACED, successor, appliedCount: 0 },
    ['lucide-circle-dashed', 'Applied by 0 runtimes', 'before v3 replaced it'],
  ],
] as const)('the steps of a release that is %s name the runtimes', (_, shown, step) => {
  expect(renderAdoption(shown)).toEqual(step)
})

test('the step about the runtimes keeps its place until they are loaded', () => {
  expect(renderAdoption({ adoption: undefined })).toEqual([
    'lucide-circle-dashed',
    'Applied',
    '\u00a0',
  ])
})
