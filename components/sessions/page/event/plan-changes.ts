import type { PlanUpdate } from '@/server/sessions/session-contents.sql.ts'

type Steps = Pick<PlanUpdate, 'steps'>

export interface PlanChange {
  readonly title: string
  readonly kind: 'added' | 'removed' | 'moved'
  /** Labels of the statuses; null: the step did not exist before, or no longer exists. */
  readonly from: string | null
  readonly to: string | null
}

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    done: 'done',
    in_progress: 'in progress',
    pending: 'to do',
  }),
)

function formatPlanStatus(status: string | null): string {
  return status === null ? 'to do' : (WORDS.get(status) ?? status)
}

/** Steps are identified by title. `before` null: this is the first plan. */
export function planChanges(before: Steps | null, after: Steps): readonly PlanChange[] {
  const earlier = new Map(
    before?.steps.map(({ title, status }) => [title, formatPlanStatus(status)]),
  )
  const changes: PlanChange[] = []
  for (const { title, status } of after.steps) {
    const from = earlier.get(title) ?? null
    const to = formatPlanStatus(status)
    earlier.delete(title)
    if (from === null) changes.push({ title, kind: 'added', from, to })
    else if (from !== to) changes.push({ title, kind: 'moved', from, to })
  }
  for (const [title, from] of earlier) changes.push({ title, kind: 'removed', from, to: null })
  return changes
}

export function describeDone({ steps }: Steps): string {
  const done = steps.filter(({ status }) => status === 'done').length
  return `${done} of ${steps.length} done`
}
