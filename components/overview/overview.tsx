'use client'
// Figures refresh every five seconds; lists change their order only on request.

import { plural } from '@signalbox/core/analysis'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import { type ReactNode, useState } from 'react'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { Attention, type Needs } from './attention.tsx'
import { type FigureSet, runningText } from './figure-set.ts'
import { Figures, type Risen } from './figures.tsx'
import { Releases } from './releases.tsx'
import { RunningNow } from './running-now.tsx'
import { DAY_MS, MOST_RELEASES } from './shown-day.ts'

interface Asked<Data> {
  readonly data: Data | undefined
  readonly error: { readonly message: string } | null
  readonly refetch: () => unknown
}

/** `children` renders the result in its own card; until then, `title` is shown in its place. */
function AskedCard<Data>({
  title,
  query,
  children,
}: {
  readonly title: string
  readonly query: Asked<Data>
  readonly children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  return (
    <Card>
      <CardHeader title={title} />
      {error === null ? (
        <Skeleton className="m-3 h-16" />
      ) : (
        <ErrorState
          what={`${title} could not be loaded.`}
          why={error}
          onRetry={() => void refetch()}
        />
      )}
    </Card>
  )
}

const FIGURES_EVERY_MS = 5_000
const ATTENTION_EVERY_MS = 15_000

/** Answers the question of the page in one sentence. */
function describe(
  environment: string | undefined,
  needs: Needs | undefined,
  figures: FigureSet | undefined,
): string {
  const place = environment === undefined ? 'All environments' : environment
  const open = needs === undefined ? null : needs.items.length + needs.more
  const facts = [
    open === null ? [] : `${plural(open, 'problem')}${needs?.isMore === true ? ' or more' : ''}`,
    figures === undefined ? [] : `${runningText(figures.running)} running`,
  ].flat()
  return `${[place, ...facts].join(' · ')} · last 24 hours compared with the 24 hours before`
}

function findRisen(needs: Needs | undefined): ReadonlySet<Risen> {
  return new Set(
    (needs?.items ?? []).flatMap(({ kind }) =>
      kind === 'denials_rose' || kind === 'bypasses_rose' ? [kind] : [],
    ),
  )
}

interface Props {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}

export function Overview(props: Props) {
  const environment = useEnvironment()
  // Nothing of one environment may stay while another is loaded.
  return <Shown key={environment ?? ''} {...props} environment={environment} />
}

function Shown({
  openedAt,
  environment,
}: Props & { /** Undefined: all. */ readonly environment: string | undefined }) {
  const trpc = useTRPC()
  useListKeys('overview', { noun: 'row' })
  const input = environment === undefined ? {} : { environment }
  const [isAll, setAll] = useQueryState('attention', parseAsStringLiteral(['all']))
  const [since] = useState(openedAt - DAY_MS)
  const attention = useQuery({
    ...trpc.overview.attention.queryOptions(isAll === null ? input : { ...input, all: true }),
    refetchInterval: ATTENTION_EVERY_MS,
    placeholderData: keepPreviousData,
  })
  // The list shown while the other one is loaded.
  const isShownAll = (isAll !== null) !== attention.isPlaceholderData
  const figures = useQuery({
    ...trpc.overview.figures.queryOptions(input),
    refetchInterval: FIGURES_EVERY_MS,
  })
  const releases = useQuery(
    trpc.releases.list.queryOptions({ filter: { ...input, since }, limit: MOST_RELEASES }),
  )
  useReadOnChange([{ kind: 'release' }, { kind: 'runtime' }], attention, releases)
  return (
    <>
      <PageHeader
        title="Overview"
        facts={<span>{describe(environment, attention.data, figures.data)}</span>}
        actions={
          <LinkButton href="/runtimes?connect=claude-code">
            <Plus size={14} aria-hidden /> Connect an agent
          </LinkButton>
        }
      />
      <div className="flex flex-col gap-3 p-3 sm:p-4">
        <AskedCard title="Needs attention" query={attention}>
          {(needs) => (
            <Attention
              needs={needs}
              isAll={isShownAll}
              onAll={(all) => void setAll(all ? 'all' : null)}
            />
          )}
        </AskedCard>
        <AskedCard title="Figures" query={figures}>
          {(set) => <Figures figures={set} risen={findRisen(attention.data)} />}
        </AskedCard>
        <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,1.9fr)_minmax(0,1fr)]">
          <RunningNow
            environment={environment}
            running={figures.data?.running}
            countedAt={figures.dataUpdatedAt}
          />
          <AskedCard title="Releases" query={releases}>
            {({ rows }) => <Releases releases={rows} />}
          </AskedCard>
        </div>
      </div>
    </>
  )
}
