// Feedback provider types by name.
import type { FeedbackProviderDocument, KnownProviderDocument } from '../model/config.ts'
import { customProvider } from './feedback/custom.ts'
import { deadlineProvider } from './feedback/deadline.ts'
import {
  repeatedCallProvider,
  repeatedFailureProvider,
  toolUsageProvider,
} from './feedback/patterns.ts'
import type { Provider } from './feedback/provider.ts'
import { staticProvider } from './feedback/static-message.ts'

export const PROVIDER_TYPES = [
  'deadline',
  'static',
  'tool_usage',
  'repeated_failure',
  'repeated_call',
] as const satisfies readonly KnownProviderDocument['type'][]

export function isKnownProvider(
  document: FeedbackProviderDocument,
): document is KnownProviderDocument {
  const known: readonly string[] = PROVIDER_TYPES
  return known.includes(document.type)
}

export function compileProvider(document: FeedbackProviderDocument): Provider {
  if (!isKnownProvider(document)) return customProvider(document)
  switch (document.type) {
    case 'deadline':
      return deadlineProvider(document)
    case 'static':
      return staticProvider(document)
    case 'tool_usage':
      return toolUsageProvider(document)
    case 'repeated_failure':
      return repeatedFailureProvider(document)
    case 'repeated_call':
      return repeatedCallProvider(document)
    default:
      return document satisfies never
  }
}
