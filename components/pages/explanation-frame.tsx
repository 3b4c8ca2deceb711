'use client'

import type { ReactNode } from 'react'
import { AnnotationsCard } from '@/components/annotations/annotations-card.tsx'
import { PinButtons } from '@/components/backtests/pin-buttons.tsx'
import type { PinPlace } from '@/components/backtests/pin-place.ts'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { ConfigCard, shortDigest } from '@/components/explanations/config-card.tsx'
import { ExplanationColumns } from '@/components/explanations/explanation-columns.tsx'
import {
  ExplanationExport,
  ExplanationFooter,
  type PrintedRecord,
} from '@/components/explanations/explanation-export.tsx'
import {
  CopyLinkButton,
  ExplanationNeighbors,
} from '@/components/explanations/explanation-layout.tsx'
import { FollowUpCard } from '@/components/explanations/follow-up-card.tsx'
import { PageLabel } from '@/components/labels/lazy-label-control.ts'
import { configPath, versionPath } from '@/components/paths/config-path.ts'
import { SessionCrumbs } from '@/components/sessions/session-crumbs.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, type Failure, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigInForce } from '@/server/explanations/config-in-force.sql.ts'
import type { FollowUp } from '@/server/explanations/follow-up.ts'
import type { Neighbors } from '@/server/explanations/neighbors.sql.ts'
import type { StopFacts } from '@/server/explanations/stop-list.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'

const KINDS = {
  decision: { base: '/decisions/', noun: 'denied call' },
  stop: { base: '/stops/', noun: 'blocked stop' },
} as const

type Kind = keyof typeof KINDS

export function UnreadExplanation({
  kind,
  query: { error, refetch },
}: {
  readonly kind: Kind
  readonly query: { readonly error: Failure | null; readonly refetch: () => Promise<unknown> }
}) {
  if (error === null) return <SkeletonRows />
  return (
    <ErrorState
      what={`The ${kind} could not be loaded.`}
      why={error}
      onRetry={() => void refetch()}
    />
  )
}

interface Explained {
  readonly session: SessionHead
  readonly config: ConfigInForce | null
  readonly record: PrintedRecord | null
  readonly next: FollowUp | null
  readonly beside: Neighbors
}

interface FrameProps {
  readonly kind: Kind
  readonly explanation: Explained
  /** `subject`: tool, or origin of the stop. */
  readonly decided: {
    readonly at: number
    readonly seq: number
    readonly subject: ReactNode
    readonly digest: string | null
    readonly environment: string
  }
  readonly crumb: string
  readonly badge: ReactNode
  readonly title: string
  readonly above?: ReactNode
  readonly below?: ReactNode
  readonly pin: Omit<PinPlace, 'kind'>
  /** False: the log lacks what the decision rests on, so it cannot be a test case or verified offline. */
  readonly isReplayable: boolean
  readonly actions?: ReactNode
  readonly notice?: ReactNode
  readonly main: ReactNode
  readonly side: ReactNode
  readonly seqs: readonly number[]
  readonly later?: readonly StopFacts[]
}

export function ExplanationFrame(props: FrameProps) {
  const { kind, explanation, decided, crumb, badge, title, above, below, notice } = props
  const { session, config, record, next } = explanation
  return (
    <div data-report>
      <PageHeader
        above={
          <SessionCrumbs id={session.id}>
            {crumb} <DemoTag session={session.id} />
          </SessionCrumbs>
        }
        badge={badge}
        title={title}
        facts={
          <>
            {above}
            <Facts {...props} />
            {below}
          </>
        }
        actions={<Actions {...props} />}
      />
      {notice}
      <EnforcementBand session={session} />
      <ExplanationColumns
        main={props.main}
        side={
          <>
            {props.side}
            <AnnotationsCard sessionId={session.id} seqs={props.seqs} />
            <FollowUpCard next={next} session={session} later={props.later ?? []} />
            <ConfigCard config={config} session={session} record={record} digest={decided.digest} />
          </>
        }
      />
      <ExplanationFooter path={`${KINDS[kind].base}${props.pin.id}`} record={record} />
    </div>
  )
}

function Facts({ explanation, decided, pin }: FrameProps) {
  const { session, config } = explanation
  const { at, seq, subject, digest, environment } = decided
  return (
    <p className="text-small">
      <Timestamp at={at} /> · {subject} · event{' '}
      <Link className="font-mono text-link text-mono" href={`/sessions/${session.id}?e=${seq}`}>
        #{seq}
      </Link>{' '}
      · config{' '}
      <Link
        className="font-mono text-link text-mono"
        href={config === null ? configPath(pin.ns, pin.prompt) : versionPath(config)}
      >
        {pin.ns}/{pin.prompt}
        {config === null ? '' : `@v${config.number}`}
      </Link>{' '}
      in {environment}
      {digest === null ? '' : ` · digest ${shortDigest(digest)}`}
    </p>
  )
}

function Actions({ kind, explanation, decided, pin, isReplayable, actions }: FrameProps) {
  const { base, noun } = KINDS[kind]
  const path = `${base}${pin.id}`
  return (
    <>
      <ExplanationNeighbors
        page={kind}
        base={base}
        noun={noun}
        path={path}
        beside={explanation.beside}
      />
      <CopyLinkButton path={path} />
      <ExplanationExport
        path={`/api/export${path}`}
        what={`the ${kind}`}
        isReplayable={isReplayable}
      />
      {isReplayable ? (
        <PinButtons place={{ ...pin, kind: kind === 'stop' ? 'stop' : 'call' }} />
      ) : null}
      <PageLabel sessionId={explanation.session.id} seq={decided.seq} canPrevent={isReplayable} />
      {actions}
    </>
  )
}
