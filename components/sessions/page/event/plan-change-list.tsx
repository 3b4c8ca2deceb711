import type { PlanUpdate } from '@/server/sessions/session-contents.sql.ts'
import { type PlanChange, planChanges } from './plan-changes.ts'

const SIGN = { added: '+', removed: '−', moved: '→' } as const

export function PlanChanges({
  before,
  after,
}: {
  /** Null: this is the first plan. */
  readonly before: Pick<PlanUpdate, 'steps'> | null
  readonly after: Pick<PlanUpdate, 'steps'>
}) {
  const changes = planChanges(before, after)
  const isNew = before === null || changes.every(({ kind }) => kind !== 'moved')
  if (changes.length === 0) return <p className="text-text-3">Sent again unchanged.</p>
  return (
    <ul aria-label={isNew ? 'A new plan' : 'Changed steps'}>
      {changes.map((change) => (
        <Change key={`${change.kind} ${change.title}`} change={change} />
      ))}
    </ul>
  )
}

function Change({ change }: { readonly change: PlanChange }) {
  const { title, kind, from, to } = change
  return (
    <li className="flex gap-2">
      <span aria-hidden className="w-4 shrink-0 text-center font-mono text-text-3">
        {SIGN[kind]}
      </span>
      <span className="min-w-0 break-words">
        {kind === 'moved' ? null : <span className="sr-only">{kind}: </span>}
        {title}{' '}
        <span className="text-small text-text-2">
          {kind === 'moved' ? `${from} → ${to}` : kind === 'added' ? to : `removed, was ${from}`}
        </span>
      </span>
    </li>
  )
}
