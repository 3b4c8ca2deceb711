// What were agents told, and did they do it? The list that the charts of feedback lead to, newest first.
'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  type inferParserType,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { type RefObject, useMemo, useRef } from 'react'
import { DeliveryPeek } from '@/components/feedback/delivery-peek.tsx'
import { FollowedText } from '@/components/feedback/followed-text.tsx'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { FilterBox, Refused } from '@/components/kit/list/filter-box.tsx'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { ListLine } from '@/components/kit/list/list-line.tsx'
import { parseAsRange, promptOf } from '@/components/kit/list/list-params.ts'
import { MarkedFoot, MarkIcon, markAction } from '@/components/kit/list/marked-foot.tsx'
import { MoreRows } from '@/components/kit/list/more-rows.tsx'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { rangeOf } from '@/components/kit/list/range.ts'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { RemoveFilter } from '@/components/kit/list/remove-filter.tsx'
import { RowMenu } from '@/components/kit/list/row-menu.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useLiveRows } from '@/components/kit/list/use-live-rows.ts'
import { type Marks, useMarks } from '@/components/kit/list/use-marks.ts'
import { ExportLinks } from '@/components/saved-views/export-links.tsx'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { AllEnvironmentsButton, useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { ActionsHead, Cell, HeadCell, MAIN_CELL, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { DELIVERIES } from '@/server/feedback/deliveries.list.ts'
import type {
  DeliveryFacts,
  DeliveryFilter,
  UnlistedSessions,
} from '@/server/feedback/delivery-list.sql.ts'
import type { ListPage } from '@/server/platform/list/define-list.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'

const PARSERS = {
  provider: parseAsString,
  name: parseAsString,
  severity: parseAsStringLiteral(['info', 'caution', 'warning']),
  followed: parseAsStringLiteral(['any', 'yes', 'no', 'ended', 'open']),
  prompt: parseAsString,
  version: parseAsInteger,
  range: parseAsRange,
  /** The filter text. */
  q: parseAsString,
  /** Id of the delivery that is looked at beside the list. */
  peek: parseAsString,
}

type Values = inferParserType<typeof PARSERS>

function chosenOf(values: Values): DeliveryFilter {
  const { provider, name, severity, followed, version } = values
  const prompt = promptOf(values.prompt)
  return {
    ...(provider === null ? {} : { provider }),
    ...(name === null ? {} : { name }),
    ...(severity === null ? {} : { severity }),
    ...(followed === null ? {} : { followed }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(prompt === undefined || version === null ? {} : { version }),
  }
}

/** `now`: where a relative range ends. */
function useFilter(now: number) {
  const environment = useEnvironment()
  const [values, set] = useQueryStates(PARSERS)
  const text = useMemo(() => readFilterText(values.q, DELIVERIES.grammar), [values.q])
  const filter = useMemo<DeliveryFilter>(
    () => ({
      ...(environment === undefined ? {} : { environment }),
      ...chosenOf(values),
      ...(text.terms.length === 0 ? {} : { terms: text.terms }),
      ...(values.range === null ? {} : rangeOf(values.range, now)),
    }),
    [environment, values, now, text],
  )
  return { values, set, filter, problem: text.problem }
}

/** What links bring and no control shows. */
const WORDS = ['provider', 'name', 'version'] as const

const SEVERITIES = [
  { value: 'info', label: 'Info' },
  { value: 'caution', label: 'Caution' },
  { value: 'warning', label: 'Warning' },
] as const

const WHATEVER = 'whatever'

const FOLLOWED = [
  { value: WHATEVER, label: 'Any outcome' },
  { value: 'any', label: 'suggests an action' },
  { value: 'yes', label: 'followed' },
  { value: 'no', label: 'not followed' },
  { value: 'ended', label: 'session ended first' },
  { value: 'open', label: 'open' },
] as const

type State = ReturnType<typeof useFilter>

export function DeliveriesPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock, or every render would ask for another list; who comes Back meets the one that was left. */
  readonly openedAt: number
}) {
  const state = useFilter(openedAt)
  const { values, set, filter, problem } = state
  const { peek: shown, ...parts } = values
  const search = useRef<HTMLInputElement>(null)
  const marks = useMarks()
  const peek: Peeking = { shown, show: (id) => void set({ peek: id }) }
  useListKeys('feedback', {
    ...{ noun: 'delivery', marks, peek, search },
    ...{ hasActions: true, hasFilter: true },
  })
  return (
    <>
      <PageHeader
        title="Feedback delivered"
        actions={
          <>
            <SavedViews list="feedback" />
            {problem === null ? (
              <ExportLinks path="/api/export/feedback" query={{ filter }} />
            ) : null}
          </>
        }
      />
      <Filters state={state} search={search} />
      <div className="flex">
        <div className="min-w-0 flex-1">
          {problem === null ? (
            <Every
              filter={filter}
              isFiltered={Object.values(parts).some((part) => part !== null)}
              onClear={() => void set(NOTHING_CHOSEN)}
              {...{ marks, peek }}
            />
          ) : (
            <Refused />
          )}
        </div>
        {shown === null ? null : (
          <DeliveryPeek key={shown} id={shown} onClose={() => peek.show(null)} />
        )}
      </div>
      <MarkedFoot marks={marks} base="/e/" />
    </>
  )
}

const NOTHING_CHOSEN = {
  ...{ provider: null, name: null, severity: null, followed: null },
  ...{ prompt: null, version: null, range: null, q: null },
} as const

function Filters({
  state: { values, set, problem },
  search,
}: {
  readonly state: State
  readonly search: RefObject<HTMLInputElement | null>
}) {
  return (
    <search
      data-filters
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-border border-b bg-surface-2 px-4 py-1.5"
    >
      <FilterBox
        input={search}
        label="Search feedback"
        placeholder="provider:deadline followed:no"
        text={values.q}
        problem={problem}
        onText={(q) => set({ q })}
      />
      <RangeSelect range={values.range} onChange={(range) => void set({ range })} />
      <PromptSelect
        value={values.prompt}
        onChange={(prompt) => void set({ prompt, version: null })}
      />
      <ChoiceChips
        label="Severity"
        choices={SEVERITIES}
        value={values.severity}
        onChange={(severity) => void set({ severity })}
      />
      <Select
        label="Followed"
        value={values.followed ?? WHATEVER}
        options={FOLLOWED}
        onChange={(next) => void set({ followed: next === WHATEVER ? null : next })}
      />
      {WORDS.filter((name) => values[name] !== null).map((name) => (
        <RemoveFilter
          key={name}
          part={`${name}:${values[name]}`}
          onRemove={() => void set({ [name]: null })}
        />
      ))}
    </search>
  )
}

const PAGE = 100

const deliveriesOf = ({ rows }: ListPage<DeliveryFacts>): readonly DeliveryFacts[] => rows

function useDeliveries(filter: DeliveryFilter) {
  const trpc = useTRPC()
  const asked = { filter, limit: PAGE }
  const query = useInfiniteQuery(
    trpc.feedback.list.infiniteQueryOptions(asked, {
      getNextPageParam: (last) => last.nextCursor,
      ...KEPT_PAGES,
    }),
  )
  const head = useQuery(
    trpc.feedback.list.queryOptions(asked, { enabled: false, ...KEPT_PAGES, gcTime: 0 }),
  )
  const live = useLiveRows({ query, head, rowsOf: deliveriesOf })
  return { query, unlisted: query.data?.pages[0]?.unlisted ?? null, ...live }
}

function Every({
  filter,
  isFiltered,
  onClear,
  ...rows
}: {
  readonly filter: DeliveryFilter
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly marks: Marks
  readonly peek: Peeking
}) {
  const { query, unlisted, rows: deliveries, fresh, showFresh } = useDeliveries(filter)
  usePageKeys('feedback', [{ keys: 'r', shown: 'r', does: 'show new deliveries', run: showFresh }])
  if (deliveries === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The feedback could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (deliveries.length === 0 && fresh === 0) {
    return (
      <>
        <Unlisted unlisted={unlisted} />
        <EmptyState
          title={
            isFiltered
              ? 'No feedback matches the filter.'
              : `No feedback was delivered yet${filter.environment === undefined ? '' : ` in ${filter.environment}`}.`
          }
          action={
            <>
              {isFiltered ? <Button onClick={onClear}>Clear filter</Button> : null}
              <AllEnvironmentsButton />
            </>
          }
        />
      </>
    )
  }
  return (
    <div className="bg-surface">
      <Unlisted unlisted={unlisted} />
      <ListLine
        {...{ shown: deliveries.length, hasMore: query.hasNextPage, fresh, most: PAGE }}
        noun="delivery"
        onShow={showFresh}
      />
      <Table>
        <thead>
          <tr>
            <HeadCell className="max-sm:hidden">Time</HeadCell>
            <HeadCell className="max-sm:hidden">Severity</HeadCell>
            <HeadCell className="max-sm:hidden">Provider</HeadCell>
            <HeadCell className="sm:min-w-60">Says</HeadCell>
            <HeadCell className="max-sm:hidden">Followed</HeadCell>
            <HeadCell className="max-sm:hidden">Prompt</HeadCell>
            <HeadCell className="max-sm:hidden">Session</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} {...rows} />
          ))}
        </tbody>
      </Table>
      <MoreRows query={query} page={PAGE} />
    </div>
  )
}

