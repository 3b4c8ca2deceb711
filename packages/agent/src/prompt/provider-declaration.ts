import type { FeedbackProviderDocument, TriggerDocument } from '@signalbox/core'
import type { FeedbackProvider, FeedbackTrigger } from './feedback-provider.ts'
import { type RuleOptions, toCustomType, toParamsField } from './rule-options.ts'
import type { RuleScribe } from './rule-scribe.ts'

export interface DeclaredProvider {
  toDocument(scribe: RuleScribe, config: FeedbackProviderConfig): FeedbackProviderDocument
}

export interface FeedbackProviderConfig extends RuleOptions {
  readonly provider: FeedbackProvider | DeclaredProvider
  readonly trigger: FeedbackTrigger
}

export function providerDocument(
  config: FeedbackProviderConfig,
  scribe: RuleScribe,
): FeedbackProviderDocument {
  const { provider } = config
  if ('toDocument' in provider) return provider.toDocument(scribe, config)
  const rule = scribe.rule(provider.name, config)
  const type = toCustomType(provider.name)
  scribe.providers.set(rule.id, { type, rule: provider })
  const trigger = triggerDocument(config.trigger)
  return { ...rule, type, trigger, ...toParamsField(provider.params) }
}

export function triggerDocument(trigger: FeedbackTrigger): TriggerDocument {
  const given = Object.entries(trigger).filter(([, value]) => value !== undefined)
  // FeedbackTrigger has the document's names in camel case. TypeScript cannot derive them back.
  return Object.fromEntries(
    given.map(([name, value]) => [toSnakeCase(name), value]),
  ) as TriggerDocument
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
