// The caller makes the ids unique.
import type { JsonObject } from '@signalbox/core'
import { CHECKER_FORMS, CONTENT_FORMS, POLICY_FORMS, PROVIDER_FORMS } from '@signalbox/core/lint'

interface NewRules {
  readonly [type: string]: JsonObject
}

export const NEW_POLICIES = loadSamples(POLICY_FORMS)
export const NEW_CONTENT = loadSamples(CONTENT_FORMS)
export const NEW_PROVIDERS = loadSamples(PROVIDER_FORMS)
export const NEW_CHECKERS = loadSamples(CHECKER_FORMS)

export const NEW_TRIGGER: JsonObject = { every_n_calls: 10 }

function loadSamples(types: { readonly [type: string]: { readonly sample: object } }): NewRules {
  // Samples are JSON, but their types have no index signature.
  const samples = Object.entries(types).map(([type, { sample }]) => [type, sample as JsonObject])
  return Object.fromEntries(samples)
}
