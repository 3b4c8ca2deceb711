'use client'
// The count of a policy links to the calls that it denied (`?rule=`).
import { plural, timesText } from '@signalbox/core/analysis'
import { parseAsString, useQueryState } from 'nuqs'
import { type ReactNode, useEffect, useRef } from 'react'
import { ExpandableWords } from '@/components/ui/expandable-words.tsx'
import { Ago } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import type { RuleLine, RulesInWords as Rules } from '@/server/configs/rules-in-words.ts'

interface ActivityThere extends RuleActivity {
  readonly environment: string
}

export function RulesInWords({
  rules,
  activity,
  pointed = null,
}: {
  /** Null: another build wrote the version, and this build cannot describe it. */
  readonly rules: Rules | null
  /** Null: unknown. */
  readonly activity: ActivityThere | null
  readonly pointed?: PointedRule | null
}) {
  if (rules === null) {
    return (
      <p className="p-3 text-text-2">
        This version was written by another build and cannot be described here. Its JSON is
        unchanged.
      </p>
    )
  }
  const { policies, providers, checkers, maxStopBlocks } = rules
  return (
    <div className="flex flex-col gap-4 p-3">
      {activity !== null && activity.sessions === 0 && (
        <p className="text-text-2">
          No session ran in {activity.environment} in {plural(activity.days, 'day')}, so no rule
          fired there.
        </p>
      )}
      <RuleGroup
        title="Policies"
        lines={policies}
        activity={activity}
        pointed={pointed}
        none="Every tool call is allowed."
      />
      <RuleGroup
        title="Feedback"
        lines={providers}
        activity={activity}
        pointed={pointed}
        none="The agent gets no feedback."
      />
      <RuleGroup
        title="Completion"
        lines={checkers}
        activity={activity}
        pointed={pointed}
        none="Stops are not checked."
        after={
          checkers.length > 0 && (
            <p className="text-small text-text-2">
              {maxStopBlocks === 0
                ? 'Stops are checked and recorded, but never blocked.'
                : `After ${plural(maxStopBlocks, 'blocked stop')} the next one is allowed and recorded as bypassed.`}
            </p>
          )
        }
      />
    </div>
  )
}

export interface PointedRule {
  readonly pointer: string
  readonly json: string
}

function RuleGroup({
  title,
  lines,
  activity,
  pointed,
  none,
  after,
}: {
  readonly title: string
  readonly lines: readonly RuleLine[]
  readonly activity: ActivityThere | null
  readonly pointed: PointedRule | null
  readonly none: string
  readonly after?: ReactNode
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="font-semibold text-small text-text-2">{title}</h3>
      {lines.length === 0 && <p className="text-text-2">{none}</p>}
      <ul className="flex flex-col gap-1">
        {lines.map((line) => (
          <RuleItem key={line.id} line={line} activity={activity} pointed={pointed} />
        ))}
      </ul>
      {after}
    </section>
  )
}

function RuleItem({
  line,
  activity,
  pointed,
}: {
  readonly line: RuleLine
  readonly activity: ActivityThere | null
  readonly pointed: PointedRule | null
}) {
  const { id, pointer, mode, kind, depth = 0 } = line
  return (
    <li
      aria-current={pointer === pointed?.pointer ? 'true' : undefined}
      className="flex flex-wrap items-baseline gap-x-3 aria-[current]:bg-row-selected"
      style={depth === 0 ? undefined : { paddingLeft: depth * 16 }}
    >
      <div className="min-w-0 flex-1 basis-60 break-words max-sm:has-[[open]]:basis-full">
        <RuleWords line={line} />
      </div>
      <code className="text-text-3">{id}</code>
      {mode !== 'enforce' && <span className="text-caution-fg text-small">{mode}</span>}
      {activity !== null && kind !== 'composite' && mode !== 'off' && (
        <FiredText id={id} kind={kind} activity={activity} />
      )}
      {pointer === pointed?.pointer && <PointedJson json={pointed.json} />}
    </li>
  )
}

function RuleWords({ line: { sentence, plain, told } }: { readonly line: RuleLine }) {
  if (plain === undefined) return <Words text={sentence} />
  return (
    <ExpandableWords text={plain}>
      <p>
        <Words text={sentence} />
      </p>
      {told !== undefined && <p>The agent is told: “{told}”</p>}
    </ExpandableWords>
  )
}

function PointedJson({ json }: { readonly json: string }) {
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <pre
      ref={box}
      className="w-full overflow-x-auto whitespace-pre-wrap break-words py-1 font-mono text-mono text-text-2"
    >
      {json}
    </pre>
  )
}

/** Zero is stated in words, and only if the rule could have fired in some session. */
function FiredText({
  id,
  kind,
  activity,
}: {
  readonly id: string
  readonly kind: RuleLine['kind']
  readonly activity: ActivityThere
}) {
  const [, setRule] = useQueryState('rule', parseAsString)
  const { environment, days, sessions, rules } = activity
  const fired = Object.hasOwn(rules, id) ? rules[id] : undefined
  const look = 'text-small text-text-2'
  if (fired === undefined) {
    const base = `${plural(sessions, 'session')} began in ${environment} in ${plural(days, 'day')}`
    if (sessions === 0) return null
    return (
      <span className={look} title={base}>
        never fired in {plural(days, 'day')}
      </span>
    )
  }
  const count = `fired ${timesText(fired.count)} in ${plural(days, 'day')}`
  return (
    <span className={look} title={`Today and the ${plural(days - 1, 'day')} before it, in UTC`}>
      {kind === 'policy' ? (
        <button
          type="button"
          className="inline-flex min-h-6 items-center text-link hover:underline"
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
