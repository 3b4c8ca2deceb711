import { ADAPTERS, type HookReach, type InitContent, type InitTarget } from '@signalbox/adapters'
import type { JsonValue } from '@signalbox/core'
import { shimCall } from '../shim/write-shim.ts'
import type { HookSettings } from './merge-hooks.ts'

export interface Target extends InitTarget {
  readonly name: string
}

export const TARGETS: readonly Target[] = ADAPTERS.flatMap(({ name, init }) =>
  init === null ? [] : [{ ...init, name }],
)

export interface Reach extends Omit<HookReach, 'command'> {
  readonly shim: string
  /** Version of the harness; null: unknown, or its hooks report it themselves. */
  readonly version: string | null
}

export type FileContent =
  | { readonly kind: 'hooks'; readonly settings: HookSettings }
  | Extract<InitContent, { readonly kind: 'whole' }>

export function hookReach({ name }: Target, { shim, version, ...rest }: Reach): HookReach {
  const call = shimCall(shim, name)
  return { ...rest, command: version === null ? call : `${call} ${version}` }
}

export function contentFor(target: Target, reach: HookReach): FileContent {
  const content = target.content(reach)
  if (content.kind === 'whole') return content
  const { hooks, base, hasComments } = content
  const { name } = target
  const isOurs = (entry: JsonValue) =>
    includesText(entry, `-hook' ${name}`) || includesText(entry, `/hook/${name}`)
  return { kind: 'hooks', settings: { hooks, isOurs, base, hasComments } }
}

function includesText(value: JsonValue, text: string): boolean {
  return JSON.stringify(value).includes(text)
}
