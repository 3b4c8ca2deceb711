// A config that extends another one, as one flat document. The base's rules stay at least as strict: proven by `compareStrictness`, else
// refused (specs/inheritance.md).

import type { StrictnessNote } from '../kinds/base/judgment.ts'
import type { Placed } from '../kinds/base/place.ts'
import type { CheckerDocument } from '../kinds/checkers.ts'
import type { ConfigDocument, SectionDocument } from '../kinds/config.ts'
import type { ContentRuleDocument } from '../kinds/content/content-rule.ts'
import type { FeedbackProviderDocument } from '../kinds/feedback.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { type JsonValue, omitUndefined } from '../model/json.ts'
import type { RuleMode, RuleOrigin } from '../model/rule.ts'
import { isSameJson } from '../model/same-json.ts'
import { compareHiddenCalls } from './compare-hidden-calls.ts'
import { compareStrictness } from './strictness.ts'

export interface Inherited {
  /** The base's rules and the config's own; without `extends`. */
  readonly document: ConfigDocument
  /** Why the document is not proven to be as strict as the base, with pointers into it; empty: it is proven. */
  readonly looser: readonly StrictnessNote[]
}

/** The base must compile; the result may still not, for example because a tool is declared twice. */
export function inheritConfig(base: ConfigDocument, own: ConfigDocument): Inherited {
  const document = mergeDocuments(base, own)
  // Compared apart, because what may be added to aliases and redaction depends on the base's rules.
  const { name: _name, aliases: _aliases, redaction: _redaction, ...rest } = base
  const { ns, key, name, aliases, redaction } = document
  const from = { ...rest, ns, key, ...omitUndefined({ name, aliases, redaction }) }
  const compared = compareStrictness(withAllActing(from), withAllActing(document))
  const looser = [
    ...(compared.stricter ? [] : compared.looser),
    ...compareModes(base, document),
    ...compareProviders(base, document),
    ...compareHiddenCalls(base, document),
  ]
  return { document, looser }
}

function mergeDocuments(base: ConfigDocument, own: ConfigDocument): ConfigDocument {
  const placed = placeDocument(own)
  const stated = new Set([...placed.policies, ...placed.content].map(({ item }) => item.id))
  const limits = { ...base.limits, ...own.limits }
  const { schema_version, ns, key, name, description, metadata } = own
  return {
    schema_version,
    ns,
    key,
    ...omitUndefined({
      name,
      description,
      aliases: mergeFields(base.aliases, own.aliases),
      sections: mergeSections(base.sections, own.sections, stated),
      policies: mergeStated(base.policies, own.policies, stated),
      content: mergeStated(base.content, own.content, stated),
      feedback_providers: mergeById(base.feedback_providers, own.feedback_providers),
      feedback_exclusive: own.feedback_exclusive ?? base.feedback_exclusive,
      task_completion_checker: mergeCheckers(
        base.task_completion_checker,
        own.task_completion_checker,
      ),
      final_verification: own.final_verification ?? base.final_verification,
      lease: own.lease ?? base.lease,
      limits: Object.keys(limits).length === 0 ? undefined : limits,
      redaction: mergeById(base.redaction, own.redaction),
      metadata,
    }),
  }
}

function mergeFields<Value>(
  base: { readonly [name: string]: Value } | undefined,
  own: { readonly [name: string]: Value } | undefined,
): { readonly [name: string]: Value } | undefined {
  return base === undefined ? own : { ...base, ...own }
}

interface Named {
  readonly id: string
}

/** Items of the base in its order, each replaced by the own item with its id, then the other own items. */
function mergeById<Item extends Named>(
  base: readonly Item[] | undefined,
  own: readonly Item[] | undefined,
  merge: (base: Item, own: Item) => Item = (_, item) => item,
): readonly Item[] | undefined {
  if (base === undefined || own === undefined) return base ?? own
  const added = own.filter(({ id }) => !base.some((item) => item.id === id))
  const kept = base.map((item) => {
    const stated = own.find(({ id }) => id === item.id)
    return stated === undefined ? item : merge(item, stated)
  })
  return [...kept, ...added]
}

/** `stated`: ids of the own rules. A rule that is stated in another place moves there. */
function mergeStated<Item extends Named>(
  base: readonly Item[] | undefined,
  own: readonly Item[] | undefined,
  stated: ReadonlySet<string>,
): readonly Item[] | undefined {
  const here = new Set(own?.map(({ id }) => id))
  const kept = base?.filter(({ id }) => here.has(id) || !stated.has(id))
  return mergeById(kept, own)
}

function mergeSections(
  base: readonly SectionDocument[] | undefined,
  own: readonly SectionDocument[] | undefined,
  stated: ReadonlySet<string>,
): readonly SectionDocument[] | undefined {
  const withKept = base?.map((section) => mergeSection(section, { id: section.id }, stated))
  return mergeById(withKept, own, (section, item) => mergeSection(section, item, stated))
}

function mergeSection(
  base: SectionDocument,
  own: SectionDocument,
  stated: ReadonlySet<string>,
): SectionDocument {
  const tools =
    base.tools === undefined ? own.tools : [...new Set([...base.tools, ...(own.tools ?? [])])]
  return {
    id: own.id,
    ...omitUndefined({
      title: own.title ?? base.title,
      tools,
      policies: mergeStated(base.policies, own.policies, stated),
      content: mergeStated(base.content, own.content, stated),
      sections: mergeSections(base.sections, own.sections, stated),
    }),
  }
}

const BOTH_CHECKERS = 'base-and-own'

