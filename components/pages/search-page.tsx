'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { parseEventId } from '@signalbox/wire'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search as SearchIcon } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { parseAsString, useQueryState } from 'nuqs'
import { type ComponentProps, type ReactNode, useDeferredValue, useRef } from 'react'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { hitPath, placePath } from '@/components/search/search-href.ts'
import { useDocsHits } from '@/components/search/use-docs-hits.ts'
import { useTyped } from '@/components/shell/address-provider.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { isStatus, StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Hit } from '@/server/search/search.sql.ts'
import type { Found, FoundKind } from '@/server/search/search.ts'

const TITLE = {
  session: 'Sessions',
  stop: 'Stops',
  decision: 'Denied calls',
  config: 'Configs',
  rule: 'Rules',
  runtime: 'Runtimes',
  annotation: 'Annotations',
  view: 'Saved views',
} as const satisfies Record<Hit['kind'], string>

export function SearchPage() {
  const [address, setAddress] = useQueryState('q', parseAsString.withDefault(''))
  const [typed, type] = useTyped(address, (next) => setAddress(next || null))
  const input = useRef<HTMLInputElement>(null)
  const router = useRouter()
  const trpc = useTRPC()
  const text = useDeferredValue(typed).trim()
  const { data, error, refetch } = useQuery(
    trpc.search.find.queryOptions(
      { q: text },
      { enabled: text !== '', placeholderData: keepPreviousData, staleTime: 10_000 },
    ),
  )
  useListKeys('search', { search: input })
  const place = data?.place ?? null
  const pages = useDocsHits(text)
  const found = data === undefined || pages === null ? null : { ...data, pages }
  return (
    <>
      <PageHeader
        title="Search"
        facts={
          <p role="status">{text === '' ? 'Search by ID or keyword.' : describeFound(found)}</p>
        }
      />
      <search className="border-border border-b bg-surface-2 px-4 py-2">
        <form
          className="relative max-w-xl"
          onSubmit={(event) => {
            event.preventDefault()
            if (place !== null) router.push(placePath(place))
          }}
        >
          <SearchIcon
            aria-hidden
            size={14}
            className="absolute top-1/2 left-2 -translate-y-1/2 text-text-3"
          />
          <Input
            ref={input}
            type="search"
            aria-label="Search the project"
            value={typed}
            maxLength={200}
            spellCheck={false}
            placeholder="sess_…, a reason, a prompt, a rule, an annotation"
            className="pr-7 pl-7"
            onChange={({ currentTarget }) => type(currentTarget.value)}
          />
          <span className="absolute inset-y-0 right-1.5 flex items-center max-sm:hidden">
            <Kbd>/</Kbd>
          </span>
        </form>
      </search>
      {text === '' ? (
        <EmptyState title="Searches sessions, stops, denied calls, configs, rules, runtimes, annotations and saved views.">
          <p>All words must match. The start of an ID is enough.</p>
        </EmptyState>
      ) : error !== null ? (
        <ErrorState what="The search failed." why={error.message} onRetry={() => void refetch()} />
      ) : found === null ? (
        <SkeletonRows />
      ) : (
        <>
          {place === null ? null : (
            <p className="px-4 pt-3">
              <Link data-row className="font-medium text-link" href={placePath(place)}>
                Open the {place.kind} {shortId(place.id)}
              </Link>
            </p>
          )}
          <Results
            kinds={found.kinds}
            text={text}
            isElsewhere={place !== null || found.pages.length > 0}
          />
          <DocsHits text={text} pages={found.pages} />
        </>
      )}
    </>
  )
}

/** Null: not every source has answered. */
function describeFound(found: (Found & { readonly pages: readonly unknown[] }) | null): string {
  if (found === null) return 'Searching…'
  const { place, kinds, pages } = found
  const hits = kinds.reduce((sum, kind) => sum + kind.hits.length, 0)
  const isCut = kinds.some((kind) => kind.isCut)
  const count = hits === 0 && place !== null ? 1 : hits
  if (count === 0)
    return pages.length === 0
      ? 'No results.'
      : `${plural(pages.length, 'result')} in the documentation.`
  const documented =
    pages.length === 0 ? '' : `, and ${countText(pages.length)} in the documentation`
  return `${isCut ? 'More than ' : ''}${plural(count, 'result')}${kinds.length > 1 ? ` of ${kinds.length} kinds` : ''}${documented}.`
}

