// Feedback provider types by name.
import type { FeedbackProviderDocument, KnownProviderDocument } from '../config.ts'
import { deadlineProvider } from './deadline.ts'
import type { Provider } from './provider.ts'
import { staticProvider } from './static-message.ts'

export const PROVIDER_TYPES = [
  'deadline',
  'static',
] as const satisfies readonly KnownProviderDocument['type'][]

export function isKnownProvider(
  document: FeedbackProviderDocument,
): document is KnownProviderDocument {
  const known: readonly string[] = PROVIDER_TYPES
  return known.includes(document.type)
}

export function compileProvider(document: KnownProviderDocument): Provider {
  switch (document.type) {
    case 'deadline':
      return deadlineProvider(document)
    case 'static':
      return staticProvider(document)
    default:
      return document satisfies never
  }
}
