import type { JsonObject } from '@signalbox/core'
import { CHECKER_TYPES, CONTENT_KINDS, POLICY_TYPES, PROVIDER_TYPES } from '@signalbox/core/host'
import type { RegisterRequest } from '@signalbox/wire'
import type { CustomRules } from '../facts/custom-rules.ts'

type Capabilities = RegisterRequest['capabilities']
type CustomType = NonNullable<Capabilities['custom_types']>[number]

export function describeCapabilities({ policies, providers, checkers }: CustomRules): Capabilities {
  const custom = [
    ...listTypes('policy', policies),
    ...listTypes('feedback_provider', providers),
    ...listTypes('checker', checkers),
  ]
  return {
    // Beside the policies, because older servers refuse a runtime that lists anything else.
    policies: [
      ...POLICY_TYPES,
      // A field that older runtimes refuse.
      'sequential_dependency.after',
      ...CONTENT_KINDS.map((kind) => `content:${kind}`),
    ],
    feedback_providers: [...PROVIDER_TYPES],
    checkers: [...CHECKER_TYPES],
    ...(custom.length === 0 ? {} : { custom_types: custom }),
  }
}

function listTypes(
  kind: CustomType['kind'],
  types: { readonly [type: string]: { readonly schema?: JsonObject } } = {},
): CustomType[] {
  return Object.entries(types).map(([type, { schema }]) => ({
    kind,
    type,
    ...(schema === undefined ? {} : { schema }),
  }))
}
