import { countText, plural } from '@signalbox/core/analysis'
import type { inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@/server/trpc/root.ts'

export type SigningKeys = inferRouterOutputs<AppRouter>['signingKeys']['list']
export type ListedKey = SigningKeys['keys'][number]
export type Unaware = SigningKeys['unaware'][number]

/** Number of characters shown for comparison; runtimes display the same ones. */
const SHOWN = 12

export function shortId(id: string): string {
  return id.slice(0, SHOWN)
}

interface Count {
  readonly total: number
  readonly knows: number
  readonly away: number
}

export function countRuntimes({ environments }: Pick<SigningKeys, 'environments'>): Count {
  const sum = (pick: (one: SigningKeys['environments'][number]) => number) =>
    environments.reduce((all, one) => all + pick(one), 0)
  return {
    total: sum((one) => one.total),
    knows: sum((one) => one.knows),
    away: sum((one) => one.away),
  }
}

export function knowledgeText({ total, knows }: Count): string {
  if (total === 0) return 'No runtime is connected, so none has it yet.'
  return `${countText(knows)} of ${plural(total, 'connected runtime')} ${knows === 1 ? 'has' : 'have'} it.`
}

export function outlook({ isSilent, sdkVersion }: Unaware): string {
  return isSilent
    ? `Version ${sdkVersion} cannot switch to a new key: it will refuse new configs and keep its version.`
    : 'It has not reported yet; it fetches the key with its next heartbeat.'
}

export function describePrivateKey({ state, fromEnvironment }: ListedKey): string {
  if (fromEnvironment)
    return state === 'active'
      ? 'in `SIGNALBOX_SIGNING_KEY` of the server'
      : 'in `SIGNALBOX_SIGNING_KEY` of the server; change it there once no project signs by it'
  return state === 'active' || state === 'next' ? 'in the database, sealed' : 'erased'
}

export function describeActivation({
  keys,
}: {
  readonly keys: readonly Pick<ListedKey, 'state' | 'fromEnvironment'>[]
}): string {
  const isOurs = keys.every(({ state, fromEnvironment }) => state !== 'active' || !fromEnvironment)
  const old = isOurs
    ? 'The old key is retired and its private key erased.'
    : 'The old key is retired; its private key stays in SIGNALBOX_SIGNING_KEY of the server until you change it there.'
  return `Every environment gets a new revision with the same configs, signed by this key. ${old} This cannot be undone.`
}
