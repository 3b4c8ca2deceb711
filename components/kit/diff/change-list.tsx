import { type ConfigChange, describeOrigin } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { ExpandableWords } from '@/components/ui/expandable-words.tsx'
import { toLabel } from '@/components/ui/to-label.ts'
import { Words } from '@/components/ui/words.tsx'

const SIGN = { added: '+', removed: '−', changed: '~' } as const

export function ChangeList({ changes }: { readonly changes: readonly ConfigChange[] }) {
  if (changes.length === 0) {
    return <p className="text-text-2">Formatting only. No rule, tool or limit changes.</p>
  }
  return (
    <ul className="flex flex-col gap-1">
      {changes.map(({ kind, subject, detail, plain, origin }) => (
        <li key={`${kind} ${subject} ${detail}`} className="flex gap-2">
          <span aria-hidden className="w-3 shrink-0 font-mono text-text-3">
            {SIGN[kind]}
          </span>
          <div className="min-w-0 flex-1 break-words">
            <span className={clsx(kind === 'removed' ? 'text-deny-fg' : 'sr-only')}>
              {toLabel(kind)}:{' '}
            </span>
            <span className="font-medium">
              <Words text={subject} />:
            </span>{' '}
            {plain === undefined ? (
              <span className="text-text-2">
                <Words text={`${detail}${describeOrigin(origin)}`} />
              </span>
            ) : (
              <ExpandableWords text={`${plain}${describeOrigin(origin)}`}>
                <p>
                  <Words text={detail} />
                </p>
              </ExpandableWords>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}
