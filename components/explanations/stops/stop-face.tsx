'use client'

import { useQueries } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import {
  AtCell,
  CodeText,
  EnvironmentCell,
  EventCell,
  PromptCell,
  SessionCell,
} from '@/components/kit/list/cells.tsx'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { peekAction } from '@/components/kit/list/peek-action.ts'
import { toParentSessionId } from '@/components/paths/session-id.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ShownProgress } from '@/server/explanations/attempt-chain.ts'
import type { StopFacts } from '@/server/explanations/stop-list.sql.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'
import { stopHeadline, viaText } from '../stop-headline.ts'
import { ProgressText } from '../stop-progress.tsx'

type Props = CellProps<StopFacts>

/** Number of stops per query, so that a list of any length needs few queries. */
const TOGETHER = 100

const Progress = createContext<ReadonlyMap<string, ShownProgress>>(new Map())

export function WithProgress({
  rows,
  children,
}: {
  readonly rows: readonly StopFacts[]
  readonly children: ReactNode
}) {
  const trpc = useTRPC()
  const pages = Array.from({ length: Math.ceil(rows.length / TOGETHER) }, (_, index) =>
    rows
      .slice(index * TOGETHER, (index + 1) * TOGETHER)
      .filter(({ verdict }) => verdict !== 'allowed')
      .map(({ id }) => id),
  )
  const asked = pages.filter((ids) => ids.length > 0)
  const progress = useQueries({
    queries: asked.map((stopIds) => trpc.stops.progress.queryOptions({ stopIds })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data = [] }) => data.map((one) => [one.stopId, one] as const))),
  })
  return <Progress value={progress}>{children}</Progress>
}

function AgentCell({ row: { id } }: Props) {
  const progress = useContext(Progress).get(id)
  return progress === undefined ? '–' : <ProgressText progress={progress} />
}

function VerdictText({ row }: Props) {
  const { status, word } = stopHeadline(row)
  return <StatusText status={status}>{word}</StatusText>
}

export const STOP_FACE = defineFace(STOPS, {
  heading: 'Stops',
  noun: 'stop',
  cells: {
    at: AtCell,
    environment: EnvironmentCell,
    prompt: PromptCell,
    sessionId: SessionCell,
    seq: EventCell,
    attempt: ({ row }: Props) => (row.via === 'final' ? '–' : row.attempt),
    via: ({ row }: Props) => viaText(row.via),
    verdict: VerdictText,
    bypass: ({ row }: Props) => row.bypass?.replaceAll('_', ' ') ?? '–',
    code: ({ row }: Props) => <CodeText text={row.code} />,
    reason: ({ row }: Props) => row.reason,
    agent: AgentCell,
  },
  lead: 'reason',
  href: ({ id }) => `/stops/${id}`,
  buildLink: (id) => `/stops/${id}`,
  toSessionId: toParentSessionId,
  compareWords: 'Compare their sessions',
  title: ({ reason }) => reason,
  why: ({ id }) => `/stops/${id}`,
  menuName: ({ id }) => `the stop ${shortId(id)}`,
  actions: ({ id, sessionId, seq, code }, { marks, peek }) => [
    { name: 'Open the explanation', href: `/stops/${id}` },
    peekAction(peek, id),
    { name: 'Open in its session', href: `/sessions/${sessionId}?e=${seq}` },
    {
      name: 'Stops with this reason',
      href: `/stops?${new URLSearchParams({ by: 'all', code }).toString()}`,
    },
    markAction(marks, id),
  ],
  Card: ({ row, link }) => (
    <>
      {link}
      <span className="line-clamp-2 wrap-anywhere text-small text-text-2 leading-4">
        <VerdictText row={row} /> · <PromptCell row={row} /> · <Timestamp at={row.at} style="row" />
      </span>
    </>
  ),
  cardHeight: 88,
  Around: WithProgress,
})
