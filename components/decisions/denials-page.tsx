// Which tool calls were denied? The list that charts and reasons lead to, newest first.
'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { KEPT_PAGES } from '@/components/lists/kept-pages.ts'
import { ListLine } from '@/components/lists/list-line.tsx'
import { MarkedFoot, MarkIcon, markAction } from '@/components/lists/marked-foot.tsx'
import { RowMenu } from '@/components/lists/row-menu.tsx'
import { useListKeys } from '@/components/lists/use-list-keys.ts'
import { useLiveRows } from '@/components/lists/use-live-rows.ts'
import { type Marks, useMarks } from '@/components/lists/use-marks.ts'
import { parseAsRange, promptOf } from '@/components/sessions/list-params.ts'
import { rangeOf } from '@/components/sessions/range.ts'
import { AllEnvironmentsButton, useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { ExportLinks } from '@/components/views/export-links.tsx'
import { SavedViews } from '@/components/views/saved-views.tsx'
import type { DenialFacts, DenialFilter } from '@/server/read-models/denial-list.ts'
import { DecisionPeek } from './decision-peek.tsx'

const PARSERS = {
  rule: parseAsString,
  tool: parseAsString,
  decision: parseAsStringLiteral(['denied', 'error']),
  prompt: parseAsString,
  version: parseAsInteger,
  range: parseAsRange,
  /** Id of the call that is looked at beside the list. */
  peek: parseAsString,
}

/** `now`: where a relative range ends. */
function useFilter(now: number) {
  const environment = useEnvironment()
  const [values, set] = useQueryStates(PARSERS)
  const filter = useMemo<DenialFilter>(() => {
    const { rule, tool, decision, version, range } = values
    const prompt = promptOf(values.prompt)
    return {
      ...(environment === undefined ? {} : { environment }),
      ...(rule === null ? {} : { rule }),
      ...(tool === null ? {} : { tool }),
      ...(decision === null ? {} : { decision }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(prompt === undefined || version === null ? {} : { version }),
      ...(range === null ? {} : rangeOf(range, now)),
    }
  }, [environment, values, now])
  return { values, set, filter }
}

const WORDS = [
  ['rule', 'rule'],
  ['tool', 'tool'],
  ['decision', 'decision'],
  ['prompt', 'prompt'],
  ['version', 'version'],
  ['range', 'time'],
] as const

export function DenialsPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock, or every render would ask for another list; who comes Back meets the one that was left. */
  readonly openedAt: number
}) {
  const { values, set, filter } = useFilter(openedAt)
  const on = WORDS.filter(([name]) => values[name] !== null)
  const marks = useMarks()
  const show = (peek: string | null): void => void set({ peek })
  useListKeys('decisions', {
    ...{ noun: 'denied call', marks, peek: { shown: values.peek, show } },
    ...{ hasActions: true, hasWhy: true, hasFilter: on.length > 0 },
  })
  return (
    <>
      <PageHeader
        title="Denied calls"
        actions={
          <>
            <SavedViews list="decisions" />
            <ExportLinks path="/api/export/decisions" query={{ filter }} />
          </>
        }
      />
      {on.length > 0 && (
        <div
          data-filters
          className="flex flex-wrap items-center gap-1.5 border-border border-b bg-surface-2 px-4 py-1.5"
        >
          {on.map(([name, word]) => (
            <Button
              key={name}
              className="max-w-full"
              onClick={() => void set({ [name]: null })}
              title={`Remove ${word}:${values[name]}`}
            >
              <span className="truncate">
                Remove{' '}
                <code>
                  {word}:{name === 'range' ? rangeWords(filter) : values[name]}
                </code>
              </span>
            </Button>
          ))}
        </div>
      )}
      <div className="flex">
        <div className="min-w-0 flex-1">
          <Every filter={filter} isFiltered={on.length > 0} marks={marks} />
        </div>
        {values.peek === null ? null : (
          <DecisionPeek key={values.peek} decisionId={values.peek} onClose={() => show(null)} />
        )}
      </div>
      <MarkedFoot marks={marks} base="/decisions/" />
    </>
  )
}

const PAGE = 100

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
  const listed = useMemo(() => query.data?.pages.flatMap((page) => page.denials), [query.data])
  const live = useLiveRows(
    { rows: listed, at: query.dataUpdatedAt, refetch: query.refetch },
    { rows: head.data?.denials, at: head.dataUpdatedAt, refetch: head.refetch },
  )
  return { query, ...live }
}

function rangeWords({ since, until }: DenialFilter): string {
  const text = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return `${text(since ?? 0)} UTC to ${until === undefined ? 'now' : `${text(until)} UTC`}`
}

function Every({
  filter,
  isFiltered,
  marks,
}: {
  readonly filter: DenialFilter
  readonly isFiltered: boolean
  readonly marks: Marks
}) {
  const { query, rows: denials, fresh, showFresh } = useDenials(filter)
  usePageKeys('decisions news', [
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
        action={<AllEnvironmentsButton />}
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
            <HeadCell>Reason</HeadCell>
            <HeadCell className="max-sm:hidden">Rule</HeadCell>
            <HeadCell className="max-sm:hidden">Prompt</HeadCell>
            <HeadCell className="max-sm:hidden">Session</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {denials.map((denial) => (
            <DenialRow key={denial.id} denial={denial} marks={marks} />
          ))}
        </tbody>
      </Table>
      {query.hasNextPage ? (
        <div className="px-4 py-2">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show 100 more
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function DenialRow({ denial, marks }: { readonly denial: DenialFacts; readonly marks: Marks }) {
  const { id, at, decision, tool, reason, rule, ns, key, sessionId, seq } = denial
  return (
    <Row className="focus-within:bg-row-selected">
      <Cell className="max-sm:hidden">
        <Timestamp at={at} style="second" />
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusText status={decision} />
      </Cell>
      <Cell className="font-mono text-mono max-sm:hidden">{tool}</Cell>
      <Cell className="max-w-md max-sm:whitespace-normal max-sm:break-words" title={reason}>
        <MarkIcon marks={marks} id={id} />
        <Link data-row={id} className="font-medium text-link" href={`/decisions/${id}`}>
          {reason}
        </Link>
        <p className="text-small text-text-2 sm:hidden">
          {decision === 'error' ? 'Error, denied' : 'Denied'} · <code>{tool}</code> · {ns}/{key} ·{' '}
          <Timestamp at={at} style="second" />
        </p>
      </Cell>
      <Cell className="font-mono text-mono max-sm:hidden">{rule === '' ? '–' : rule}</Cell>
      <Cell className="max-sm:hidden">
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
