// The caller makes the ids unique.
import type { JsonObject } from '@signalbox/core'
import { CHECKER_FORMS, CONTENT_FORMS, POLICY_FORMS, PROVIDER_FORMS } from '@signalbox/core/lint'
import type { RuleKind } from './schema-walk.ts'

export interface OfferedType {
  readonly type: string
  readonly label: string
  readonly about: string
  readonly rule: JsonObject
}

/** The built-in types of each kind. */
export const OFFERED_TYPES = {
  policy: listTypes(POLICY_FORMS),
  content: listTypes(CONTENT_FORMS),
  feedback_provider: listTypes(PROVIDER_FORMS),
  checker: listTypes(CHECKER_FORMS),
} as const satisfies { readonly [Kind in RuleKind]: readonly OfferedType[] }

export const NEW_TRIGGER: JsonObject = { every_n_calls: 10 }

function listTypes(forms: {
  readonly [type: string]: {
    readonly label: string
    readonly about: string
    readonly sample: object
  }
}): readonly OfferedType[] {
  // Samples are JSON, but their types have no index signature.
  return Object.entries(forms).map(([type, { label, about, sample }]) => ({
    ...{ type, label, about },
    rule: sample as JsonObject,
  }))
}
