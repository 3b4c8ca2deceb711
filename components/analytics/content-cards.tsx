'use client'

import { sumCounts } from '@/components/kit/chart/plot.ts'
import { NamedCard } from './named-card.tsx'
import { StackedCard, type Surroundings } from './stacked-card.tsx'

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['masked', 'masked or cut'],
  ['withheld', 'result withheld'],
  ['denied', 'call denied'],
  ['warned', 'agent warned'],
  ['not_checked', 'not checked'],
])

const EMPTY = 'No content rule found anything in this range.'
const NOUN = 'finding'

/** A finding is one rule that found something in the arguments or the result of one call. */
export function ContentCards(around: Surroundings) {
  return (
    <>
      <StackedCard
        {...around}
        chart="content"
        title="Content found over time, by rule"
        empty={EMPTY}
        noun={NOUN}
        counted="Findings"
        otherNoun="rules"
        note="Counts each rule once for the arguments and once for the result of a call, however many places it found. Rules in shadow mode are not counted."
      />
      <NamedCard
        view={around.view}
        chart="content_actions"
        title="Content by rule and action"
        empty={EMPTY}
        noun={NOUN}
        columns={['Rule', 'Action']}
        isLying
        toBars={({ rows }) =>
          rows.map(({ names: [rule = '', action = ''], counts }) => ({
            key: `${rule} ${action}`,
            label: `${rule} · ${ACTIONS.get(action) ?? action}`,
            count: sumCounts(counts),
          }))
        }
      />
    </>
  )
}
