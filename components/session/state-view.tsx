// What the guardrails knew after an event: plan, policy state, budget, triggers; with what the event itself changed.
import type { StateView, TriggerView } from '@signalbox/core/views'
import { CircleCheck, CircleDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { SessionStateAt } from '@/server/services/audit/session-state.ts'
import { countText } from './clock.ts'

function Section({
  title,
  aside,
  children,
}: {
  readonly title: string
  readonly aside?: string
  readonly children: ReactNode
}) {
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="font-semibold text-h2">
        {title}{' '}
        {aside === undefined ? null : <span className="font-normal text-text-2">{aside}</span>}
      </h3>
      {children}
    </section>
  )
}

const STATUS_WORD: { readonly [status: string]: string } = {
  done: 'done',
  in_progress: 'in progress',
  pending: 'to do',
}

function Plan({ after, before }: SessionStateAt) {
  if (after.plan === null) {
    return (
      <Section title="Plan">
        <p className="text-text-3">No plan exists.</p>
      </Section>
    )
  }
  const { steps } = after.plan
  const done = steps.filter(({ status }) => status === 'done').length
  return (
    <Section title="Plan" aside={`${done} of ${steps.length} done`}>
      <ul className="flex flex-col gap-1">
        {steps.map((step, index) => {
          const was = before.plan?.steps[index]
          const isDone = step.status === 'done'
          const Icon = isDone ? CircleCheck : CircleDashed
          const hue = isDone
            ? 'text-allow-mark'
            : step.status === 'in_progress'
              ? 'text-caution-mark'
              : 'text-neutral-mark'
          return (
            <li key={step.id ?? `${index} ${step.title}`} className="flex items-center gap-2">
              <Icon aria-hidden size={14} className={`shrink-0 ${hue}`} />
              <span className="min-w-0 flex-1 truncate" title={step.title}>
                {step.title}
              </span>
              <span className="text-small text-text-2">
                {was !== undefined && was.status !== step.status ? (
                  <span className="text-text-3">was {wordOf(was.status)} · </span>
                ) : null}
                {wordOf(step.status)}
              </span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

function wordOf(status: string | undefined): string {
  return status === undefined ? 'to do' : (STATUS_WORD[status] ?? status)
}

/** `+1` beside what the event added. */
function Added({ count }: { readonly count: number }) {
  return count > 0 ? <span className="text-allow-fg"> +{count}</span> : null
}

function mono(text: string): ReactNode {
  return <span className="font-mono text-mono">{text}</span>
}

function newIn<Item>(
  after: readonly Item[],
  before: readonly Item[],
  keyOf: (item: Item) => string,
) {
  const known = new Set(before.map(keyOf))
  return after.filter((item) => !known.has(keyOf(item))).length
}

function ReadPaths({ after, before }: SessionStateAt) {
  const paths = [...new Set(after.reads.map(({ path }) => path))]
  const earlier = new Set(before.reads.map(({ path }) => path))
  const added = paths.filter((path) => !earlier.has(path))
  if (paths.length === 0) return <>none</>
  return (
    <details>
      <summary className="cursor-pointer">
        {mono(countText(paths.length))}
        <Added count={added.length} />
      </summary>
      <ul className="mt-1 max-h-40 overflow-y-auto font-mono text-mono text-text-2">
        {paths.map((path) => (
          <li key={path} className="truncate" title={path}>
            {path}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Policies(state: SessionStateAt) {
  const { after, before, isConfigKnown } = state
  const added = newIn(after.succeeded, before.succeeded, ({ tool }) => tool)
  const items: KeyValue[] = [
    { name: 'Read paths', value: <ReadPaths {...state} /> },
    {
      name: 'Tools succeeded',
      value:
        after.succeeded.length === 0 ? (
          'none'
        ) : (
          <>
            {mono(after.succeeded.map(({ tool }) => tool).join(', '))}
            <Added count={added} />
          </>
        ),
    },
  ]
  const needs = after.stillNeeded.map(({ tool, missing }) => `${tool} ← ${missing.join(', ')}`)
  if (isConfigKnown) {
    items.push({
      name: 'Still needed',
      value: needs.length === 0 ? 'nothing' : mono(needs.join('; ')),
    })
  }
  return (
    <Section title="Policy state">
      <KeyValueList items={items} />
      {isConfigKnown ? null : (
        <p className="text-small text-text-3">
          The config of this session was never published here, so its rules are not shown.
        </p>
      )}
    </Section>
  )
}

function Budget({ after, before }: SessionStateAt) {
  const { deadlineAt, budget, usage } = after
  const limit = budget?.max_total_tokens
  const spent = usage.total - before.usage.total
  const left = deadlineAt === null ? null : deadlineAt - after.at
  return (
    <Section title="Budget and deadline">
      <KeyValueList
        items={[
          {
            name: 'Deadline',
            value:
              deadlineAt === null || left === null ? (
                'none'
              ) : (
                <>
                  <Timestamp at={deadlineAt} style="second" />
                  <br />
                  {left >= 0
                    ? `${durationText(left)} left then`
                    : `overdue ${durationText(-left)} then`}
                </>
              ),
          },
          {
            name: 'Tokens',
            value: (
              <>
                {mono(
                  limit === undefined
                    ? countText(usage.total)
                    : `${countText(usage.total)} / ${countText(limit)}`,
                )}
                {spent > 0 ? <span className="text-text-2"> +{countText(spent)}</span> : null}
              </>
            ),
          },
          { name: 'Calls', value: mono(countText(after.calls)) },
          {
            name: 'Stops',
            value: mono(`${after.stops.attempts} attempted, ${after.stops.blocks} blocked`),
          },
        ]}
      />
    </Section>
  )
}

function triggerText(trigger: TriggerView, view: StateView): string {
  const { every_n_calls: calls, every_n_seconds: seconds, on_file_created: file } = trigger.trigger
  const parts: string[] = []
  if (calls !== undefined) {
    parts.push(`every ${calls} calls · next after ${trigger.callsLeft ?? calls}`)
  }
  if (seconds !== undefined) {
    const wait = Math.max(0, (trigger.dueAt ?? 0) - view.at)
    parts.push(
      `every ${seconds} s · next ${wait === 0 ? 'at the next call' : `in ${durationText(wait)}`}`,
    )
  }
  if (file !== undefined) {
    parts.push(trigger.fileFired ? `${file.filename} · fired` : `when ${file.filename} exists`)
  }
  if (trigger.lastSeq !== null) parts.push(`last at #${trigger.lastSeq}`)
  return parts.join(' · ')
}

function Triggers({ after }: SessionStateAt) {
  if (after.triggers.length === 0) return null
  const isOnly = (name: string): boolean =>
    after.triggers.filter((other) => other.name === name).length === 1
  return (
    <Section title="Triggers">
      <KeyValueList
        items={after.triggers.map((trigger) => ({
          name: isOnly(trigger.name) ? trigger.name : `${trigger.name} (${trigger.provider})`,
          value: mono(triggerText(trigger, after)),
        }))}
      />
    </Section>
  )
}

export function StateSections({ state }: { readonly state: SessionStateAt }) {
  return (
    <div className="flex flex-col gap-4">
      <Plan {...state} />
      <Policies {...state} />
      <Budget {...state} />
      <Triggers {...state} />
    </div>
  )
}
