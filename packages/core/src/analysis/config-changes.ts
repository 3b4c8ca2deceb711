// Compares by rule id, so that a moved or reformatted rule is not "removed and added". Documents that differ always have a change, even if
// no sentence describes the field.
import { type CheckerDocument, describeChecker, isComposite } from '../kinds/checkers.ts'
import type { ConfigDocument, SectionDocument } from '../kinds/config.ts'
import type { ContentRuleDocument } from '../kinds/content/content-rule.ts'
import { describeContent } from '../kinds/content/content-words.ts'
import { describeProvider, type FeedbackProviderDocument } from '../kinds/feedback.ts'
import { placeDocument } from '../kinds/placed.ts'
import { describePolicy, type PolicyDocument, plainWords } from '../kinds/policies.ts'
import { REDACTION_KINDS, REDACTION_WORDS } from '../kinds/redaction.ts'
import { countText } from '../model/count-text.ts'
import { type JsonValue, omitUndefined } from '../model/json.ts'
import type { RuleOrigin } from '../model/rule.ts'
import { isSameJson } from '../model/same-json.ts'

export interface ConfigChange {
  readonly kind: 'added' | 'removed' | 'changed'
  /** Noun and name, which is marked with backticks: "Policy `tests-before-publish`". */
  readonly subject: string
  readonly detail: string
  /** For people who do not read conditions, in place of `detail`: the author's reason. Absent: the rule has no condition, or no reason. */
  readonly plain?: string
  /** Absent: the config extends nothing, or the change is not of a rule. */
  readonly origin?: RuleOrigin
}

/** By rule id. */
type Origins = ReadonlyMap<string, RuleOrigin>

interface Entry {
  /** Texts to compare; equal texts mean no change. */
  readonly facts: Readonly<Record<string, string>>
  readonly summary: string
  /** Ids of the checks in a composite. Absent: the entry is no composite. */
  readonly order?: readonly string[]
  /** The rule with the author's reason in place of its condition. Absent: it has no condition, or no reason. */
  readonly plain?: string | undefined
}

type Entries = ReadonlyMap<string, Entry>

/** `before` null: everything is new. Order: prompt and limits, sections, policies, content, feedback, checks, redaction, order of rules. */
export function diffConfigs(
  before: ConfigDocument | null,
  after: ConfigDocument,
  origins: Origins = new Map(),
): readonly ConfigChange[] {
  const old = before ?? { schema_version: 1, ns: after.ns, key: after.key }
  const now = promptFacts(after)
  const was = before === null ? untouched(promptFacts(old), now) : promptFacts(old)
  const changes = [
    ...compare('', [was, now]),
    ...compare('Section', [sectionFacts(old), sectionFacts(after)]),
    ...compare('Policy', [policyFacts(old), policyFacts(after)], origins),
    ...compare('Content rule', [contentFacts(old), contentFacts(after)], origins),
    ...compare('Feedback', [providerFacts(old), providerFacts(after)], origins),
    ...compare('Check', [checkerFacts(old), checkerFacts(after)], origins),
    ...compare('Redaction', [redactionFacts(old), redactionFacts(after, old)], origins),
    ...orderChange(old, after),
  ]
  // Documents are JSON; their types only lack an index signature.
  const isSame = isSameJson(old as unknown as JsonValue, after as unknown as JsonValue)
  return changes.length > 0 || isSame ? changes : [OTHER_CHANGE]
}

/** Default entries that a first version leaves unchanged. All other entries are new, not changed. */
function untouched(defaults: Entries, now: Entries): Entries {
  return new Map([...defaults].filter(([id, { summary }]) => now.get(id)?.summary === summary))
}

const OTHER_CHANGE: ConfigChange = {
  kind: 'changed',
  subject: 'Document',
  detail: 'other fields changed; see the JSON',
}

/** `origins` absent: the entries are no rules. */
function compare(
  noun: string,
  [before, after]: readonly [Entries, Entries],
  origins: Origins = new Map(),
): ConfigChange[] {
  const name = (id: string) => ({
    subject: noun === '' ? id : `${noun} \`${id}\``,
    ...omitUndefined({ origin: origins.get(id) }),
  })
  const removed = [...before].flatMap(([id, entry]): ConfigChange[] =>
    after.has(id) ? [] : [{ kind: 'removed', ...name(id), ...summarize(entry) }],
  )
  const rest = [...after].flatMap(([id, entry]): ConfigChange[] => {
    const old = before.get(id)
    if (old === undefined) return [{ kind: 'added', ...name(id), ...summarize(entry) }]
    return changedFacts(old, entry).map((words) => ({ kind: 'changed', ...name(id), ...words }))
  })
  return [...removed, ...rest]
}

type ChangeWords = Pick<ConfigChange, 'detail' | 'plain'>

function toChangeWords(detail: string, plain: string | undefined): ChangeWords {
  return plain === undefined ? { detail } : { detail, plain }
}

