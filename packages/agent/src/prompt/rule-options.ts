import type { JsonObject, RuleMode } from '@signalbox/core'

export interface RuleOptions {
  /** Unique in the prompt; state is stored under it. Absent: derived from the rule's kind. */
  readonly id?: string
  /** Absent: `enforce`. */
  readonly mode?: RuleMode
}

export interface RuleBase {
  readonly id: string
  readonly mode?: RuleMode
}

export function toCustomType(name: string): string {
  return `custom:${name}`
}

export function toParamsField(params: JsonObject | undefined): { readonly params?: JsonObject } {
  return params === undefined ? {} : { params }
}

export function toSlug(name: string): string {
  const slug = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return slug.slice(0, 60) || 'unnamed'
}
