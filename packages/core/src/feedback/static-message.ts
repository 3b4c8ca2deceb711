// static: a fixed text, useful with a file trigger for guidance that is given once.
import type { StaticProviderDocument } from '../config.ts'
import { type Provider, plainProvider } from './provider.ts'

export function staticProvider(document: StaticProviderDocument): Provider {
  const advice = {
    severity: 'info',
    summary: document.feedback,
    observations: [],
    suggestions: [],
  } as const
  return plainProvider('Static', () => advice)
}