function Results({
  kinds,
  text,
  isElsewhere,
}: {
  readonly kinds: readonly FoundKind[]
  readonly text: string
  /** The page has results that are not of a kind. */
  readonly isElsewhere: boolean
}) {
  if (kinds.length === 0 && isElsewhere) return null
  if (kinds.length === 0) {
    return (
      <EmptyState title={`No results for “${text}”.`}>
        <p>
          Open a session to search its payloads
          <span className="pointer-coarse:hidden">
            {' '}
            with <Kbd>/</Kbd>
          </span>
          . Data removed by the retention rule is not found.
        </p>
      </EmptyState>
    )
  }
  return (
    <div className="flex flex-col gap-3 p-4">
      {kinds.map(({ kind, hits, isCut, lookedThrough }) => (
        <Card key={kind}>
          <CardHeader
            title={TITLE[kind]}
            aside={isCut ? `first ${hits.length}; add words to narrow` : `${hits.length}`}
          />
          <ul>
            {hits.map((hit) => (
              <HitRow key={hit.id} hit={hit} />
            ))}
          </ul>
          {lookedThrough === null ? null : (
            <p className="px-3 py-1 text-small text-text-2">
              Search covers the newest {countText(lookedThrough)} {TITLE[kind].toLowerCase()}.
            </p>
          )}
        </Card>
      ))}
    </div>
  )
}

const ROW =
  'flex min-h-8 flex-wrap items-center gap-x-3 border-border border-b px-3 py-1 last:border-b-0 focus-within:bg-row-selected'
function DocsHits({
  text,
  pages,
}: {
  readonly text: string
  readonly pages: NonNullable<ReturnType<typeof useDocsHits>>
}) {
  if (pages.length === 0) return null
  return (
    <div className="p-4">
      <Card>
        <CardHeader
          title="Documentation"
          actions={
            <Link
              className="text-link text-small"
              href={`/docs/search?${new URLSearchParams({ q: text }).toString()}`}
            >
              Search the documentation
            </Link>
          }
        />
        <ul>
          {pages.map(({ address, title, excerpt }) => (
            <li key={address} className={ROW}>
              <Link data-row className="min-w-0 break-words font-medium text-link" href={address}>
                {title}
              </Link>
              <span className="line-clamp-1 text-small text-text-2">{excerpt}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  )
}

function HitRow({ hit }: { readonly hit: Hit }) {
  return (
    <li className={ROW}>
      <Link data-row className="min-w-0 break-words font-medium text-link" href={hitPath(hit)}>
        {describeHit(hit)}
      </Link>
      <DemoTag {...findDemoMark(hit)} />
      <span className="flex flex-wrap items-center gap-x-3 text-small text-text-2">
        {renderHitFacts(hit)}
      </span>
    </li>
  )
}

/** Stops and decisions have ids that name their session. */
function findDemoMark(hit: Hit): ComponentProps<typeof DemoTag> {
  switch (hit.kind) {
    case 'session':
      return { session: hit.id }
    case 'stop':
    case 'decision':
      return { session: parseEventId(hit.id)?.session ?? '' }
    case 'annotation':
      return { session: hit.sessionId }
    case 'config':
    case 'rule':
      return { ns: hit.ns }
    case 'runtime':
      return { runtime: hit.name }
    case 'view':
      return {}
    default:
      return hit satisfies never
  }
}

const LONGEST = 160

function describeHit(hit: Hit): string {
  switch (hit.kind) {
    case 'session':
    case 'config':
      return `${hit.ns}/${hit.key}`
    case 'stop':
    case 'decision':
      return hit.reason
    case 'rule':
      return hit.rule
    case 'runtime':
    case 'view':
      return hit.name
    case 'annotation':
      return hit.text.length > LONGEST ? `${hit.text.slice(0, LONGEST)}…` : hit.text
    default:
      return hit satisfies never
  }
}

function renderHitFacts(hit: Hit): ReactNode {
  switch (hit.kind) {
    case 'session':
      return (
        <>
          <code className="font-mono text-mono">{shortId(hit.id)}</code> {hit.environment}{' '}
          <Timestamp at={hit.at} style="row" />
        </>
      )
    case 'stop':
    case 'decision':
      return (
        <>
          {isStatus(hit.verdict) ? <StatusText status={hit.verdict} /> : hit.verdict} {hit.ns}/
          {hit.key} <Timestamp at={hit.at} style="row" />
        </>
      )
    case 'config':
      return hit.isArchived ? 'archived' : null
    case 'rule':
      return (
        <>
          <code className="font-mono text-mono">{hit.type}</code> {hit.ns}/{hit.key}
        </>
      )
    case 'runtime':
      return (
        <>
          {hit.environment} seen <Timestamp at={hit.at} style="row" />
        </>
      )
    case 'annotation':
      return (
        <>
          {hit.author} <Timestamp at={hit.at} style="row" />{' '}
          {hit.seq === null ? 'on a session' : `on event #${hit.seq}`}
        </>
      )
    case 'view':
      return `${hit.list}${hit.shared ? `, shared by ${hit.owner}` : ''}`
    default:
      return hit satisfies never
  }
}
