// Drafts show the result as their state; a draft with problems can still be stored.
import { createHash } from 'node:crypto'
import { type ConfigDocument, isComposite, type JsonValue, type Problem } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { lintConfig } from '@signalbox/core/lint'
import { computeDigest, parseConfigText } from '@signalbox/wire'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import { type KnownBases, NO_BASES, readExtends, resolveConfigText } from './config-text-input.ts'

export type CheckedText =
  | {
      readonly ok: true
      readonly document: ConfigDocument
      readonly value: JsonValue
      readonly digest: string
      /** Text of the flat document. */
      readonly text: string
      /** Reference to the base; null: none. */
      readonly extends: string | null
      readonly problems: readonly Problem[]
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const expressions = celExpressions()

function refused(pointer: string, code: string, message: string): CheckedText {
  return { ok: false, problems: [{ pointer, code, severity: 'error', message }] }
}

/** PostgreSQL's jsonb stores neither NUL nor half a surrogate pair, and no agent needs them. */
function isStorable(value: JsonValue): boolean {
  return !/\\u0000|\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(value).replaceAll('\\\\', ''))
}

export interface TextPlace {
  readonly ns: string
  readonly key: string
  /** Custom types that runtimes of the project support; they would all reject a rule of another type. */
  readonly customTypes: readonly string[]
  /** Bases that the text may extend. Absent: none is known. */
  readonly bases?: KnownBases
}

/** `place`: the config that would get the text as a version. */
export function checkConfigText(text: string, place: TextPlace): CheckedText {
  const resolved = resolveConfigText(text, place.bases ?? NO_BASES)
  if (!resolved.ok) return { ok: false, problems: resolved.problems }
  const { document, value } = resolved
  const { customTypes } = place
  const problems = [
    ...lintConfig(document, { expressions, customTypes }).map(resolved.placed),
    ...resolved.problems,
  ]
  if (problems.some(({ severity }) => severity === 'error')) return { ok: false, problems }
  if (document.ns !== place.ns || document.key !== place.key) {
    const pointer = document.ns === place.ns ? '/key' : '/ns'
    const is = `${document.ns}/${document.key}`
    const message = `The document names the prompt "${is}", but this config is "${place.ns}/${place.key}". Change it back, or create a config for "${is}".`
    return refused(pointer, 'other_prompt', message)
  }
  if (!isStorable(value)) {
    const message =
      'A text in the document holds a character that cannot be stored (NUL or half a surrogate pair). Remove it.'
    return refused('', 'unstorable_character', message)
  }
  const { text: flat, extends: reference } = resolved
  const digest = computeDigest(value)
  return { ok: true, document, value, digest, text: flat, extends: reference, problems }
}

export type DraftState = 'clean' | 'changed' | 'invalid'

const MOST_REMEMBERED = 5_000

/** Keyed by digest: parsing and lint take up to a millisecond, and a page of configs needs both for a hundred texts. */
function rememberResults<Result>(): (texts: readonly string[], compute: () => Result) => Result {
  const known = registerCache(new Map<string, { readonly result: Result }>())
  return (texts, compute) => {
    const digest = createHash('sha256').update(JSON.stringify(texts)).digest('base64url')
    const found = known.get(digest) ?? { result: compute() }
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(digest, found)
    return found.result
  }
}

const rememberState = rememberResults<'changed' | 'invalid'>()

export function changedState(text: string, place: TextPlace): 'changed' | 'invalid' {
  const { ns, key, customTypes, bases = NO_BASES } = place
  const base = bases.get(readExtends(text) ?? '')
  const state = base === undefined ? [] : [String(base.isArchived)]
  return rememberState([text, ns, key, ...customTypes, ...state], () =>
    checkConfigText(text, place).ok ? 'changed' : 'invalid',
  )
}

export interface RuleCounts {
  readonly policies: number
  readonly content: number
  readonly providers: number
  readonly checks: number
  /** Some rules record what they would do, and none acts. */
  readonly isShadow: boolean
}

function countCheckers(checker: ConfigDocument['task_completion_checker']): number {
  if (checker === undefined) return 0
  if (!isComposite(checker)) return 1
  return checker.checkers.reduce((sum, child) => sum + countCheckers(child), 0)
}

interface Rule {
  readonly mode?: 'enforce' | 'shadow' | 'off'
}

/** Rules of a section and of the sections within it. */
function listRules(
  list: 'policies' | 'content',
  section: Pick<ConfigDocument, 'policies' | 'content' | 'sections'>,
): readonly Rule[] {
  const below = (section.sections ?? []).flatMap((child) => listRules(list, child))
  return [...(section[list] ?? []), ...below]
}

const rememberCounts = rememberResults<RuleCounts | null>()

/** Null: this build cannot parse the text. A stored version was valid in the build that stored it. */
export function countRules(text: string): RuleCounts | null {
  return rememberCounts([text], () => {
    const parsed = parseConfigText(text)
    if (!parsed.ok) return null
    const { document } = parsed
    const policies = listRules('policies', document)
    const content = listRules('content', document)
    const providers: readonly Rule[] = document.feedback_providers ?? []
    const checks = countCheckers(document.task_completion_checker)
    const rules = [...policies, ...content, ...providers]
    return {
      policies: policies.length,
      content: content.length,
      providers: providers.length,
      checks,
      isShadow:
        (checks > 0 || rules.some(({ mode }) => mode === 'shadow')) &&
        (checks === 0 || document.limits?.max_stop_blocks === 0) &&
        rules.every(({ mode = 'enforce' }) => mode !== 'enforce'),
    }
  })
}
