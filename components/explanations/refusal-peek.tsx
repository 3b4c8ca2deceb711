'use client'

import type { UnblockStep } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, type Failure, SkeletonRows } from '@/components/ui/states.tsx'
import { Words } from '@/components/ui/words.tsx'
import { OWNER_WORD } from './step-owner.ts'

export interface PeekedRefusal {
  readonly badge: ReactNode
  readonly reason: string
  readonly change: {
    readonly title: string
    readonly steps: readonly Pick<UnblockStep, 'text' | 'owner'>[]
  }
  readonly facts: readonly { readonly name: string; readonly value: ReactNode }[]
  readonly page: { readonly href: string; readonly text: string }
  /** Session, and the sequence number of the event that records the decision. */
  readonly sessionId: string
  readonly seq: number
}

export function RefusalPeek({
  title,
  what,
  refusal,
  error,
  onRetry,
  onClose,
}: {
  readonly title: string
  readonly what: string
  readonly refusal: PeekedRefusal | undefined
  readonly error: Failure | null
  readonly onRetry: () => void
  readonly onClose: () => void
}) {
  return (
    <Peek title={title} onClose={onClose}>
      {refusal !== undefined ? (
        <Summary {...refusal} />
      ) : error === null ? (
        <SkeletonRows />
      ) : (
        <ErrorState what={what} why={error} onRetry={onRetry} />
      )}
    </Peek>
  )
}

function Summary({ badge, reason, change, facts, page, sessionId, seq }: PeekedRefusal) {
  return (
    <div className="flex flex-col items-start gap-3">
      {badge}
      <p className="font-semibold text-h1">{reason}</p>
      {change.steps.length === 0 ? null : (
        <section aria-label={change.title}>
          <h3 className="font-semibold text-h2 text-text-2">{change.title}</h3>
          <ol className="list-decimal pl-5">
            {change.steps.map(({ text, owner }) => (
              <li key={text} className="break-words">
                <Words text={text} />{' '}
                <span className="text-small text-text-2">{OWNER_WORD[owner]}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      <Facts>
        {facts.map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="Session">
          <IdChip id={sessionId} label="Copy session id" />
        </Fact>
      </Facts>
      <p className="flex gap-4">
        <Link href={page.href} className="text-link underline">
          {page.text}
        </Link>
        <Link href={`/sessions/${sessionId}?e=${seq}`} className="text-link underline">
          Open in its session
        </Link>
      </p>
    </div>
  )
}
