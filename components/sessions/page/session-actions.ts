import type { PageAction } from '@/components/shell/page-actions.ts'
import type { Right } from '@/components/shell/use-right.ts'
import type { SessionActions } from './session-keys.ts'
import type { Following } from './use-follow.ts'
import type { SessionView } from './use-session-view.ts'

export function sessionActions({
  isRunning,
  view,
  follow,
  act,
  annotationRight,
}: {
  readonly isRunning: boolean
  readonly view: SessionView
  readonly follow: Following
  readonly act: Pick<SessionActions, 'onlyMatches' | 'annotate' | 'mark' | 'search'>
  readonly annotationRight: Right
}): readonly PageAction[] {
  const refusal = annotationRight.reason ?? undefined
  const isPaused = follow.state.mode === 'paused'
  return [
    ...(isRunning
      ? [{ name: isPaused ? 'Follow updates' : 'Pause updates', run: follow.toggle }]
      : []),
    {
      name: view.isOnlyMatches ? 'Show all rows again' : 'Only matches',
      run: act.onlyMatches,
      refusal: view.query === '' ? 'Enter a search first.' : undefined,
    },
    { name: 'Search this session', run: act.search },
    { name: 'Annotate…', run: act.annotate, refusal },
    { name: 'Mark as bad', run: () => act.mark('bad'), refusal },
    { name: 'Mark as a good example', run: () => act.mark('good'), refusal },
  ]
}
