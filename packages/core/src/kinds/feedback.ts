// A type is its own file, its lines here and its form in `forms/`; a missing part does not compile.

import type { RuleWords } from './base/rule-words.ts'
import { type CustomProviderDocument, customProvider } from './feedback/custom.ts'
import {
  type DeadlineProviderDocument,
  deadlineProvider,
  deadlineWords,
} from './feedback/deadline.ts'
import type { Provider } from './feedback/provider.ts'
import type { ProviderWords } from './feedback/provider-rule.ts'
import {
  type RepeatedCallProviderDocument,
  repeatedCallProvider,
  repeatedCallWords,
} from './feedback/repeated-call.ts'
import {
  type RepeatedFailureProviderDocument,
  repeatedFailureProvider,
  repeatedFailureWords,
} from './feedback/repeated-failure.ts'
import {
  type StaticProviderDocument,
  staticProvider,
  staticWords,
} from './feedback/static-message.ts'
import {
  type ToolUsageProviderDocument,
  toolUsageProvider,
  toolUsageWords,
} from './feedback/tool-usage.ts'
import { describeTrigger } from './feedback/trigger.ts'

export type KnownProviderDocument =
  | DeadlineProviderDocument
  | StaticProviderDocument
  | ToolUsageProviderDocument
  | RepeatedFailureProviderDocument
  | RepeatedCallProviderDocument
export type FeedbackProviderDocument = KnownProviderDocument | CustomProviderDocument

export type ProviderType = KnownProviderDocument['type']
export type ProviderDocumentOf<Type extends ProviderType> = Extract<
  KnownProviderDocument,
  { readonly type: Type }
>

interface ProviderCompiler<Document> {
  compile(document: Document): Provider
}

const COMPILERS = {
  deadline: deadlineProvider,
  static: staticProvider,
  tool_usage: toolUsageProvider,
  repeated_failure: repeatedFailureProvider,
  repeated_call: repeatedCallProvider,
} as const satisfies {
  readonly [Type in ProviderType]: ProviderCompiler<ProviderDocumentOf<Type>>['compile']
}

export const PROVIDER_WORDS = {
  deadline: deadlineWords,
  static: staticWords,
  tool_usage: toolUsageWords,
  repeated_failure: repeatedFailureWords,
  repeated_call: repeatedCallWords,
} as const satisfies { readonly [Type in ProviderType]: ProviderWords<ProviderDocumentOf<Type>> }

// Object.keys is typed as a list of strings.
export const PROVIDER_TYPES = Object.keys(COMPILERS) as readonly ProviderType[]

export function isKnownProvider(
  document: FeedbackProviderDocument,
): document is KnownProviderDocument {
  return Object.hasOwn(COMPILERS, document.type)
}

export function compileProvider(document: FeedbackProviderDocument): Provider {
  if (!isKnownProvider(document)) return customProvider(document)
  const compile: ProviderCompiler<KnownProviderDocument>['compile'] = COMPILERS[document.type]
  return compile(document)
}

export function describeProvider(provider: FeedbackProviderDocument): string {
  if (!isKnownProvider(provider)) {
    return `Custom type \`${provider.type}\` gives feedback ${describeTrigger(provider.trigger)}`
  }
  const words: Omit<RuleWords<KnownProviderDocument>, 'sentences'> = PROVIDER_WORDS[provider.type]
  return words.describe(provider)
}
