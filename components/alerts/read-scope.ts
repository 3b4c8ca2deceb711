import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import type { AlertSignal } from '@/server/alerts/signals.kinds.ts'

type ScopeFact =
  | 'Environment'
  | 'Runtime'
  | 'Config'
  | 'Version'
  | 'Release'
  | 'Session'
  | 'Check'
  | 'Call'

const ABOUT_RUNTIMES: ReadonlySet<AlertSignal> = new Set(['runtimes_behind', 'silent_runtimes'])

/** Parts that follow the config in a scope. Absent: none. */
const AFTER_CONFIG: { readonly [signal in AlertSignal]?: readonly ScopeFact[] } = {
  denial_rate: ['Runtime'],
  denials_after_release: ['Version', 'Release'],
  blocks_in_a_row: ['Session', 'Check'],
  long_sessions: ['Session'],
  approval_waiting: ['Call'],
  approval_lapsing: ['Call'],
}

interface ScopePart {
  readonly name: ScopeFact
  readonly text: string
}

type Scoped = Pick<ListedAlert, 'signal' | 'scope'>

/**
 * A scope is stored as in `dev team/coder sess_… plan after #0` (alert-moments.sql.ts). A name of a runtime may hold spaces and `/`, so the
 * signal tells the parts, and the last part takes the rest.
 */
export function readScope({ signal, scope }: Scoped): readonly ScopePart[] {
  const parts = scope.split(' ')
  const hasConfig = !ABOUT_RUNTIMES.has(signal) && parts[1]?.includes('/') === true
  const names: readonly ScopeFact[] = hasConfig
    ? ['Environment', 'Config', ...(AFTER_CONFIG[signal] ?? [])]
    : ['Environment', 'Runtime']
  return names.flatMap((name, at) => {
    const end = at === names.length - 1 ? parts.length : at + 1
    const text = parts.slice(at, end).join(' ')
    return text === '' ? [] : [{ name, text }]
  })
}
