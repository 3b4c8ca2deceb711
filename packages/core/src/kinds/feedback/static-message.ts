// static: a fixed text, useful with a file trigger for guidance that is given once.
import type { StaticProviderDocument } from '../../model/config.ts'
import { advice, type Provider, providerOf } from './provider.ts'

export function staticProvider({ feedback }: StaticProviderDocument): Provider {
  const always = advice('info', feedback)
  return providerOf('Static', () => always)
}
