'use client'
// An offer first, then guards, then habits, which are folded because half of them are of no interest.
import { countText, plural } from '@signalbox/core/analysis'
import { type ReactNode, useId } from 'react'
import { describeUnused } from '@/components/labels/sample-words.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import type { SuggestedRule, Suggestions } from '@/server/suggestions/suggestions.ts'

type Sample = NonNullable<Suggestions['sample']>

export function RuleSections({
  place,
  sample,
  rules,
  children: renderRow,
}: {
  readonly place: LearnPlace
  readonly sample: Sample
  readonly rules: readonly SuggestedRule[]
  readonly children: (rule: SuggestedRule) => ReactNode
}) {
  const offers = rules.filter(({ kind }) => kind === 'file_facts')
  const rest = rules.filter(({ kind }) => kind !== 'file_facts')
  const guards = rest.filter(({ group }) => group === 'guard')
  const habits = rest.filter(({ group }) => group === 'habit')
  return (
    <>
      <SampleLine sample={sample} />
      {sample.good < sample.minSessions ? (
        <TooFew place={place} sample={sample} />
      ) : rules.length === 0 ? (
        <Card>
          <EmptyState title="No new pattern found: each one is already covered or could be coincidence.">
            Search again when more sessions ran, or label sessions that went wrong as bad.
          </EmptyState>
        </Card>
      ) : null}
      <Together sample={sample} rules={rules.length} />
      {offers.length === 0 ? null : (
        <Card>
          <CardHeader
            title="First: record facts about files"
            aside="without them, rules about reading and writing cannot be found"
          />
          {offers.map(renderRow)}
        </Card>
      )}
      {rest.length === 0 ? null : (
        <Card>
          <CardHeader title="Guards" aside="bad sessions broke them more often than good ones" />
          {guards.length === 0 ? <NoGuards bad={sample.bad} /> : guards.map(renderRow)}
        </Card>
      )}
      {habits.length === 0 ? null : (
        <FoldedCard
          title="Habits"
          count={habits.length}
          aside="a correlation, because one script has one order"
        >
          {habits.map(renderRow)}
        </FoldedCard>
      )}
    </>
  )
}

function SampleLine({ sample }: { readonly sample: Sample }) {
  const { good, bad, uses, days, version, skippedTools } = sample
  const compared = version === null ? '' : ` Compared with the rules of v${version}.`
  return (
    <p className="text-small text-text-2">
      {`From ${plural(good, 'good session')} in the ${days} days before the search, ${countText(bad)} marked bad.${describeUnused({ ...uses, bad: 0 })}${compared}`}
      {skippedTools.length === 0 ? null : (
        <>
          {' '}
          Calls of less busy tools were not analyzed:{' '}
          <span className="font-mono text-mono">{skippedTools.join(', ')}</span>.
        </>
      )}
    </p>
  )
}

function TooFew({ place, sample }: { readonly place: LearnPlace; readonly sample: Sample }) {
  const prompt = `${place.ns}/${place.key}`
  return (
    <Card>
      <EmptyState
        title={`${plural(sample.good, 'good session')}: too few. A rule needs ${sample.minSessions}.`}
      >
        A session is good when it completed under full enforcement, or when you label it as good.{' '}
        <Link
          className="text-link underline"
          href={`/sessions?${new URLSearchParams({ prompt }).toString()}`}
        >
          Sessions of {prompt}
        </Link>
        {' · '}
        <Link className="text-link underline" href="/docs/how-to/learn-rules">
          Learn rules from sessions
        </Link>
      </EmptyState>
    </Card>
  )
}

function NoGuards({ bad }: { readonly bad: number }) {
  return (
    <p className="px-3 py-2.5 text-text-2">
      {bad === 0
        ? 'No session is marked as bad. Mark those that went wrong, and search again: what they break is a guard.'
        : 'Bad sessions broke none of the rules below more often than good ones.'}
    </p>
  )
}

function Together({ sample, rules }: { readonly sample: Sample; readonly rules: number }) {
  if (sample.together === null || rules < 2) return null
  const { good, problems, isTrap } = sample.together
  if (good.denied === 0 && problems.length === 0 && !isTrap) return null
  return (
    <div className="flex flex-col gap-1 rounded-card border border-caution-bd bg-caution-bg px-3 py-2 text-caution-fg">
      <p>
        {`If all rules are added at once, ${countText(good.denied)} of ${plural(good.sessions, 'good session')} would have been denied or blocked.`}
      </p>
      {isTrap ? <p>The agent could get into a state from which no stop can pass.</p> : null}
      {problems.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
  )
}

export function FoldedCard({
  title,
  count,
  aside,
  children,
}: {
  readonly title: string
  readonly count: number
  readonly aside: string
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-card border border-border bg-surface">
      <details>
        <summary className="px-3 py-2">
          <h2 id={id} className="inline font-semibold text-h2">
            {title}
          </h2>{' '}
          <span className="text-small text-text-2">{`${countText(count)} · ${aside}`}</span>
        </summary>
        <div className="border-border border-t">{children}</div>
      </details>
    </section>
  )
}
