'use client'
import { plural } from '@signalbox/core/analysis'
import {
  ChartSpline,
  Cloud,
  Database,
  Globe,
  Headset,
  ListChecks,
  type LucideIcon,
  Mail,
  MessageSquareText,
  Rocket,
  SearchCheck,
  Shield,
  SquareTerminal,
  Wrench,
} from 'lucide-react'
import { Words } from '@/components/ui/words.tsx'
import type { ListedTemplate } from '@/server/configs/config-templates.ts'
import type { RuleLine, RulesInWords } from '@/server/configs/rules-in-words.ts'
import { ChoiceCards } from './choice-cards.tsx'

type TemplateName = ListedTemplate['name']

const ICONS: { readonly [Name in TemplateName]: LucideIcon } = {
  'coding-agent': SquareTerminal,
  'release-bot': Rocket,
  'ci-fixer': Wrench,
  'support-triage': Headset,
  'email-assistant': Mail,
  'browser-agent': Globe,
  'research-writer': SearchCheck,
  'data-analysis': ChartSpline,
  'database-migration': Database,
  infrastructure: Cloud,
}

const KINDS = { policy: Shield, provider: MessageSquareText, checker: ListChecks } as const
const SHOWN = 4

export function RuleSentence({ rule }: { readonly rule: RuleLine }) {
  const { kind, sentence, plain = sentence } = rule
  const Icon = kind === 'composite' ? ListChecks : KINDS[kind]
  return (
    <li className="flex items-start gap-1.5">
      <Icon size={13} className="mt-[3px] shrink-0 text-text-3" aria-hidden />
      <span className="min-w-0 break-words">
        <Words text={plain} />
      </span>
    </li>
  )
}

export const listLeaves = (rules: readonly RuleLine[]): readonly RuleLine[] =>
  rules.filter(({ kind }) => kind !== 'composite')

/** The shortest sentences of each kind, so that a card shows what kinds of rules there are. */
function chooseSentences({ policies, providers, checkers }: RulesInWords): readonly RuleLine[] {
  const shortest = (rules: readonly RuleLine[]) =>
    [...listLeaves(rules)].sort((one, other) => one.sentence.length - other.sentence.length)
  const last = [...shortest(providers).slice(0, 1), ...shortest(checkers).slice(0, 1)]
  return [...shortest(policies).slice(0, SHOWN - last.length), ...last]
}

function countRules({ policies, providers, checkers }: RulesInWords): string {
  const checks = listLeaves(checkers).length
  return [
    plural(policies.length, 'policy'),
    `${providers.length} feedback`,
    plural(checks, 'check'),
  ].join(' · ')
}

export function TemplateCards({
  templates,
  value,
  onChange,
}: {
  readonly templates: readonly ListedTemplate[]
  readonly value: TemplateName
  readonly onChange: (name: TemplateName) => void
}) {
  return (
    <ChoiceCards
      label="Template"
      name="template"
      value={value}
      onChange={onChange}
      className="grid grid-cols-2 gap-2 max-lg:grid-cols-1"
      cards={templates.map((template) => ({
        value: template.name,
        name: template.title,
        description: template.purpose,
        content: <TemplateCard template={template} />,
      }))}
    />
  )
}

function TemplateCard({ template }: { readonly template: ListedTemplate }) {
  const { name, title, purpose, rules } = template
  const Icon = ICONS[name]
  return (
    <span className="flex min-w-0 flex-1 flex-col gap-1.5 px-3 py-2.5">
      <span className="flex items-center gap-2 font-medium">
        <Icon size={16} className="shrink-0" aria-hidden />
        {title}
      </span>
      <span className="text-small text-text-2">{purpose}</span>
      <ul className="flex flex-col gap-0.5 text-small">
        {chooseSentences(rules).map((rule) => (
          <RuleSentence key={rule.id} rule={rule} />
        ))}
      </ul>
      <span className="mt-auto pt-1 text-small text-text-2">{countRules(rules)}</span>
    </span>
  )
}
