// Forecast of the checks if the agent stopped now: known missing items, their owners, and results that cannot be known in advance.
'use client'

import {
  checkSentence,
  type OutlookCheck,
  type StopOutlook,
  stopOutlook,
  stopSentence,
  wouldBlock,
} from '@signalbox/core/analysis'
import { type ReactNode, useMemo } from 'react'
import { type Status, StatusIcon } from '@/components/ui/status-badge.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { Moment } from './timeline.ts'

const VERDICT = {
  allowed: { status: 'allowed', word: 'allowed' },
  blocked: { status: 'blocked', word: 'blocked' },
  error: { status: 'blocked', word: 'blocked' },
  bypassed: { status: 'bypassed', word: 'bypassed' },
  no_checker: { status: 'no_checker', word: 'allowed: no checker' },
  unknown: { status: 'not_evaluated', word: 'allowed or blocked' },
} as const satisfies Record<StopOutlook['verdict'], { status: Status; word: string }>

/** The config blocks no stop. */
const SHADOW = { status: 'caution', word: 'allowed' } as const

/** `at`: time of the stop, epoch ms. `lastBlock`: reason of the last stop, where it was blocked. */
export function StopForecast({
  moment: { config, state, harnessMaxBlocks },
  at,
  isPast,
  lastBlock,
  children,
}: {
  readonly moment: Moment
  readonly at: number
  readonly isPast: boolean
  readonly lastBlock?: string | undefined
  readonly children: ReactNode
}) {
  const outlook = useMemo(
    () => stopOutlook(config, state, { at, harnessMaxBlocks }),
    [config, state, at, harnessMaxBlocks],
  )
  const why =
    outlook.verdict === 'unknown' && lastBlock !== undefined
      ? `The last stop was blocked: ${lastBlock}`
      : stopSentence(outlook)
  return (
    <>
      <OutlookLine outlook={outlook} why={why} isPast={isPast} />
      {children}
      <OutlookSection outlook={outlook} why={why} />
    </>
  )
}

/** The height is fixed, so that the content below does not move while events arrive. */
function OutlookLine({
  outlook,
  why,
  isPast,
}: {
  readonly outlook: StopOutlook
  readonly why: string
  readonly isPast: boolean
}) {
  const { status, word } = wouldBlock(outlook) ? SHADOW : VERDICT[outlook.verdict]
  const reason = outlook.verdict === 'no_checker' ? '' : ` · ${why}`
  return (
    <p
      data-outlook={outlook.verdict}
      title={`${word}${reason}`}
      className="flex h-[2lh] shrink-0 items-start gap-1.5"
    >
      <span className="mt-0.5">
        <StatusIcon status={status} size={16} />
      </span>
      <span className="line-clamp-2">
        <span className="text-text-2">
          {isPast ? 'A stop after this event would have been ' : 'A stop now would be '}
        </span>
        <strong className="font-semibold">{word}</strong>
        <span className="text-text-2">{reason}</span>
      </span>
    </p>
  )
}

function OutlookSection({ outlook, why }: { readonly outlook: StopOutlook; readonly why: string }) {
  const { steps, attainable, isSmallest } = outlook.remaining
  const unknown = outlook.checks === null ? [] : unknownLeaves(outlook.checks)
  return (
    <section className="flex flex-col gap-2" data-section="Remaining to stop">
      <h3 className="font-semibold text-h2">
        Remaining to stop{' '}
        <span className="font-normal text-text-2">computed now, not part of the record</span>
      </h3>
      {steps.length === 0 ? (
        <p className="text-text-2">{why}.</p>
      ) : (
        <ol className="flex flex-col gap-1">
          {steps.map((step) => (
            <li key={`${step.code} ${step.text}`} className="flex items-baseline gap-2 px-1">
              <span className="min-w-0 flex-1 break-words">
                <Words text={step.text} />
                {step.obstacle === null ? null : (
                  <span className="block text-small text-text-2">
                    Cannot be done: <Words text={step.obstacle} />
                  </span>
                )}
              </span>
              <span className="whitespace-nowrap text-small text-text-2">
                {step.owner}
                {step.since === null ? '' : ` · since #${step.since}`}
              </span>
            </li>
          ))}
        </ol>
      )}
      {attainable ? null : (
        <p className="text-small text-text-2">
          Not all steps are possible: the config must change.
        </p>
      )}
      {isSmallest ? null : (
        <p className="text-small text-text-2">
          A shorter list of steps may exist; the search stopped at its limit.
        </p>
      )}
      {unknown.length === 0 ? null : <UnknownChecks checks={unknown} />}
    </section>
  )
}

function unknownLeaves(check: OutlookCheck): readonly OutlookCheck[] {
  if (check.children !== null) return check.children.flatMap(unknownLeaves)
  return check.status === 'unknown' ? [check] : []
}

function UnknownChecks({ checks }: { readonly checks: readonly OutlookCheck[] }) {
  return (
    <div className="flex flex-col gap-1">
      <h4 className="text-text-2">Unknown until the agent stops</h4>
      <ul className="flex flex-col gap-1">
        {checks.map((check) => (
          <li key={check.checker} data-status="unknown" className="flex items-baseline gap-2 px-1">
            <span className="translate-y-0.5">
              <StatusIcon status="not_evaluated" />
            </span>
            <span className="min-w-0 break-words">
              <span className="font-medium">{check.checker}</span>{' '}
              <span className="text-text-2">unknown · {checkSentence(check)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
