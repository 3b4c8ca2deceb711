// Which tool calls were denied? The list that charts and reasons lead to, newest first.
'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  type inferParserType,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { type RefObject, useMemo, useRef } from 'react'
import { DecisionPeek } from '@/components/explanations/decisions/decision-peek.tsx'
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
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { ActionsHead, Cell, HeadCell, MAIN_CELL, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DenialFacts, DenialFilter } from '@/server/explanations/denial-list.sql.ts'
import { DENIALS } from '@/server/explanations/denials.list.ts'
import type { ListPage } from '@/server/platform/list/define-list.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'

const PARSERS = {
  rule: parseAsString,
  tool: parseAsString,
  decision: parseAsStringLiteral(['denied', 'error']),
  prompt: parseAsString,
  version: parseAsInteger,
  range: parseAsRange,
  /** The filter text. */
  q: parseAsString,
  /** Id of the call that is looked at beside the list. */
  peek: parseAsString,
}

type Values = inferParserType<typeof PARSERS>

function chosenOf({ rule, tool, decision, prompt: name, version }: Values): DenialFilter {
  const prompt = promptOf(name)
  return {
    ...(rule === null ? {} : { rule }),
    ...(tool === null ? {} : { tool }),
    ...(decision === null ? {} : { decision }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(prompt === undefined || version === null ? {} : { version }),
  }
}

/** `now`: where a relative range ends. */
function useFilter(now: number) {
  const environment = useEnvironment()
  const [values, set] = useQueryStates(PARSERS)
  const text = useMemo(() => readFilterText(values.q, DENIALS.grammar), [values.q])
  const filter = useMemo<DenialFilter>(
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
const WORDS = ['rule', 'tool', 'version'] as const

const DECISIONS = [
  { value: 'denied', label: 'Denied' },
  { value: 'error', label: 'Error' },
] as const

type State = ReturnType<typeof useFilter>

export function DenialsPage({
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
  useListKeys('decisions', {
    ...{ noun: 'denied call', marks, peek, search },
    ...{ hasActions: true, hasWhy: true, hasFilter: true },
  })
  return (
    <>
      <PageHeader
        title="Denied calls"
        actions={
          <>
            <SavedViews list="decisions" />
            {problem === null ? (
              <ExportLinks path="/api/export/decisions" query={{ filter }} />
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
          <DecisionPeek key={shown} decisionId={shown} onClose={() => peek.show(null)} />
        )}
      </div>
      <MarkedFoot marks={marks} base="/decisions/" />
    </>
  )
}

const NOTHING_CHOSEN = {
  ...{ rule: null, tool: null, decision: null, prompt: null, version: null, range: null, q: null },
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
        label="Search denied calls"
        placeholder="tool:write class:could-not-evaluate"
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
        label="Decision"
        choices={DECISIONS}
        value={values.decision}
        onChange={(decision) => void set({ decision })}
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

const denialsOf = ({ rows }: ListPage<DenialFacts>): readonly DenialFacts[] => rows

function useDenials(filter: DenialFilter) {
  const trpc = useTRPC()
  const asked = { filter, limit: PAGE }
  const query = useInfiniteQuery(
    trpc.decisions.list.infiniteQueryOptions(asked, {
      getNextPageParam: (last) => last.nextCursor,
      ...KEPT_PAGES,
    }),
  )
  const head = useQuery(
    trpc.decisions.list.queryOptions(asked, { enabled: false, ...KEPT_PAGES, gcTime: 0 }),
  )
  return { query, ...useLiveRows({ query, head, rowsOf: denialsOf }) }
}

function Every({
  filter,
  isFiltered,
  onClear,
  ...rows
}: {
  readonly filter: DenialFilter
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly marks: Marks
  readonly peek: Peeking
}) {
  const { query, rows: denials, fresh, showFresh } = useDenials(filter)
  usePageKeys('decisions', [
    { keys: 'r', shown: 'r', does: 'show new denied calls', run: showFresh },
  ])
  if (denials === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The denied calls could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (denials.length === 0 && fresh === 0) {
    return (
      <EmptyState
        title={
          isFiltered
            ? 'No denied call matches the filter.'
            : `No tool call was denied yet${filter.environment === undefined ? '' : ` in ${filter.environment}`}.`
        }
        action={
          <>
            {isFiltered ? <Button onClick={onClear}>Clear filter</Button> : null}
            <AllEnvironmentsButton />
          </>
        }
      />
    )
  }
  return (
    <div className="bg-surface">
      <ListLine
        {...{ shown: denials.length, hasMore: query.hasNextPage, fresh, most: PAGE }}
        noun="denied call"
        onShow={showFresh}
      />
      <Table>
        <thead>
          <tr>
            <HeadCell className="max-sm:hidden">Time</HeadCell>
            <HeadCell className="max-sm:hidden">Decision</HeadCell>
            <HeadCell className="max-sm:hidden">Tool</HeadCell>
            <HeadCell className="sm:min-w-60">Reason</HeadCell>
            <HeadCell className="max-sm:hidden">Rule</HeadCell>
            <HeadCell className="max-sm:hidden">Prompt</HeadCell>
            <HeadCell className="max-sm:hidden">Session</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {denials.map((denial) => (
            <DenialRow key={denial.id} denial={denial} {...rows} />
          ))}
        </tbody>
      </Table>
      <MoreRows query={query} page={PAGE} />
    </div>
  )
}

function DenialRow({
  denial,
  marks,
  peek,
}: {
  readonly denial: DenialFacts
  readonly marks: Marks
  readonly peek: Peeking
}) {
  const { id, at, decision, tool, reason, rule, ns, key, sessionId, seq } = denial
  return (
    <Row className="focus-within:bg-row-selected">
      <Cell className="max-sm:hidden">
        <Timestamp at={at} style="row" />
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusText status={decision} />
      </Cell>
      <Cell className="max-w-40 font-mono text-mono max-sm:hidden" title={tool}>
        {tool}
      </Cell>
      <Cell className={MAIN_CELL} title={reason}>
        <MarkIcon marks={marks} id={id} />
        <Link data-row={id} className="font-medium text-link" href={`/decisions/${id}`}>
          {reason}
        </Link>
        <p className="text-small text-text-2 sm:hidden">
          <StatusText status={decision} /> · <code>{tool}</code> · {ns}/{key} ·{' '}
          <Timestamp at={at} style="second" />
        </p>
      </Cell>
      <Cell className="max-w-56 font-mono text-mono max-sm:hidden" title={rule}>
        {rule === '' ? '–' : rule}
      </Cell>
      <Cell className="max-w-48 max-sm:hidden" title={`${ns}/${key}`}>
        {ns}/{key}
      </Cell>
      <Cell className="max-sm:hidden">
        <Link className="font-mono text-link text-mono" href={`/sessions/${sessionId}?e=${seq}`}>
          {shortId(sessionId)}
        </Link>
      </Cell>
      <Cell className="px-1">
        <RowMenu
          label={`Actions for the call ${shortId(id)}`}
          items={[
            { name: 'Open the decision', href: `/decisions/${id}` },
            peekAction(peek, id),
            { name: 'Open in its session', href: `/sessions/${sessionId}?e=${seq}` },
            {
              name: `Denied calls of ${tool}`,
              href: `/decisions?${new URLSearchParams({ tool }).toString()}`,
            },
            markAction(marks, id),
          ]}
        />
      </Cell>
    </Row>
  )
}
