'use client'

import { contentKindLabel, countText, plural } from '@signalbox/core/analysis'
import { useState } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import type { ContentPlace } from '@/server/explanations/content-report.ts'
import type { DecisionExplanation } from '@/server/explanations/decision-explanation.ts'
import { RuleLink } from '../rule-link.tsx'

const SHOWN_FIRST = 20

/** Lists places, never their text, which is not recorded. */
export function ContentCard({ explanation }: { readonly explanation: DecisionExplanation }) {
  const [isWhole, setWhole] = useState(false)
  const { content } = explanation
  if (content === null) return null
  const { on, places, detectors } = content
  const shown = isWhole ? places : places.slice(0, SHOWN_FIRST)
  const names = detectors.map(({ name, version }) => `${name} ${version}`).join(', ')
  return (
    <Card>
      <CardHeader
        title={`Found in the ${on}`}
        aside={names === '' ? 'no detector was needed, or none answered' : `by ${names}`}
      />
      {places.length === 0 ? (
        <p className="p-3 text-text-2">Nothing.</p>
      ) : (
        <ol aria-label="Places" className="divide-y divide-border">
          {shown.map((place, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the places of a record have a fixed order and no state
            <li key={index} className="flex gap-2 px-3 py-2">
              <span className="font-mono text-mono text-text-3">{index + 1}</span>
              <Place place={place} explanation={explanation} />
            </li>
          ))}
        </ol>
      )}
      {shown.length === places.length ? null : (
        <div className="no-print px-3 pb-3">
          <Button onClick={() => setWhole(true)}>Show all {countText(places.length)} places</Button>
        </div>
      )}
      <p className="px-3 pb-3 text-small text-text-3">
        What was found is not recorded: only its kind, place and length.
      </p>
    </Card>
  )
}

const DONE: ReadonlyMap<string | null | undefined, string> = new Map([
  ['content.masked', 'masked'],
  ['content.withheld', 'withheld with the result'],
  ['content.denied', 'denied with the call'],
  ['content.warned', 'left in place; the agent was warned'],
])

function Place({
  place,
  explanation,
}: {
  readonly place: ContentPlace
  readonly explanation: DecisionExplanation
}) {
  const { rule, kind, offset, length } = place
  const row = explanation.rules.find((one) => one.rule === rule)
  const done = row?.mode === 'enforce' ? DONE.get(row.code) : 'left in place; the rule is in shadow'
  return (
    <div className="min-w-0 flex-1 break-words">
      <span className="font-medium">{contentKindLabel(kind)}</span> in <Where place={place} />,{' '}
      {plural(length, 'character')} from character {countText(offset + 1)}
      <p className="text-small text-text-2">
        Rule{' '}
        <code className="font-mono text-mono">
          <RuleLink config={explanation.config} pointer={row?.pointer}>
            {rule}
          </RuleLink>
        </code>
        {done === undefined ? '' : ` · ${done}`}
        <SameText place={place} sessionId={explanation.session.id} />
      </p>
    </div>
  )
}

function Where({ place: { pointer, property } }: { readonly place: ContentPlace }) {
  const value =
    pointer === '' ? 'the value' : <code className="font-mono text-mono">{pointer}</code>
  return property === null ? (
    value
  ) : (
    <>
      the name of property {property + 1} of {value}
    </>
  )
}

function SameText({
  place: { sameAs, alsoAt },
  sessionId,
}: {
  readonly place: ContentPlace
  readonly sessionId: string
}) {
  if (sameAs !== null) return ` · the same value as in place ${sameAs + 1}`
  if (alsoAt.length === 0) return null
  return (
    <>
      {' · the same value as in the call at '}
      {alsoAt.map((seq, index) => (
        <span key={seq}>
          {index > 0 ? ', ' : ''}
          <Link className="text-link underline" href={`/sessions/${sessionId}?e=${seq}`}>
            #{seq}
          </Link>
        </span>
      ))}
    </>
  )
}