function summarize({ summary, plain }: Entry): ChangeWords {
  return toChangeWords(summary, plain)
}

function changedFacts(before: Entry, after: Entry): readonly ChangeWords[] {
  const names = new Set([...Object.keys(before.facts), ...Object.keys(after.facts)])
  const changes = [...names].flatMap((fact): readonly ChangeWords[] => {
    const [old, now] = [before.facts[fact] ?? 'none', after.facts[fact] ?? 'none']
    if (old === now) return []
    if (fact !== '') return [{ detail: `${fact}: ${old} → ${now}` }]
    return [toChangeWords(`${old} → ${now}`, changedPlain(before, after))]
  })
  const order = describeReorder(before.order, after.order)
  return order === null ? changes : [...changes, { detail: `order: ${order}` }]
}

/** Absent: one of the two sentences has no condition, or no reason. */
function changedPlain({ plain: old }: Entry, { plain: now }: Entry): string | undefined {
  if (old === undefined || now === undefined) return undefined
  return old === now ? `the condition changed. ${now}` : `${old} → ${now}`
}

function value(fact: string): Entry {
  return { facts: { '': fact }, summary: fact }
}

const quoted = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ')

const DEFAULT_BLOCKS = 10

function promptFacts(document: ConfigDocument): Entries {
  const { name, description, aliases, limits, metadata } = document
  const blocks = limits?.max_stop_blocks ?? DEFAULT_BLOCKS
  const exclusive = document.feedback_exclusive ?? false
  const entries: [string, Entry][] = [
    ['Prompt', value(`${document.ns}/${document.key}`)],
    ['Prompt name', value(name ?? `${document.ns}:${document.key}`)],
    [
      'Incomplete stops',
      value(blocks === 0 ? 'recorded only' : `blocked, at most ${countText(blocks)} in a session`),
    ],
    ['Feedback', value(exclusive ? 'first match only' : 'every match')],
  ]
  if (description !== undefined) entries.push(['Description', value(`“${description}”`)])
  if (document.final_verification !== undefined) {
    entries.push(['Final verification', value(document.final_verification)])
  }
  for (const [field, seconds] of Object.entries(document.lease ?? {})) {
    entries.push([`Lease \`${field}\``, value(`${seconds} s`)])
  }
  if (metadata !== undefined) entries.push(['Metadata', value(JSON.stringify(metadata))])
  for (const [harness, tool] of Object.entries(aliases ?? {})) {
    entries.push([`Alias \`${harness}\``, value(`\`${tool}\``)])
  }
  return new Map(entries)
}

interface PlacedSection {
  readonly section: SectionDocument
  readonly path: string
}

function flattenSections(sections: readonly SectionDocument[] = [], above = ''): PlacedSection[] {
  return sections.flatMap((section) => {
    const path = above === '' ? section.id : `${above} › ${section.id}`
    return [{ section, path }, ...flattenSections(section.sections, path)]
  })
}

function sectionFacts(document: ConfigDocument): Entries {
  return new Map(
    flattenSections(document.sections).map(({ section, path }) => {
      const tools = quoted(section.tools ?? [])
      const facts = { title: section.title ?? 'none', tools, place: path }
      return [section.id, { facts, summary: `tools ${tools}` }]
    }),
  )
}

const readRuleMode = (rule: ModeDocument) => rule.mode ?? 'enforce'

function otherFields(rule: object, described: readonly string[]): Record<string, string> {
  const rest = Object.entries(rule).filter(([field]) => !described.includes(field))
  return Object.fromEntries(rest.map(([field, fact]) => [field, JSON.stringify(fact)]))
}

const DESCRIBED = [
  ...['id', 'type', 'mode', 'tools', 'dependencies', 'read_tools', 'write_tools', 'deny_when'],
  ...['max_calls', 'per_seconds', 'timeout_seconds'],
]
const DESCRIBED_OF_PROVIDERS = [
  ...['id', 'type', 'mode', 'trigger', 'feedback', 'warning_threshold_seconds', 'tool', 'times'],
  'max_calls_without_progress',
]
const DESCRIBED_OF_CHECKERS = ['id', 'type', 'files', 'tool', 'after', 'criteria', 'require']

/** If a policy has both conditions, the sentence describes `deny_when`. */
function listDescribedFields(policy: PolicyDocument): readonly string[] {
  if (policy.type === 'approval') return [...DESCRIBED, 'when']
  return 'deny_when' in policy ? DESCRIBED : [...DESCRIBED, 'require']
}

function policyFacts(document: ConfigDocument): Entries {
  const of = (place: string, policies: readonly PolicyDocument[] = []) =>
    policies.map((policy): [string, Entry] => {
      const rule = describePolicy(policy)
      const facts = {
        '': rule,
        mode: readRuleMode(policy),
        place,
        ...otherFields(policy, listDescribedFields(policy)),
      }
      const plain = plainWords(policy, 'Denies a call')?.plain
      const words = plain === undefined ? undefined : withMode(plain, policy)
      return [policy.id, { facts, summary: withMode(rule, policy), plain: words }]
    })
  return new Map([
    ...flattenSections(document.sections).flatMap(({ section }) =>
      of(`section \`${section.id}\``, section.policies),
    ),
    ...of('whole prompt', document.policies),
  ])
}

