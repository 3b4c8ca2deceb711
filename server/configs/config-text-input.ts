// Makes the flat document of a text that extends a base (specs/inheritance.md). Runtimes, digests and analyses know flat documents only.
// The editor resolves drafts with it, too, so nothing of the server is imported.
import type { ConfigDocument, JsonValue, Problem } from '@signalbox/core'
import { findOwnPointer, findRuleOrigins, inheritConfig } from '@signalbox/core/tighten'
import {
  formatVersionReference,
  parseConfigSource,
  parseConfigText,
  parseVersionReference,
} from '@signalbox/wire'

export interface KnownBase {
  readonly document: ConfigDocument
  /** Number of the base's newest version. */
  readonly newest: number
  readonly isArchived: boolean
  /** Reference that the base itself extends; null: none. */
  readonly extends: string | null
}

/** By reference, as a text writes it. Without an entry, the project has no such version. */
export type KnownBases = ReadonlyMap<string, KnownBase>

export const NO_BASES: KnownBases = new Map()

export type ResolvedConfig =
  | {
      readonly ok: true
      readonly document: ConfigDocument
      readonly value: JsonValue
      /** Text of the flat document: as written, unless it extends a base. */
      readonly text: string
      /** Reference to the base; null: none. */
      readonly extends: string | null
      readonly base: ConfigDocument | null
      /** Advice. */
      readonly problems: readonly Problem[]
      /** The problem of `document`, in the place of the text as written. A fix of a part that only the base has is left out. */
      readonly placed: (problem: Problem) => Problem
    }
  | {
      readonly ok: false
      readonly problems: readonly Problem[]
      /** The flat document that is refused; null: there is none. */
      readonly document: ConfigDocument | null
    }

/** Reference that the text extends; null: none, or the text is no config. */
export function readExtends(text: string): string | null {
  if (!text.includes('"extends"')) return null
  const parsed = parseConfigSource(text)
  return parsed.ok ? (parsed.document.extends ?? null) : null
}

export function resolveConfigText(text: string, bases: KnownBases): ResolvedConfig {
  const parsed = parseConfigSource(text)
  if (!parsed.ok) return { ...parsed, document: null }
  const { extends: reference, ...own } = parsed.document
  if (reference === undefined) {
    const { value } = parsed
    const written = { document: own, value, text, extends: null, base: null }
    return { ok: true, ...written, problems: [], placed: (problem) => problem }
  }
  const base = bases.get(reference)
  const unfit = refuseBase(own, reference, base)
  if (base === undefined || unfit !== null) {
    return { ok: false, problems: unfit === null ? [] : [unfit], document: null }
  }
  return resolveWith(own, reference, base)
}

function refuseBase(
  own: ConfigDocument,
  reference: string,
  base: KnownBase | undefined,
): Problem | null {
  const named = parseVersionReference(reference)
  if (named?.ns === own.ns && named.key === own.key) {
    return refused('extends_itself', 'A config cannot extend itself. Name another config.')
  }
  if (base === undefined) {
    const message = `There is no version "${reference}" in this project. Name a published version, as "ns/key@version".`
    return refused('base_missing', message)
  }
  if (base.extends !== null) {
    const message = `"${reference}" extends "${base.extends}" itself, and a base may not extend another config. Extend "${base.extends}" instead.`
    return refused('base_extends', message)
  }
  if (base.isArchived) {
    const message = `The config of "${reference}" is archived. Restore it, or extend another one.`
    return refused('base_archived', message)
  }
  return null
}

function refused(code: string, message: string): Problem {
  return { pointer: '/extends', code, severity: 'error', message }
}

function resolveWith(own: ConfigDocument, reference: string, base: KnownBase): ResolvedConfig {
  const { document, looser } = inheritConfig(base.document, own)
  const placed = (problem: Problem) => placeProblem(problem, own, document)
  if (looser.length > 0) {
    const problems = looser.map(({ pointer, message, isUnproven }): Problem => {
      const judged = isUnproven === true ? 'is not proven to be as strict as' : 'is looser than'
      const says = `${message}. This ${judged} "${reference}". Make it stricter, or remove it here to keep the base's.`
      return placed({ pointer, code: 'base_loosened', severity: 'error', message: says })
    })
    return { ok: false, problems, document }
  }
  const text = `${JSON.stringify(document, null, 2)}\n`
  const flat = parseConfigText(text)
  if (!flat.ok) {
    return { ok: false, problems: flat.problems.map(placed), document: null }
  }
  return {
    ok: true,
    document: flat.document,
    value: flat.value,
    text,
    extends: reference,
    base: base.document,
    problems: adviseNewer(reference, base),
    placed,
  }
}

function placeProblem(
  { fix, ...problem }: Problem,
  own: ConfigDocument,
  document: ConfigDocument,
): Problem {
  const pointer = findOwnPointer(own, document, problem.pointer)
  const target = fix === undefined ? '' : findOwnPointer(own, document, fix.pointer)
  // Another depth: the place is only in the base, or the whole section around it.
  const isOwn = target.split('/').length === fix?.pointer.split('/').length
  return { ...problem, pointer, ...(isOwn ? { fix: { ...fix, pointer: target } } : {}) }
}

/** A newer version of the base offers itself; the draft is backtested as every other. */
function adviseNewer(reference: string, { newest }: KnownBase): readonly Problem[] {
  const named = parseVersionReference(reference)
  if (named === null || named.version >= newest) return []
  const newer = formatVersionReference({ ...named, version: newest })
  const message = `"${newer}" is newer than the base of this config. Take it over and run a backtest.`
  const fix = { kind: 'set', pointer: '/extends', value: newer } as const
  return [{ pointer: '/extends', code: 'base_newer', severity: 'warning', message, fix }]
}

/** By rule id, where each rule of the flat document comes from. Empty: it extends nothing. */
export function listOrigins(
  document: ConfigDocument,
  base: ConfigDocument | null,
): ReturnType<typeof findRuleOrigins> {
  return base === null ? new Map() : findRuleOrigins(base, document)
}
