// Each figure has the total of its percentage, and the change against the period of equal length before.

import { countText, plural, pluralize, shareText } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { STOP_ATTEMPTS } from '@/components/explanations/stop-attempts.ts'
import { Card } from '@/components/ui/card.tsx'
import { InfoPopover } from '@/components/ui/info-popover.tsx'
import { DayBars, HourTable } from './day-bars.tsx'
import { type FigureSet, runningText } from './figure-set.ts'

type Figure = FigureSet['callsDenied']

/** Kinds of problems that a figure shows. */
export type Risen = 'denials_rose' | 'bypasses_rose'

const DEFINITIONS = {
  started: 'One run of an agent on a prompt. Counted at its first event.',
  denied:
    'Share of the tool calls that the rules decided. A call that could not be evaluated counts as denied; an invalid call that no rule saw does not count.',
  blocked: `Stop attempts that a check blocked. ${STOP_ATTEMPTS}`,
  bypassed: `Stop attempts that were let through unfinished because the deadline, the budget or the block limit was reached. ${STOP_ATTEMPTS}`,
} as const

function startedChange({ value, previousValue }: Figure): string {
  const more = value - previousValue
  if (more === 0) return 'as many as the day before'
  return `${countText(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} than the day before`
}

function shareChange({ value, of, previousValue, previousOf }: Figure, noun: string): string {
  if (of === null || previousOf === null) return ''
  if (previousOf === 0) return `no ${pluralize(noun)} the day before`
  const [now, before] = [shareText(value, of), shareText(previousValue, previousOf)]
  if (of === 0) return `${before} the day before`
  if (now === before) return 'unchanged'
  return `${value / of > previousValue / previousOf ? 'up' : 'down'} from ${before}`
}

function describeBars(name: string, { series, of, since }: Figure): string {
  const highest = series.reduce<Figure['series'][number] | undefined>((most, hour) => {
    const size = (one: typeof hour): number => (of === null ? one.value : one.value / (one.of || 1))
    return most === undefined || size(hour) > size(most) ? hour : most
  }, undefined)
  const peak =
    highest === undefined
      ? ''
      : ` At most ${of === null ? countText(highest.value) : shareText(highest.value, highest.of || 1)} in an hour.`
  const change =
    since === null
      ? ''
      : ` It changed after the release of ${since.ns}/${since.key} v${since.version}.`
  return `${name} by hour, the last 24 hours.${peak}${change} The last hour is still filling.`
}

interface CardProps {
  readonly name: string
  /** Completes "What is …?" */
  readonly term: string
  readonly definition: string
  readonly figure: Figure
  readonly releases: FigureSet['releases']
  readonly text: string
  readonly change: string
  /** Class of the change while a problem in "Needs attention" is about this figure. */
  readonly alarm?: string | false
  readonly base: ReactNode
}

function FigureCard({
  name,
  term,
  definition,
  figure,
  releases,
  text,
  change,
  alarm,
  base,
}: CardProps) {
  return (
    <Card className="flex min-w-0 flex-col px-3 pt-2 pb-2 max-sm:px-2.5">
      <div className="flex items-center gap-1">
        <h2 className="min-w-0 truncate font-medium text-body">{name}</h2>
        <InfoPopover
          term={term}
          page="/docs/specs/live"
          more={<HourTable name={name} figure={figure} />}
        >
          {definition}
        </InfoPopover>
      </div>
      <p className="flex items-baseline gap-x-2 max-sm:flex-col">
        <span className="font-semibold text-display leading-7">{text}</span>
        <span className={clsx('min-w-0 text-small', alarm || 'text-text-2')}>{change}</span>
      </p>
      <p className="mb-1.5 text-small text-text-2">{base}</p>
      <div className="mt-auto">
        <DayBars label={describeBars(name, figure)} figure={figure} releases={releases} />
      </div>
    </Card>
  )
}

function ShareCard({
  noun,
  shadow = '',
  ...card
}: Pick<CardProps, 'name' | 'term' | 'definition' | 'figure' | 'releases' | 'alarm'> & {
  readonly noun: string
  /** Behind the base. Absent: nothing would have been refused. */
  readonly shadow?: string | undefined
}) {
  const { value, of } = card.figure
  return (
    <FigureCard
      {...card}
      text={shareText(value, of ?? 0)}
      base={
        of === 0
          ? `no ${pluralize(noun)} in 24 h`
          : `${countText(value)} of ${plural(of ?? 0, noun)}${shadow}`
      }
      change={shareChange(card.figure, noun)}
    />
  )
}

function shadowText(count: number, word: 'denied' | 'blocked'): string | undefined {
  return count === 0 ? undefined : `, ${countText(count)} would be ${word}`
}

export function Figures({
  figures: { running, releases, sessionsStarted, callsDenied, stopsBlocked, stopsBypassed, shadow },
  risen,
}: {
  readonly figures: FigureSet
  readonly risen: ReadonlySet<Risen>
}) {
  return (
    <div className="grid grid-cols-2 gap-2 sm:gap-3 xl:grid-cols-4">
      <FigureCard
        name="Sessions started"
        term="a session"
        definition={DEFINITIONS.started}
        figure={sessionsStarted}
        releases={releases}
        text={countText(sessionsStarted.value)}
        base={`${runningText(running)} running now`}
        change={startedChange(sessionsStarted)}
      />
      <ShareCard
        name="Tool calls denied"
        term="a denied call"
        noun="call"
        definition={DEFINITIONS.denied}
        figure={callsDenied}
        shadow={shadowText(shadow.calls, 'denied')}
        releases={releases}
        alarm={risen.has('denials_rose') && 'text-deny-fg'}
      />
      <ShareCard
        name="Stops blocked"
        term="a blocked stop"
        noun="stop attempt"
        definition={DEFINITIONS.blocked}
        figure={stopsBlocked}
        shadow={shadowText(shadow.stops, 'blocked')}
        releases={releases}
      />
      <ShareCard
        name="Stops bypassed"
        term="a bypassed stop"
        noun="stop attempt"
        definition={DEFINITIONS.bypassed}
        figure={stopsBypassed}
        releases={releases}
        alarm={risen.has('bypasses_rose') && 'text-warning-fg'}
      />
    </div>
  )
}