const DESCRIBED_OF_CONTENT = ['id', 'mode', 'on', 'kind', 'tools', 'action', 'matches', 'max_chars']

function contentFacts(document: ConfigDocument): Entries {
  return new Map(
    placeDocument(document).content.map(({ item, section }) => {
      const rule = describeContent(item)
      const facts = {
        '': rule,
        mode: readRuleMode(item),
        place: section === null ? 'whole prompt' : `section \`${section.id}\``,
        ...otherFields(item, DESCRIBED_OF_CONTENT),
      }
      return [item.id, { facts, summary: withMode(rule, item) }]
    }),
  )
}

type ModeDocument = PolicyDocument | ContentRuleDocument | FeedbackProviderDocument

function withMode(rule: string, document: ModeDocument): string {
  const mode = readRuleMode(document)
  return mode === 'enforce' ? rule : `${rule} (${mode})`
}

function providerFacts(document: ConfigDocument): Entries {
  return new Map(
    (document.feedback_providers ?? []).map((provider) => {
      const rule = describeProvider(provider)
      const rest = otherFields(provider, DESCRIBED_OF_PROVIDERS)
      const facts = { '': rule, mode: readRuleMode(provider), ...rest }
      return [provider.id, { facts, summary: withMode(rule, provider) }]
    }),
  )
}

function checkerFacts(document: ConfigDocument): Entries {
  const entries: [string, Entry][] = []
  const visit = (checker: CheckerDocument, place: string): void => {
    if (!isComposite(checker)) {
      const rule = describeChecker(checker)
      const facts = { '': rule, place, ...otherFields(checker, DESCRIBED_OF_CHECKERS) }
      const plain = plainWords(checker, 'Blocks a stop')?.plain
      entries.push([checker.id, { facts, summary: rule, plain }])
      return
    }
    const rule = (checker.all_must_pass ?? true) ? 'all must pass' : 'any may pass'
    const order = checker.checkers.map(({ id }) => id)
    const facts = { '': rule, place }
    entries.push([checker.id, { facts, order, summary: `${rule}: ${quoted(order)}` }])
    for (const child of checker.checkers) visit(child, `in \`${checker.id}\``)
  }
  if (document.task_completion_checker !== undefined) {
    visit(document.task_completion_checker, 'top')
  }
  return new Map(entries)
}

function redactionFacts(document: ConfigDocument, before: ConfigDocument = document): Entries {
  return new Map(
    (document.redaction ?? []).map((rule) => {
      const old = (before.redaction ?? []).find(({ id }) => id === rule.id)
      const parts = REDACTION_KINDS.map((kind) => {
        const { fact, describe, summarize } = REDACTION_WORDS[kind]
        const described = describe(rule[kind] ?? [], old?.[kind] ?? [])
        return { fact, described, summary: summarize(described) }
      })
      const facts = Object.fromEntries(parts.map(({ fact, described }) => [fact, described]))
      return [rule.id, { facts, summary: parts.map(({ summary }) => summary).join(', ') }]
    }),
  )
}

/** The order determines which denial and which feedback comes first. */
function orderChange(before: ConfigDocument, after: ConfigDocument): ConfigChange[] {
  const lists = [
    ['Order of policies', before.policies ?? [], after.policies ?? []],
    ['Order of feedback', before.feedback_providers ?? [], after.feedback_providers ?? []],
  ] as const
  return lists.flatMap(([subject, old, now]): ConfigChange[] => {
    const ids = [old, now].map((list) => list.map(({ id }) => id))
    const detail = describeReorder(ids[0], ids[1])
    return detail === null ? [] : [{ kind: 'changed', subject, detail }]
  })
}

/** Null: the ids in both lists have the same order. */
function describeReorder(
  before: readonly string[] = [],
  after: readonly string[] = [],
): string | null {
  const old = before.filter((id) => after.includes(id))
  const now = after.filter((id) => before.includes(id))
  return old.join('\n') === now.join('\n') ? null : `${quoted(old)} → ${quoted(now)}`
}

export function changesAsText(changes: readonly ConfigChange[]): string {
  const sign = { added: '+', removed: '-', changed: '~' } as const
  return changes
    .map(({ kind, subject, detail, origin }) =>
      `${sign[kind]} ${subject}: ${detail}${describeOrigin(origin)}`.replaceAll('`', ''),
    )
    .join('\n')
}

/** Empty: a rule of a config that extends nothing, or the config's own. */
export function describeOrigin(origin: RuleOrigin | undefined): string {
  if (origin === 'base') return ' (from the base)'
  return origin === 'stricter' ? ' (stricter than the base)' : ''
}
