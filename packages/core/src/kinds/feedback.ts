// A type is its own file and its lines here; a missing part does not compile.

import type { RuleWords } from './base/rule-words.ts'
import { type CustomProviderDocument, customProvider } from './feedback/custom.ts'
import {
  type DeadlineProviderDocument,
  deadlineForm,
  deadlineProvider,
  deadlineWords,
} from './feedback/deadline.ts'
import type { Provider } from './feedback/provider.ts'
import type { ProviderForm, ProviderWords } from './feedback/provider-rule.ts'
import {
  type RepeatedCallProviderDocument,
  repeatedCallForm,
  repeatedCallProvider,
  repeatedCallWords,
} from './feedback/repeated-call.ts'
import {
  type RepeatedFailureProviderDocument,
  repeatedFailureForm,
  repeatedFailureProvider,
  repeatedFailureWords,
} from './feedback/repeated-failure.ts'
import {
  type StaticProviderDocument,
  staticForm,
  staticProvider,
  staticWords,
} from './feedback/static-message.ts'
import {
  type ToolUsageProviderDocument,
  toolUsageForm,
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

/** In the order in which the editor offers them. */
export const PROVIDER_FORMS = {
  deadline: deadlineForm,
  static: staticForm,
  tool_usage: toolUsageForm,
  repeated_failure: repeatedFailureForm,
  repeated_call: repeatedCallForm,
} as const satisfies { readonly [Type in ProviderType]: ProviderForm<ProviderDocumentOf<Type>> }

// Object.keys is typed as a list of strings.
export const PROVIDER_TYPES = Object.keys(COMPILERS) as readonly ProviderType[]

function isKnownProvider(document: FeedbackProviderDocument): document is KnownProviderDocument {
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

/** Form of the document's type; null: code outside core gives the feedback, so nothing is known about it. */
export function providerForm(
  document: FeedbackProviderDocument,
): Omit<ProviderForm<FeedbackProviderDocument>, 'fields'> | null {
  return isKnownProvider(document) ? PROVIDER_FORMS[document.type] : null
}
