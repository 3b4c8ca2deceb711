// A move to make, as the URL of the versions page carries it: `rollback:production:14`, or `…:previous` for the nearest one.
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { type Move, rollbackTargets } from './move-dialog.tsx'

export function moveText({ kind, environment, version }: Move): string {
  return `${kind}:${environment}:${version}`
}

export type AskedMove = Move | { readonly kind: 'nothing_before'; readonly environment: string }

/** Null for anything that is no move. `nothing_before`: the environment never ran another version. */
export function moveOf(text: string | null, config: ConfigDetail): AskedMove | null {
  const match = /^(promote|rollback):([a-z0-9-]{1,40}):(\d{1,9}|previous)$/.exec(text ?? '')
  if (match === null) return null
  const [, word, environment = '', version] = match
  const kind = word === 'promote' ? 'promote' : 'rollback'
  if (version !== 'previous') return { kind, environment, version: Number(version) }
  const [back] = rollbackTargets(config, environment)
  if (back === undefined) return { kind: 'nothing_before', environment }
  return { kind: 'rollback', environment, version: back }
}
