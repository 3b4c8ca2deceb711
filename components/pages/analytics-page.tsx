'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { DenialCards } from '@/components/analytics/denial-cards.tsx'
import { FeedbackCards } from '@/components/analytics/feedback-cards.tsx'
import { PlanCards } from '@/components/analytics/plan-cards.tsx'
import type { Surroundings } from '@/components/analytics/stacked-card.tsx'
import { StopCards } from '@/components/analytics/stop-cards.tsx'
import { periodText, summarize } from '@/components/analytics/summary-words.ts'
import type { Topic } from '@/components/analytics/topics.ts'
import { TOPICS } from '@/components/analytics/topics.ts'
import {
  AGAIN_MS,
  type AnalyticsView,
  RANGE_CHOICES,
  STANDARD_RANGE,
  useAnalyticsView,
} from '@/components/analytics/use-analytics-view.ts'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { linkKeys, openPage } from '@/components/kit/list/copy-link.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { LinkTabs } from '@/components/ui/link-tabs.tsx'
import { Select } from '@/components/ui/select.tsx'
import { Timestamp } from '@/components/ui/time.tsx'

const CARDS = {
  denials: DenialCards,
  feedback: FeedbackCards,
  stops: StopCards,
  plans: PlanCards,
} as const satisfies Record<Topic, (around: Surroundings) => ReactNode>

const HAND = 'hand'

type Frame = AnalyticsView['frame']

export function AnalyticsPage({ topic }: { readonly topic: Topic }) {
  const view = useAnalyticsView()
  const { frame, filter, version } = view
  const trpc = useTRPC()
  const { data: summary, isPlaceholderData } = useQuery({
    ...trpc.analytics.summary.queryOptions({
      topic,
      filter,
      ...(version === null ? {} : { version }),
    }),
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => before,
  })
  usePageKeys('analytics', linkKeys('this page', openPage))
  const { prompt } = view.filter
  const marks = (frame?.releases ?? []).map(({ at, version, key, kind }) => ({
    at,
    label: `${prompt === undefined ? `${key} ` : ''}v${version}${kind === 'rollback' ? ' rolled back' : ''}`,
  }))
  const Cards = CARDS[topic]
  return (
    <>
      <PageHeader
        title="Analytics"
        facts={
          summary === undefined || isPlaceholderData
            ? '\u00a0'
            : summarize(topic, summary, periodText(filter.until - filter.from))
        }
        actions={<SavedViews list={`analytics/${topic}`} />}
      />
      <TopicLinks topic={topic} />
      <FilterBar view={view} frame={frame} />
      <Notes view={view} frame={frame} sessions={summary?.sessions} />
      <div className="flex flex-col gap-3 p-4">
        <Cards view={view} marks={marks} keptSince={frame?.keptSince ?? null} summary={summary} />
      </div>
    </>
  )
}

/** Parameters of one page (hidden series, charts shown as tables), which links to other pages drop. */
const OF_ONE_PAGE = ['off', 'table', 'share', 'group']

function TopicLinks({ topic }: { readonly topic: Topic }) {
  const query = new URLSearchParams(useSearchParams())
  for (const name of OF_ONE_PAGE) query.delete(name)
  const rest = query.size === 0 ? '' : `?${query}`
  return (
    <LinkTabs
      label="Analytics"
      tabs={TOPICS.map(({ topic: one, name }) => ({ href: `/analytics/${one}${rest}`, name }))}
      current={TOPICS.findIndex((one) => one.topic === topic)}
    />
  )
}

function FilterBar({ view, frame }: { readonly view: AnalyticsView; readonly frame: Frame }) {
  const { values, change } = view
  const ranges = RANGE_CHOICES.map(({ value, label }) => ({ value: String(value), label }))
  const isKnown = ranges.some(({ value }) => value === values.range)
  const prompts = (frame?.prompts ?? []).map(({ ns, key }) => `${ns}/${key}`)
  const versions = view.filter.prompt === undefined ? [] : (frame?.versions ?? [])
  return (
    <div
      data-range={STANDARD_RANGE}
      data-whole-hours
      className="flex flex-wrap items-center gap-2 border-border border-b bg-surface-2 px-4 py-1.5"
    >
      <Select
        label="Range"
        value={isKnown ? values.range : HAND}
        options={isKnown ? ranges : [...ranges, { value: HAND, label: 'Range from link' }]}
        onChange={(range) => range !== HAND && change({ range })}
      />
      <ChoiceSelect
        label="Prompt"
        all="All prompts"
        choices={prompts.map((value) => ({ value, label: value }))}
        value={values.prompt}
        onChange={(prompt) => change({ prompt, version: null, against: null })}
        className="max-w-64"
      />
      {versions.length > 0 && (
        <ChoiceSelect
          label="Version"
          all="All versions"
          choices={versions.map(({ number }) => ({ value: String(number), label: `v${number}` }))}
          value={view.version === null ? null : String(view.version)}
          onChange={(version) => change({ version: version === null ? null : Number(version) })}
        />
      )}
      {(values.prompt !== null || values.range !== STANDARD_RANGE) && (
        <Button
          variant="quiet"
          onClick={() => change({ prompt: null, version: null, against: null, range: null })}
        >
          Clear filter
        </Button>
      )}
    </div>
  )
}

/** Always rendered, so that the charts do not move when notes arrive. */
function Notes({
  view,
  frame,
  sessions,
}: {
  readonly view: AnalyticsView
  readonly frame: Frame
  /** Undefined: not loaded. */
  readonly sessions: number | undefined
}) {
  const notes = frame === undefined ? ['\u00a0'] : listChartNotes(view, frame)
  return (
    <ul className="border-border border-b bg-surface-2 px-4 py-1.5 text-small text-text-2">
      {(notes.length === 0 ? [completeText(sessions)] : notes).map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notes have a fixed order and no state
        <li key={index}>{note}</li>
      ))}
    </ul>
  )
}

function completeText(sessions: number | undefined): string {
  if (sessions === undefined) return '\u00a0'
  return `Complete: ${sessions === 1 ? 'the 1 session' : `all ${plural(sessions, 'session')}`} of this range counted, without the demo`
}

function listChartNotes(
  { filter: { from, environment } }: AnalyticsView,
  { keptSince, gaps, unused }: NonNullable<Frame>,
): readonly ReactNode[] {
  const notes: ReactNode[] = []
  if (unused !== null) {
    notes.push(
      <>
        No session has begun with v{unused.version} of {unused.ns}/{unused.key} in{' '}
        {environment ?? unused.environment} since it was released on{' '}
        <Timestamp at={unused.at} style="row" />.
      </>,
    )
  }
  if (keptSince !== null && from < keptSince) {
    notes.push(
      <>
        The range is longer than the retention rule: lists begin at{' '}
        <Timestamp at={keptSince} style="row" />. Earlier counts are kept and shown on a hatched
        background.
      </>,
    )
  }
  if (gaps > 0) {
    notes.push(
      <>
        {plural(gaps, 'session')}
        {gaps === 1_000 ? ' or more' : ''} of this range miss events and are counted up to the first
        one that is missing.
      </>,
    )
  }
  return notes
}
