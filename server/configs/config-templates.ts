// Tested documents from which a new config starts. Each can be published unchanged, so a first release needs no edit.
import type { JsonObject, SessionEvent } from '@signalbox/core'
import { summarizeEvent } from '@signalbox/core/analysis'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { type RulesInWords, rulesInWords } from './rules-in-words.ts'
import { TEMPLATES } from './templates/all.ts'
import type { StartMode, Template } from './templates/template.ts'

export type TemplateName = 'blank' | keyof typeof TEMPLATES

// `Object.keys` of a constant: the list has no other names.
const NAMES = Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[]

export const TEMPLATE_NAMES: readonly TemplateName[] = ['blank', ...NAMES]

function withoutMode({ mode: _mode, ...rule }: JsonObject): JsonObject {
  return rule
}

const toRules = (list: unknown): readonly JsonObject[] =>
  // A test parses every document of a template.
  (list ?? []) as readonly JsonObject[]

/** The form in which the rules act. Stops have no shadow mode; a limit of 0 blocked stops records checks and blocks none. */
export function enforceRules({ limits: _limits, ...document }: JsonObject): JsonObject {
  return {
    ...document,
    policies: toRules(document['policies']).map(withoutMode),
    feedback_providers: toRules(document['feedback_providers']).map(withoutMode),
  }
}

export function templateText(
  { ns, key }: { readonly ns: string; readonly key: string },
  template: TemplateName,
  mode: StartMode,
): string {
  const rules: JsonObject = template === 'blank' ? {} : TEMPLATES[template].config
  const document = { ...rules, schema_version: 1, ns, key }
  return `${JSON.stringify(mode === 'enforce' ? enforceRules(document) : document, null, 2)}\n`
}

export interface ListedTemplate {
  readonly name: keyof typeof TEMPLATES
  readonly title: string
  readonly purpose: string
  readonly audience: string
  /** Changes to make before the first release; null: none. */
  readonly adapt: string | null
  readonly tools: Template['about']['tools']
  readonly rules: RulesInWords
  /** The rules of a config that starts with enforcement. */
  readonly enforced: RulesInWords
}

function listTemplate(name: keyof typeof TEMPLATES): ListedTemplate {
  const { about, config }: Template = TEMPLATES[name]
  const { title, purpose, audience, adapt = null, tools } = about
  const [rules, enforced] = [config, enforceRules(config)].map((document) =>
    rulesInWords(JSON.stringify(document)),
  )
  if (rules == null || enforced == null) throw new Error(`The template ${name} cannot be read.`)
  return { name, title, purpose, audience, adapt, tools, rules, enforced }
}

export function listTemplates(): readonly ListedTemplate[] {
  return NAMES.map(listTemplate)
}

export interface TemplateDetail extends ListedTemplate {
  /** The document as it is published in shadow mode. */
  readonly text: string
  readonly task: string
  /** Events of the example session, recorded with the rules enforced. They are stored in no project. */
  readonly session: readonly IndexEntry[]
}

function toIndexEntry({ seq, at, type, data }: SessionEvent): IndexEntry {
  // A stored type has the data of its name: the events were recorded by the runtime.
  const { verdict, subject, summary, durationMs } = summarizeEvent({ type, data } as SessionEvent)
  return [seq, at, type, verdict, subject, summary, durationMs, null]
}

/** Rejects with `not_found` for a name without a template. */
export function findTemplate(asked: string): TemplateDetail {
  const name = NAMES.find((known) => known === asked)
  if (name === undefined) throw new ServiceError('not_found', `There is no template "${asked}".`)
  const { about, config, session }: Template = TEMPLATES[name]
  return {
    ...listTemplate(name),
    text: `${JSON.stringify(config, null, 2)}\n`,
    task: about.sample.task,
    session: session.map(toIndexEntry),
  }
}
