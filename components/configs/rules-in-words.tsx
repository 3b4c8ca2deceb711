// A config's rules as sentences, with how often each policy denied in the last week.
import {
  type CheckerDocument,
  type ConfigDocument,
  isComposite,
  type PolicyDocument,
  type SectionDocument,
} from '@signalbox/core'
import { describeChecker, describePolicy, describeProvider } from '@signalbox/core/views'
import { parseConfigText } from '@signalbox/wire'
import type { ReactNode } from 'react'
import { Words } from '../editor/words.tsx'

interface RuleLine {
  readonly id: string
  readonly sentence: string
  readonly mode: string
  /** Denials of the last 7 days; null where denials are not counted. */
  readonly fired: number | null
  /** How many composites it stands in. */
  readonly depth?: number
}

type Fired = readonly { readonly rule: string; readonly count: number }[]

function policyLines(document: ConfigDocument, fired: Fired): RuleLine[] {
  const of = (place: string, policies: readonly PolicyDocument[] = []) =>
    policies.map((policy) => ({
      id: policy.id,
      sentence: describePolicy(policy) + place,
      mode: policy.mode ?? 'enforce',
      fired: fired.find(({ rule }) => rule === policy.id)?.count ?? 0,
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
  const own = { id, mode: 'enforce', fired: null, depth }
  if (!isComposite(checker)) return [{ ...own, sentence: describeChecker(checker) }]
  const isAll = checker.all_must_pass ?? true
  const sentence = isAll ? 'All of the following' : 'Any one of the following'
  const below = checker.checkers.flatMap((child) => checkerLines(child, depth + 1))
  return [{ ...own, sentence }, ...below]
}

export function RulesInWords({ text, fired }: { readonly text: string; readonly fired: Fired }) {
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
    fired: null,
  }))
  const blocks = document.limits?.max_stop_blocks ?? 10
  return (
    <div className="flex flex-col gap-4 p-3">
      <RuleGroup
        title="Policies"
        lines={policyLines(document, fired)}
        none="Every tool call is allowed."
      />
      <RuleGroup title="Feedback" lines={providers} none="The agent gets no feedback." />
      <RuleGroup
        title="Completion"
        lines={checkerLines(document.task_completion_checker)}
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
  none,
  after,
}: {
  readonly title: string
  readonly lines: readonly RuleLine[]
  readonly none: string
  readonly after?: ReactNode
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-semibold text-small text-text-2">{title}</h3>
      {lines.length === 0 && <p className="text-text-2">{none}</p>}
      <ul className="flex flex-col gap-1">
        {lines.map(({ id, sentence, mode, fired, depth = 0 }) => (
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
            {fired !== null && (
              <span className="text-small text-text-2">
                {fired === 0 ? 'never denied in 7 days' : `denied ${fired}× in 7 days`}
              </span>
            )}
          </li>
        ))}
      </ul>
      {after}
    </section>
  )
}
