import { newDemoSessionId } from '@signalbox/wire'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { DENIAL_FACE } from '@/components/explanations/decisions/denial-face.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import type { DenialFacts } from '@/server/explanations/denial-list.sql.ts'
import { PromptCell } from './cells.tsx'

const DEMO_ID = newDemoSessionId({ now: 0, random: new Uint8Array(16) })

const DENIAL: DenialFacts = {
  id: 'dec_1_7',
  at: 0,
  environment: 'dev',
  prompt: 'shop/triage',
  ns: 'shop',
  key: 'triage',
  sessionId: 'sess_1',
  seq: 7,
  tool: 'deploy & run',
  decision: 'denied',
  rule: 'no-deploy',
  code: 'rate_limit',
  reason: 'Too many calls.',
}

const isTagged = (markup: string): boolean => markup.includes('>Demo</span>')

test.each([
  ['a demo session', { session: DEMO_ID }, true],
  ['another session', { session: 'sess_1' }, false],
  ['a config of the demo', { ns: 'demo' }, true],
  ['another config', { ns: 'shop' }, false],
  ['the runtime of the demo', { runtime: 'signalbox-demo' }, true],
  ['another runtime', { runtime: 'demo' }, false],
  ['a record that its list knows to be of the demo', { isDemo: true }, true],
  ['a record of unknown origin', {}, false],
])('the tag of the demo marks only records of the demo: %s', (_, record, expected) => {
  expect(isTagged(renderToStaticMarkup(createElement(DemoTag, record)))).toBe(expected)
})

test.each([
  ['a session of the demo', { ...DENIAL, sessionId: DEMO_ID }, true],
  ['a session of another agent', DENIAL, false],
  // An agent of one's own may use the demo's config.
  ['a session of another agent with a config of the demo', { ...DENIAL, ns: 'demo' }, false],
])('a row about %s is tagged by its session, in the table and as a card', (_, row, expected) => {
  expect(isTagged(renderToStaticMarkup(createElement(PromptCell, { row })))).toBe(expected)
  const card = createElement(DENIAL_FACE.Card, { row, link: null })
  expect(isTagged(renderToStaticMarkup(card))).toBe(expected)
})

test.each([
  ['demo', true],
  ['shop', false],
])('a row about a release of a config in the namespace %s is tagged by it', (ns, expected) => {
  const row = { prompt: `${ns}/triage`, ns }
  expect(isTagged(renderToStaticMarkup(createElement(PromptCell, { row })))).toBe(expected)
})

/** Menu of the denied call, and what its items have done. */
function openRowMenu({ isMarked, isPeeked }: { isMarked: boolean; isPeeked: boolean }) {
  const done: string[] = []
  const items = DENIAL_FACE.actions(DENIAL, {
    marks: {
      ids: new Set(isMarked ? [DENIAL.id] : []),
      toggle: (id) => done.push(`toggle ${id}`),
      add: () => undefined,
      clear: () => undefined,
    },
    peek: { shown: isPeeked ? DENIAL.id : null, show: (id) => done.push(`peek ${id}`) },
  })
  for (const { onSelect } of items) onSelect?.()
  return { items: items.map(({ name, href }) => [name, href ?? null]), done }
}

test('the items of a row menu lead to the pages of the row, open its peek and mark it', () => {
  expect(openRowMenu({ isMarked: false, isPeeked: false })).toEqual({
    items: [
      ['Open the decision', '/decisions/dec_1_7'],
      ['Peek', null],
      ['Open in its session', '/sessions/sess_1?e=7'],
      ['Denied calls of deploy & run', '/decisions?tool=deploy+%26+run'],
      ['Mark', null],
    ],
    done: ['peek dec_1_7', 'toggle dec_1_7'],
  })
})

test('the menu of a marked row whose peek is open offers to undo both', () => {
  const { items, done } = openRowMenu({ isMarked: true, isPeeked: true })
  expect(items.map(([name]) => name)).toEqual([
    'Open the decision',
    'Close the peek',
    'Open in its session',
    'Denied calls of deploy & run',
    'Unmark',
  ])
  expect(done).toEqual(['peek null', 'toggle dec_1_7'])
})
