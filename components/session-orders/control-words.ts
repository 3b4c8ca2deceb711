import type { SessionControl } from '@/server/session-orders/session-orders.ts'

export type OrderAction = 'pause' | 'resume' | 'end'

interface Badge {
  readonly look: 'running' | 'waiting' | 'blocked' | 'ended' | 'unknown'
  readonly word: string
}

interface ControlWords {
  /** Empty: the session runs normally. */
  readonly badges: readonly Badge[]
  /** null: no order was given. */
  readonly text: string | null
  /** Epoch ms of the order in `text`; null: there is none. */
  readonly at: number | null
  readonly note: string | null
}

/** null: the normal state, which needs no badge. */
const STATES = {
  running: null,
  paused: { look: 'blocked', word: 'Paused' },
  ended: { look: 'ended', word: 'Ended' },
} as const satisfies { readonly [State in SessionControl['state']]: Badge | null }

const PENDING = {
  pause: 'Pause pending',
  resume: 'Resume pending',
  end: 'End pending',
} as const satisfies { readonly [Action in OrderAction]: string }

const NOT_REACHABLE: Badge = { look: 'unknown', word: 'Not reachable' }
const AWAY = 'Pause, Resume or End takes effect if the runtime reconnects within 24 hours.'

export function describeControl(control: SessionControl): ControlWords {
  const { state, recorded, pending, isReachable, obstacle, refusal } = control
  const standing = STATES[state]
  const last = pending ?? recorded
  const shown = last === null || (last.action === 'resume' && pending === null) ? null : last
  return {
    badges: [
      ...(standing === null ? [] : [standing]),
      ...(pending === null ? [] : [{ look: 'waiting', word: PENDING[pending.action] } as const]),
      ...(isReachable ? [] : [NOT_REACHABLE]),
    ],
    text: shown === null ? null : `${shown.by}: ${shown.reason}`,
    at: shown === null ? null : shown.at,
    note: obstacle ?? (isReachable ? refusal : AWAY),
  }
}

/** Empty for members who may give no order, and when none has an effect. */
export function listActions({
  recorded,
  pending,
  obstacle,
  refusal,
}: SessionControl): readonly { readonly action: OrderAction; readonly verb: string }[] {
  const last = (pending ?? recorded)?.action
  if (obstacle !== null || refusal !== null || last === 'end') return []
  return [
    last === 'pause'
      ? { action: 'resume', verb: 'Resume session' }
      : { action: 'pause', verb: 'Pause session' },
    { action: 'end', verb: 'End session' },
  ]
}