/** What the list lacks, of before it was kept: it comes with the rows, so that none of them moves. */
function Unlisted({ unlisted }: { readonly unlisted: UnlistedSessions | null }) {
  const { waiting = 0, gone = 0 } = unlisted ?? {}
  if (waiting === 0 && gone === 0) return null
  const sessions = (count: number): string =>
    count >= 1_000 ? `${countText(count)} or more sessions` : plural(count, 'session')
  return (
    <ul className="border-border border-b bg-surface-2 px-4 py-1.5 text-small text-text-2">
      {waiting > 0 ? (
        <li>
          Feedback of {sessions(waiting)} of before this list was kept is being added; charts count
          it already.
        </li>
      ) : null}
      {gone > 0 ? (
        <li>
          Feedback of {sessions(gone)} of before this list was kept is missing, because the
          retention rule has removed their events; charts count it.
        </li>
      ) : null}
    </ul>
  )
}

function DeliveryRow({
  delivery,
  marks,
  peek,
}: {
  readonly delivery: DeliveryFacts
  readonly marks: Marks
  readonly peek: Peeking
}) {
  const { id, at, severity, provider, says, followed, ns, key, sessionId, seq } = delivery
  const href = `/sessions/${sessionId}?e=${seq}`
  return (
    <Row className="focus-within:bg-row-selected">
      <Cell className="max-sm:hidden">
        <Timestamp at={at} style="row" />
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusText status={severity} />
      </Cell>
      <Cell className="max-w-40 font-mono text-mono max-sm:hidden" title={provider}>
        {provider}
      </Cell>
      <Cell className={MAIN_CELL} title={says}>
        <MarkIcon marks={marks} id={id} />
        <Link data-row={id} className="font-medium text-link" href={href}>
          {says === '' ? 'no text' : says}
        </Link>
        <div className="flex flex-wrap gap-x-1.5 text-small text-text-2 sm:hidden">
          <StatusText status={severity} />· <code>{provider}</code> ·{' '}
          <FollowedText followed={followed} /> · {ns}/{key} · <Timestamp at={at} style="second" />
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <FollowedText followed={followed} />
      </Cell>
      <Cell className="max-w-48 max-sm:hidden" title={`${ns}/${key}`}>
        {ns}/{key}
      </Cell>
      <Cell className="max-sm:hidden">
        <Link className="font-mono text-link text-mono" href={`/sessions/${sessionId}`}>
          {shortId(sessionId)}
        </Link>
      </Cell>
      <Cell className="px-1">
        <RowMenu
          label={`Actions for the feedback ${shortId(id)}`}
          items={[
            { name: 'Open in its session', href },
            peekAction(peek, id),
            {
              name: `Feedback of ${provider}`,
              href: `/feedback?${new URLSearchParams({ provider }).toString()}`,
            },
            markAction(marks, id),
          ]}
        />
      </Cell>
    </Row>
  )
}
