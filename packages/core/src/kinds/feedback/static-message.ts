// static: a fixed text, useful with a file trigger for guidance that is given once.
import type { ProviderBase } from '../../model/trigger.ts'
import { advice, type Provider, providerOf } from './provider.ts'

/** Says the same whenever its trigger fires. */
export interface StaticProviderDocument extends ProviderBase {
  readonly type: 'static'
  readonly feedback: string
}

export function staticProvider({ feedback }: StaticProviderDocument): Provider {
  const always = advice('info', feedback)
  return providerOf('Static', () => always)
}