/** A root with the id of the base's replaces it; any other must pass besides it. */
function mergeCheckers(
  base: CheckerDocument | undefined,
  own: CheckerDocument | undefined,
): CheckerDocument | undefined {
  if (base === undefined || own === undefined) return base ?? own
  if (base.id === own.id) return own
  return { id: BOTH_CHECKERS, type: 'composite', checkers: [base, own] }
}

/** With every policy and content rule in force, so that rules in shadow mode are compared as well. */
function withAllActing<Part extends Pick<SectionDocument, 'policies' | 'content' | 'sections'>>(
  part: Part,
): Part {
  const acting = part.policies?.map((policy) => ({ ...policy, mode: 'enforce' as const }))
  const content = part.content?.map((rule) => ({ ...rule, mode: 'enforce' as const }))
  const sections = part.sections?.map((section) => withAllActing(section))
  return { ...part, ...omitUndefined({ policies: acting, content, sections }) }
}

const MODES: readonly RuleMode[] = ['off', 'shadow', 'enforce']

function compareModes(base: ConfigDocument, document: ConfigDocument): readonly StrictnessNote[] {
  const after = listModeRules(document)
  return listModeRules(base).flatMap(({ item: was, noun }) => {
    const is = after.find(({ item }) => item.id === was.id)
    const mode = is?.item.mode ?? 'enforce'
    if (is === undefined || MODES.indexOf(mode) >= MODES.indexOf(was.mode ?? 'enforce')) return []
    const message = `${noun} \`${was.id}\` is ${mode} (it is ${was.mode ?? 'enforce'} in the base)`
    return [{ pointer: `${is.pointer}/mode`, message }]
  })
}

type ModeRule = Placed<PolicyDocument | ContentRuleDocument | FeedbackProviderDocument> & {
  readonly noun: string
}

function listModeRules(document: ConfigDocument): readonly ModeRule[] {
  const { policies, content, providers } = placeDocument(document)
  return [
    ...content.map((placed) => ({ ...placed, noun: 'Content rule' })),
    ...policies.map((placed) => ({ ...placed, noun: 'Policy' })),
    ...providers.map((placed) => ({ ...placed, noun: 'Feedback provider' })),
  ]
}

/** No feedback is stricter than other feedback, so the base's stays. */
function compareProviders(
  base: ConfigDocument,
  document: ConfigDocument,
): readonly StrictnessNote[] {
  const { providers } = placeDocument(document)
  const isNowExclusive =
    (base.feedback_providers ?? []).length > 0 &&
    base.feedback_exclusive !== true &&
    document.feedback_exclusive === true
  const changed = (base.feedback_providers ?? []).flatMap((was) => {
    const is = providers.find(({ item }) => item.id === was.id)
    if (
      is === undefined ||
      isSameRule({ ...was, mode: 'enforce' }, { ...is.item, mode: 'enforce' })
    )
      return []
    const message = `Feedback provider \`${was.id}\` differs`
    return [{ pointer: is.pointer, message, isUnproven: true as const }]
  })
  const message = 'Feedback is exclusive, so a provider of the base may be left out'
  return isNowExclusive ? [...changed, { pointer: '/feedback_exclusive', message }] : changed
}

function isSameRule(one: object, other: object): boolean {
  // Documents are JSON; their types only lack an index signature.
  return isSameJson(one as JsonValue, other as JsonValue)
}

/** By rule id, for every rule of a flat document. */
export function findRuleOrigins(
  base: ConfigDocument,
  document: ConfigDocument,
): ReadonlyMap<string, RuleOrigin> {
  const before = new Map(listRules(base).map((rule) => [rule.item.id, rule]))
  return new Map(
    listRules(document).map(({ item, section }) => {
      const was = before.get(item.id)
      if (was === undefined) return [item.id, 'own']
      const isSame = isSameRule(was.item, item) && was.section === section
      return [item.id, isSame ? 'base' : 'stricter']
    }),
  )
}

interface ListedRule extends Placed<Named> {
  /** Id of the section that declares the rule; null: none. */
  readonly section: string | null
}

function listRules(document: ConfigDocument): readonly ListedRule[] {
  const { policies, content, providers, checkers } = placeDocument(document)
  const redaction = (document.redaction ?? []).map((item, i) => ({
    item,
    pointer: `/redaction/${i}`,
  }))
  return [
    ...[...policies, ...content].map(({ item, pointer, section }) => ({
      item,
      pointer,
      section: section?.id ?? null,
    })),
    ...[...providers, ...checkers, ...redaction].map((rule) => ({ ...rule, section: null })),
  ]
}

/** Pointer into the config's own document for one into the flat document; `/extends` for a part that only the base has. */
export function findOwnPointer(
  own: ConfigDocument,
  document: ConfigDocument,
  pointer: string,
): string {
  const within = [...placeDocument(document).sections, ...listRules(document)]
    .filter((part) => pointer === part.pointer || pointer.startsWith(`${part.pointer}/`))
    .sort((a, b) => b.pointer.length - a.pointer.length)[0]
  if (within === undefined) {
    const [, field = ''] = pointer.split('/')
    return Object.hasOwn(own, field) ? pointer : '/extends'
  }
  const isSection = /\/sections\/\d+$/.test(within.pointer)
  const parts = isSection ? placeDocument(own).sections : listRules(own)
  const stated = parts.find(({ item }) => item.id === within.item.id)
  if (stated === undefined) return '/extends'
  // The tools of a section are joined, so their places differ.
  return isSection ? stated.pointer : `${stated.pointer}${pointer.slice(within.pointer.length)}`
}
