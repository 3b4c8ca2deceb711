// Custom providers: code outside core speaks, and its words are a fact of the call's end.
import type { CustomProviderDocument } from '../config.ts'
import type { Provider } from './provider.ts'

/** The answer is read where the pass collects, because it may be a failure instead of advice. */
export function customProvider(document: CustomProviderDocument): Provider {
  return { name: document.id, external: true, tracks: null, advise: () => null }
}
