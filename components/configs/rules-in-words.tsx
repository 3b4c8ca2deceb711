'use client'
// A config's rules as sentences, with how often each fired in the last week. A policy that did leads to the calls it denied (`?rule=`).
import {
  type CheckerDocument,
  type ConfigDocument,
  isComposite,
  type PolicyDocument,
  type SectionDocument,
} from '@signalbox/core'
import { describeChecker, describePolicy, describeProvider } from '@signalbox/core/views'
import { parseConfigText } from '@signalbox/wire'
import { parseAsString, useQueryState } from 'nuqs'
import type { ReactNode } from 'react'
import type { RuleActivity } from '@/server/services/rule-activity.ts'
import { Words } from '../editor/words.tsx'
import { Ago } from '../ui/time.tsx'

interface RuleLine {
  readonly id: string
  readonly sentence: string
  readonly mode: string
  readonly kind: 'policy' | 'provider' | 'checker' | 'composite'
  /** How many composites it stands in. */
  readonly depth?: number
}

function policyLines(document: ConfigDocument): RuleLine[] {
  const of = (place: string, policies: readonly PolicyDocument[] = []) =>
    policies.map((policy) => ({
      id: policy.id,
      sentence: describePolicy(policy) + place,
      mode: policy.mode ?? 'enforce',
      kind: 'policy' as const,
    }))
  const sections = (list: readonly SectionDocument[] = []): RuleLine[] =>
    list.flatMap((section) => [
      ...of(` (section \`${section.id}\`)`, section.policies),
      ...sections(section.sections),
    ])
  return [...sections(document.sections), ...of('', document.policies)]
}

function checkerLines(checker: CheckerDocument | undefined, depth = 0): RuleLine[] {
  if (checker === undefined) return []
  const { id } = checker
  const own = { id, mode: 'enforce', depth }
  if (!isComposite(checker)) {
    return [{ ...own, kind: 'checker', sentence: describeChecker(checker) }]
  }
  const isAll = checker.all_must_pass ?? true
  const sentence = isAll ? 'All of the following' : 'Any one of the following'
  const below = checker.checkers.flatMap((child) => checkerLines(child, depth + 1))
  return [{ ...own, kind: 'composite', sentence }, ...below]
}

export function RulesInWords({
  text,
  activity,
}: {
  readonly text: string
  /** Null: not known. */
  readonly activity: RuleActivity | null
}) {
  const parsed = parseConfigText(text)
  if (!parsed.ok) {
    return (
      <p className="p-3 text-text-2">
        This version was written by another build and cannot be put into words here. Its JSON is
        unchanged.
      </p>
    )
  }
  const { document } = parsed
  const providers = (document.feedback_providers ?? []).map((provider) => ({
    id: provider.id,
    sentence: describeProvider(provider),
    mode: provider.mode ?? 'enforce',
    kind: 'provider' as const,
  }))
  const blocks = document.limits?.max_stop_blocks ?? 10
  return (
    <div className="flex flex-col gap-4 p-3">
      <RuleGroup
        title="Policies"
        lines={policyLines(document)}
        activity={activity}
        none="Every tool call is allowed."
      />
      <RuleGroup
        title="Feedback"
        lines={providers}
        activity={activity}
        none="The agent gets no feedback."
      />
      <RuleGroup
        title="Completion"
        lines={checkerLines(document.task_completion_checker)}
        activity={activity}
        none="Stops are not checked."
        after={
          document.task_completion_checker !== undefined && (
            <p className="text-small text-text-2">
              After {blocks} blocked stops the next one is allowed and recorded as bypassed.
            </p>
          )
        }
      />
    </div>
  )
}

function RuleGroup({
  title,
  lines,
  activity,
  none,
  after,
}: {
  readonly title: string
  readonly lines: readonly RuleLine[]
  readonly activity: RuleActivity | null
  readonly none: string
  readonly after?: ReactNode
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-semibold text-small text-text-2">{title}</h3>
      {lines.length === 0 && <p className="text-text-2">{none}</p>}
      <ul className="flex flex-col gap-1">
        {lines.map(({ id, sentence, mode, kind, depth = 0 }) => (
          <li
            key={id}
            className="flex flex-wrap items-baseline gap-x-3"
            style={depth === 0 ? undefined : { paddingLeft: depth * 16 }}
          >
            <span className="min-w-0 flex-1 basis-60 break-words">
              <Words text={sentence} />
            </span>
            <code className="text-text-3">{id}</code>
            {mode !== 'enforce' && <span className="text-caution-fg text-small">{mode}</span>}
            {activity !== null && kind !== 'composite' && mode !== 'off' && (
              <FiredText id={id} kind={kind} activity={activity} />
            )}
          </li>
        ))}
      </ul>
      {after}
    </section>
  )
}

/** 0 is said in words, and only where sessions ran that it might have fired in. */
function FiredText({
  id,
  kind,
  activity,
}: {
  readonly id: string
  readonly kind: RuleLine['kind']
  readonly activity: RuleActivity
}) {
  const [, setRule] = useQueryState('rule', parseAsString)
  const { days, sessions, rules } = activity
  const fired = rules[id]
  const look = 'text-small text-text-2'
  if (fired === undefined) {
    const base = `${sessions} ${sessions === 1 ? 'session' : 'sessions'} began in ${days} days`
    if (sessions === 0) return <span className={look}>no session in {days} days</span>
    return (
      <span className={look} title={base}>
        never fired in {days} days
      </span>
    )
  }
  const count = `fired ${fired.count}× in ${days} days`
  return (
    <span className={look}>
      {kind === 'policy' ? (
        <button
          type="button"
          className="text-link hover:underline"
          aria-label={`${id} ${count}: show the calls that it denied`}
          onClick={() => void setRule(id)}
        >
          {count}
        </button>
      ) : (
        count
      )}
      , last <Ago at={fired.lastAt} />
    </span>
  )
}
