import type { JsonObject, PlanStep, RuleResult } from '@signalbox/core'
import { type EventFact, type FactValue, plural, ruleSentence } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { Because, CheckTree } from '@/components/explanations/check-tree.tsx'
import { escapeInvisible, readOmission } from '@/components/explanations/json-pieces.ts'
import { RuleResultText } from '@/components/explanations/rule-result.tsx'
import { viaText } from '@/components/explanations/stop-headline.ts'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import { FoldedText, formatRecorded, RecordedValue } from './recorded-value.tsx'

export interface FactContext {
  readonly sessionId: string
  readonly plan: (steps: readonly PlanStep[]) => ReactNode
}

export function FactList({
  facts,
  context,
}: {
  readonly facts: readonly EventFact[]
  readonly context: FactContext
}) {
  return (
    <dl className="grid grid-cols-[minmax(84px,auto)_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      {facts.map((fact) => (
        <FactItem key={fact.name} fact={fact} context={context} />
      ))}
    </dl>
  )
}

function FactItem({
  fact: { name, value },
  context,
}: {
  readonly fact: EventFact
  readonly context: FactContext
}) {
  const copied = copiedText(value)
  const isWide = copied !== null || WIDE.has(value.kind)
  return (
    <div className={isWide ? 'col-span-2 min-w-0' : 'contents'} data-fact={name}>
      <dt className="flex items-center gap-1 text-text-2">
        {name}
        {copied === null ? null : (
          <span className="ml-auto">
            <CopyButton text={copied} label={`Copy ${name.toLowerCase()}`} />
          </span>
        )}
      </dt>
      <dd className="min-w-0 break-words">
        <Value name={name} value={value} context={context} />
      </dd>
    </div>
  )
}

const WIDE: ReadonlySet<FactValue['kind']> = new Set(['fields', 'rules', 'checks', 'plan', 'list'])

/** Null: the value is short enough to select. */
function copiedText(value: FactValue): string | null {
  if (value.kind === 'text') return value.text
  return value.kind === 'json' ? formatRecorded(value.value) : null
}

function Value({
  name,
  value,
  context,
}: {
  readonly name: string
  readonly value: FactValue
  readonly context: FactContext
}) {
  switch (value.kind) {
    case 'words':
      return value.text
    case 'code':
      return <code className="break-all font-mono text-mono">{escapeInvisible(value.text)}</code>
    case 'text':
      return <FoldedText label={name} text={value.text} />
    case 'json':
      return <RecordedValue label={name} value={value.value} />
    case 'instant':
      return <Timestamp at={value.at} />
    case 'duration':
      return durationText(value.ms)
    case 'via':
      return viaText(value.via)
    case 'event':
      return (
        <Link className="text-link" href={`/sessions/${context.sessionId}?e=${value.seq}`}>
          #{value.seq}
        </Link>
      )
    case 'list':
      return <Lines items={value.items} />
    case 'fields':
      return <Fields name={name} fields={value.fields} />
    case 'rules':
      return <Rules rules={value.rules} sessionId={context.sessionId} />
    case 'checks':
      return (
        <div className="-mx-3">
          <CheckTree root={value.root} label="Checks" sessionId={context.sessionId} />
        </div>
      )
    case 'plan':
      return context.plan(value.steps)
    default:
      return value satisfies never
  }
}

const MOST_LINES = 50

function Lines({ items }: { readonly items: readonly string[] }) {
  const [open, rest] = [items.slice(0, MOST_LINES), items.length - MOST_LINES]
  return (
    <ul>
      {open.map((item, index) => {
        const key = `${index} ${item}`
        return (
          <li key={key} className="break-words">
            <Words text={escapeInvisible(item)} />
          </li>
        )
      })}
      {rest > 0 ? <li className="text-small text-text-2">and {rest} more, in Raw</li> : null}
    </ul>
  )
}

function Fields({ name, fields }: { readonly name: string; readonly fields: JsonObject }) {
  const all = Object.entries(fields)
  if (all.length === 0) return <span className="text-text-2">none</span>
  return (
    <dl
      aria-label={name}
      className="mt-0.5 flex flex-col rounded-control border border-border [&>div+div]:border-border [&>div+div]:border-t"
    >
      {all.slice(0, MOST_LINES).map(([field, value]) => (
        <div key={field} data-field={field} className="px-2 py-1">
          <dt className="flex items-center gap-1">
            <code className="min-w-0 break-all font-mono text-mono text-text-2">
              {escapeInvisible(field)}
            </code>
            {readOmission(value) === null ? (
              <span className="ml-auto">
                <CopyButton text={formatRecorded(value)} label={`Copy ${field}`} />
              </span>
            ) : null}
          </dt>
          <dd className="min-w-0 break-words">
            <RecordedValue label={field} value={value} />
          </dd>
        </div>
      ))}
      {all.length > MOST_LINES ? (
        <div className="px-2 py-1 text-small text-text-2">
          <dt>and {all.length - MOST_LINES} more</dt>
          <dd>in Raw</dd>
        </div>
      ) : null}
    </dl>
  )
}

function Rules({
  rules,
  sessionId,
}: {
  readonly rules: readonly RuleResult[]
  readonly sessionId: string
}) {
  const objecting = rules.filter(({ result }) => result !== 'allow')
  const allowing = rules.filter(({ result }) => result === 'allow')
  return (
    <>
      <RuleItems rules={objecting} sessionId={sessionId} />
      {allowing.length === 0 ? null : (
        <details open={objecting.length === 0 && allowing.length <= 3}>
          <summary className="min-h-6 cursor-pointer text-text-2">
            {plural(allowing.length, 'rule')} {allowing.length === 1 ? 'allows' : 'allow'} it
          </summary>
          <RuleItems rules={allowing} sessionId={sessionId} />
        </details>
      )}
    </>
  )
}

function RuleItems({
  rules,
  sessionId,
}: {
  readonly rules: readonly RuleResult[]
  readonly sessionId: string
}) {
  return (
    <ul className="flex flex-col gap-1.5">
      {rules.slice(0, MOST_LINES).map((rule) => (
        <li key={rule.pointer} data-rule={rule.rule}>
          <div className="flex flex-wrap items-center gap-x-1.5">
            <RuleResultText result={rule.result} mode={rule.mode} />
            <code className="font-mono text-mono" title={rule.pointer}>
              {rule.rule}
            </code>
            <span className="font-mono text-mono text-text-3">{rule.type}</span>
          </div>
          <p className="break-words text-small text-text-2">
            <Words text={ruleSentence(rule)} />
            <Because seqs={rule.because} sessionId={sessionId} />
          </p>
        </li>
      ))}
      {rules.length > MOST_LINES ? (
        <li className="text-small text-text-2">and {rules.length - MOST_LINES} more, in Raw</li>
      ) : null}
    </ul>
  )
}
