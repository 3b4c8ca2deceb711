'use client'
import { Words } from '@/components/ui/words.tsx'
import type { UnmetClaim } from '@/server/releases/release-input.ts'
import { EXPECTED } from './expected.ts'
import { OpenExample } from './open-example.tsx'
import { TraceRows } from './trace-rows.tsx'

export interface UnmetClaimsProps {
  readonly prompt: { readonly ns: string; readonly key: string }
  readonly claims: readonly UnmetClaim[]
  /** Flat document that was judged; null: no claim has an example. */
  readonly document: string | null
}

/** Claims that hold up a release, with the sessions that show why. */
export function UnmetClaims({ prompt: { ns, key }, claims, document }: UnmetClaimsProps) {
  return (
    <ul aria-label="Claims that do not hold" className="flex w-full flex-col gap-2">
      {claims.map(({ id, question, expect, answer, example }) => (
        <li key={id} className="flex flex-col items-start gap-1 border-border border-l-2 pl-2">
          <p className="break-words">
            <Words text={question} />{' '}
            <span className="text-small text-text-2">Claimed: {EXPECTED[expect]}.</span>
          </p>
          <p className="break-words text-text-2">
            <Words text={answer} />
          </p>
          {example !== null && <TraceRows label="Example" lines={example.lines} />}
          {example !== null && document !== null && (
            <OpenExample
              example={{ ns, key, sentence: question, document, events: example.events }}
            />
          )}
        </li>
      ))}
    </ul>
  )
}
