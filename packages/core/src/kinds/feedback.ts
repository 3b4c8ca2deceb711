// Feedback provider types by name.
import { type CustomProviderDocument, customProvider } from './feedback/custom.ts'
import { type DeadlineProviderDocument, deadlineProvider } from './feedback/deadline.ts'
import type { Provider } from './feedback/provider.ts'
import {
  type RepeatedCallProviderDocument,
  repeatedCallProvider,
} from './feedback/repeated-call.ts'
import {
  type RepeatedFailureProviderDocument,
  repeatedFailureProvider,
} from './feedback/repeated-failure.ts'
import { type StaticProviderDocument, staticProvider } from './feedback/static-message.ts'
import { type ToolUsageProviderDocument, toolUsageProvider } from './feedback/tool-usage.ts'

export type KnownProviderDocument =
  | DeadlineProviderDocument
  | StaticProviderDocument
  | ToolUsageProviderDocument
  | RepeatedFailureProviderDocument
  | RepeatedCallProviderDocument
export type FeedbackProviderDocument = KnownProviderDocument | CustomProviderDocument

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
