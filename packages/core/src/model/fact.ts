// Facts are recorded in the event that needed them, so that every later evaluation sees the same value. An absent fact is unknown, and
// unknown denies.
import type { Advice } from './effect.ts'
import { getOwn } from './json.ts'

export interface FileFact {
  /** `unknown`: it could not be looked up, and unknown denies. */
  readonly exists: boolean | 'unknown'
  /** Absent: unknown. */
  readonly kind?: 'file' | 'directory'
  /** Identity of the content, e.g. `sha256:…`. Absent: unknown. */
  readonly fingerprint?: string
}

export type RuleAnswer =
  | { readonly kind: 'policy'; readonly allow: boolean; readonly reason?: string }
  /** null: the provider had no feedback. */
  | { readonly kind: 'feedback'; readonly advice: GivenAdvice | null }
  | {
      readonly kind: 'check'
      readonly complete: boolean
      readonly feedback?: string
      /** Source of the answer, e.g. the model's id. */
      readonly by?: string
    }
  /** The code threw, took too long or gave an unusable answer: a policy denies, a check is not passed, feedback is lost. */
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'unavailable' }

export interface GivenAdvice extends Advice {
  /** Display name. Absent: the rule's id. */
  readonly name?: string
}

/** A place in a value, never its content. */
export interface ContentFinding {
  /** Id of the content rule. */
  readonly rule: string
  /** Kind of the rule. */
  readonly kind: string
  /** JSON pointer into the value. Names that contain findings are masked in it. */
  readonly pointer: string
  /** Position of the property among those of the object at `pointer`, whose name contains the finding. Absent: it is in the value. */
  readonly property?: number
  /** In UTF-16 units of the text. */
  readonly offset: number
  /** In UTF-16 units of the text. */
  readonly length: number
  /** Keyed hash of the text, with a random key of the session: equal tags mean equal texts within the session. */
  readonly tag: string
}

export interface ContentFacts {
  /** Detectors that ran, with their versions. */
  readonly detectors: readonly {
    /** Kind of the rules that it serves. */
    readonly name: string
    /** Version of the detector, not of the config. */
    readonly version: string
  }[]
  /** Rules for which every detector answered. Any other rule counts as not checked. */
  readonly checked: readonly string[]
  /** Every finding, by its place. */
  readonly found: readonly ContentFinding[]
}

/** Facts looked up for one event. An absent entry is unknown. */
export interface Facts {
  /** Keyed by the path in normal form, relative to the workspace. Absent: no path was looked up. */
  readonly files?: { readonly [path: string]: FileFact }
  /** True when the path itself is a symbolic link; keyed like `files`. Absent: no path was looked up. */
  readonly links?: { readonly [path: string]: boolean | 'unknown' }
  /** Answers of custom code or of a model, keyed by rule id. Absent: none were needed. */
  readonly answers?: { readonly [rule: string]: RuleAnswer }
  /** Findings of content rules. Absent: no rule inspected a value. */
  readonly content?: ContentFacts
}

export type AnswerKind = 'policy' | 'feedback' | 'check'

export interface AnswerRequest {
  readonly rule: string
  readonly type: string
  readonly kind: AnswerKind
}

/** Facts that the shell must look up before it passes the event to `step`. The shell repeats the request until none is missing. */
export interface FactRequest {
  /** Paths in normal form, each once, in the order in which they are first needed. */
  readonly files: readonly string[]
  readonly links: readonly string[]
  readonly answers: readonly AnswerRequest[]
}

export const UNKNOWN_FILE: FileFact = { exists: 'unknown' }

export function fileFact(facts: Facts | undefined, path: string): FileFact {
  return getOwn(facts?.files, path) ?? UNKNOWN_FILE
}

export function linkFact(facts: Facts | undefined, path: string): boolean | 'unknown' {
  return getOwn(facts?.links, path) ?? 'unknown'
}

/** undefined: there was no answer. */
export function findAnswer(facts: Facts | undefined, rule: string): RuleAnswer | undefined {
  return getOwn(facts?.answers, rule)
}
