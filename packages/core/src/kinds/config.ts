// Field names are those of the stored JSON (specs/guardrails.md). packages/wire has already validated these documents; nothing is parsed
// here.

import type { JsonObject } from '../model/json.ts'
import type { LeaseDocument } from '../model/lease-calibration.ts'
import type { CheckerDocument } from './checkers.ts'
import type { ContentRuleDocument } from './content/content-rule.ts'
import type { FeedbackProviderDocument } from './feedback.ts'
import type { PolicyDocument } from './policies.ts'
import type { RedactionRuleDocument } from './redaction.ts'

export interface SectionDocument {
  readonly id: string
  readonly title?: string
  readonly tools?: readonly string[]
  /** Rules that govern the tools of this section only. */
  readonly policies?: readonly PolicyDocument[]
  /** Rules on the content of calls of this section's tools only. */
  readonly content?: readonly ContentRuleDocument[]
  readonly sections?: readonly SectionDocument[]
}

export interface LimitsDocument {
  /** Blocked stops after which the next stop is allowed as `bypassed(max_blocks)`. Absent: 10. */
  readonly max_stop_blocks?: number
}

export interface ConfigDocument {
  readonly schema_version: 1
  readonly ns: string
  readonly key: string
  /** Absent: `ns:key`. */
  readonly name?: string
  readonly description?: string
  /** Harness tool name → canonical name, e.g. `{"Write": "write_file"}`. */
  readonly aliases?: { readonly [harnessName: string]: string }
  readonly sections?: readonly SectionDocument[]
  /** Rules that govern every tool. */
  readonly policies?: readonly PolicyDocument[]
  /** Rules on what arguments and results contain. */
  readonly content?: readonly ContentRuleDocument[]
  readonly feedback_providers?: readonly FeedbackProviderDocument[]
  /** True: only the first matching provider of a pass delivers. Absent: false. */
  readonly feedback_exclusive?: boolean
  /** Absent: stops are not checked. */
  readonly task_completion_checker?: CheckerDocument
  /** Effect of an output for an incomplete task at the end of a run. Absent: `warning`. */
  readonly final_verification?: 'warning' | 'error'
  readonly limits?: LimitsDocument
  /** Lease of the queue message that a worker holds while a session runs (specs/leases.md). */
  readonly lease?: LeaseDocument
  readonly redaction?: readonly RedactionRuleDocument[]
  /** The author's own data; not interpreted. */
  readonly metadata?: JsonObject
}

/** A config as people write it. Runtimes get the flat document without `extends` (specs/inheritance.md). */
export interface ConfigSource extends ConfigDocument {
  /** `ns/key@version` of the base. Absent: none. */
  readonly extends?: string
}
