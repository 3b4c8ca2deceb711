'use client'
// Offered if the release is stricter than the versions of running sessions (specs/tighten.md).
import { plural } from '@signalbox/core/analysis'
import { useEffect } from 'react'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { JudgedVersion, Tightening } from '@/server/releases/tightening.ts'

function sessionsText(count: number): string {
  return plural(count, 'running session')
}

export function TightenOffer({
  tightening,
  isChosen,
  onChoose,
}: {
  readonly tightening: Tightening
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
}) {
  const { count, versions } = tightening
  const isOffered = count > 0
  // While the dialog is open, the text may become looser and sessions may end.
  useEffect(() => {
    if (isChosen && !isOffered) onChoose(false)
  }, [isChosen, isOffered, onChoose])
  const others = versions.filter(({ side }) => side !== 'same')
  if (others.length === 0) return null
  return (
    <section aria-label="Running sessions" className="flex flex-col gap-1">
      {isOffered ? (
        <Checkbox
          checked={isChosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        >
          Also tighten {sessionsText(count)} now
        </Checkbox>
      ) : (
        <p className="text-text-2">
          Running sessions cannot be tightened now: this is not stricter than what they run.
        </p>
      )}
      <details open={!isOffered}>
        <summary className="text-text-2">
          {isOffered ? 'Which ones, and what becomes stricter' : 'Why not'}
        </summary>
        <ul className="mt-1 flex flex-col gap-2 pl-4">
          {others.map((version) => (
            <li key={version.digest}>
              <Running version={version} />
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

function Running({ version }: { readonly version: JudgedVersion }) {
  const { side, notes, count, sessions } = version
  return (
    <>
      <p>
        {sessionsText(count)} {under(version)}
        {describeOutcome(version)}
      </p>
      <ul className="text-text-2">
        {notes.map(({ pointer, message }) => (
          <li key={`${pointer} ${message}`} className="break-words">
            <Words text={message} />
          </li>
        ))}
      </ul>
      {side === 'stricter' && (
        <p className="text-small text-text-2">
          {sessions.map(({ id, startedAt }) => (
            <span key={id} className="mr-3 inline-block">
              <Link className="font-mono text-link text-mono" href={`/sessions/${id}`}>
                {shortId(id)}
              </Link>{' '}
              since <Timestamp at={startedAt} style="second" />
            </span>
          ))}
          {count > sessions.length && `and ${count - sessions.length} more`}
        </p>
      )}
    </>
  )
}

function under({ number, digest }: JudgedVersion): string {
  return number === null ? `under ${digest.slice(7, 11)}…` : `under v${number}`
}

function describeOutcome({ side, count, notes }: JudgedVersion): string {
  const keep = count === 1 ? ' keeps it until it ends' : ' keep it until they end'
  switch (side) {
    case 'same':
      return '.'
    case 'stricter':
      return `: stricter from ${count === 1 ? 'its' : 'their'} next call on.`
    case 'looser':
      return notes[0]?.isUnproven === true
        ? `${keep}, because this is not proven to be as strict:`
        : `${keep}, because this is looser:`
    case 'unknown':
      return `${keep}: that version is not stored here, so it cannot be compared.`
    default:
      return side satisfies never
  }
}
