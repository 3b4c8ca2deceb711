import { findAnswer } from '../../model/fact.ts'
import type { JsonObject } from '../../model/json.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import type { FinishedCall, Provider, Said } from './provider.ts'

export interface CustomProviderDocument extends ProviderBase {
  readonly type: string
  readonly params?: JsonObject
}

export function customProvider({ id }: CustomProviderDocument): Provider {
  return { name: id, external: true, tracks: null, advise: (finished) => heard(id, finished) }
}

function heard(id: string, { facts }: FinishedCall): Said | null {
  const answer = findAnswer(facts, id)
  if (answer?.kind === 'feedback') return answer.advice
  return { error: answer?.kind === 'error' ? answer.error : 'The provider did not answer.' }
}
