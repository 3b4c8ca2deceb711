import type { SequenceView, StateView, TriggerView } from '@signalbox/core/analysis'
import { countText, plural, secondsText } from '@signalbox/core/analysis'
import { durationText } from '@/components/ui/time.tsx'

export interface StateLine {
  /** Identifies the same thing in another state. */
  readonly key: string
  /** Markdown; code spans mark names. */
  readonly text: string
  readonly value: string
  /** Value to compare; null: the value changes with time, as in a countdown, and is never marked. */
  readonly compared: string | null
  /** Status that the value shows; absent: no status with a sign. */
  readonly standing?: 'done' | 'started' | 'open'
}

export interface StateSection {
  readonly title: string
  readonly aside: string | null
  readonly lines: readonly StateLine[]
  readonly nothing: string
  readonly isLong?: true
}

export interface StateFacts {
  readonly view: StateView
  /** Null: the config is unknown here. */
  readonly digest: string | null
  /** Sequence numbers of the final verifications, which are no stop attempts. */
  readonly finals: readonly number[]
  readonly versionName: (digest: string) => string
}

const line = (
  key: string,
  [text, value]: readonly [text: string, value: string],
  more: Partial<StateLine> = {},
): StateLine => ({ key, text, value, compared: value, ...more })

export function stateSections(facts: StateFacts): readonly StateSection[] {
  const { view } = facts
  return [
    planSection(view),
    ruleSection(facts),
    readSection(view),
    callSection(view),
    triggerSection(facts),
    limitSection(facts),
  ]
}

const STATUS_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    done: 'done',
    in_progress: 'in progress',
    pending: 'to do',
  }),
)

function formatStateStatus(status: string | undefined): string {
  return status === undefined ? 'to do' : (STATUS_WORD.get(status) ?? status)
}

function planSection({ plan }: StateView): StateSection {
  const steps = plan?.steps ?? []
  const lines = steps.map(({ id, title, status }, index) =>
    line(`plan ${id ?? `${index} ${title}`}`, [title, formatStateStatus(status)], {
      standing: status === 'done' ? 'done' : status === 'in_progress' ? 'started' : 'open',
    }),
  )
  const aside = plan === null ? null : `${plan.done} of ${steps.length} done`
  return {
    title: 'Plan',
    aside,
    lines,
    nothing: plan === null ? 'No plan exists.' : 'The plan is empty.',
  }
}

const SHADOW = ' (shadow)'

function modeMark(mode: string): string {
  return mode === 'shadow' ? SHADOW : ''
}

function sequenceLine({ rule, mode, tool, needs }: SequenceView): StateLine {
  const names = needs.map((need) => `\`${need.tool}\``).join(', ')
  const met = needs.map(({ tool: name, seq, isOutdated }) => {
    return `${name} ${seq === null ? 'missing' : isOutdated ? 'outdated' : 'done'}`
  })
  const isMet = needs.every(({ seq, isOutdated }) => seq !== null && !isOutdated)
  return line(
    `sequence ${rule} ${tool}`,
    [
      needs.length === 0 ? `\`${tool}\` has no prerequisites` : `\`${tool}\` needs ${names}`,
      `${met.join(', ') || 'free'}${modeMark(mode)}`,
    ],
    { standing: isMet ? 'done' : 'open' },
  )
}

function ruleSection({ view, digest, versionName }: StateFacts): StateSection {
  const version =
    digest === null ? [] : [line('version', ['Version in force', versionName(digest)])]
  const rates = view.rates.map(({ rule, mode, tools, maxCalls, perSeconds, used, freeAt }) => {
    const wait = freeAt === null ? 0 : freeAt - view.at
    const usage = freeAt !== null && wait <= 0 ? 'free again' : `${used} used`
    return line(
      `rate ${rule}`,
      [
        `${tools.map((tool) => `\`${tool}\``).join(' or ')}: at most ${maxCalls} in ${secondsText(perSeconds)}`,
        `${usage}${wait <= 0 ? '' : `, next in ${durationText(wait)}`}${modeMark(mode)}`,
      ],
      { compared: wait <= 0 ? 'free' : 'full', standing: wait <= 0 ? 'done' : 'open' },
    )
  })
  const waiting = view.pending.flatMap(({ callId, tool, approvalUntil }) =>
    approvalUntil === null
      ? []
      : [
          line(
            `approval ${callId}`,
            [
              `\`${tool}\` waits for approval`,
              approvalUntil > view.at ? `${durationText(approvalUntil - view.at)} left` : 'expired',
            ],
            { compared: 'waits', standing: 'open' },
          ),
        ],
  )
  return {
    title: 'Policy state',
    aside: null,
    lines: [...version, ...view.sequences.map(sequenceLine), ...rates, ...waiting],
    nothing: 'The config of this session was never published here, so its rules are not shown.',
  }
}

function readSection({ reads }: StateView): StateSection {
  const newest = new Map<string, number>()
  for (const { path, seq } of reads) newest.set(path, Math.max(newest.get(path) ?? 0, seq))
  const lines = [...newest].map(([path, seq]) =>
    // Reading a file again changes the state only if its content changed, and the rule checks that at a write.
    line(`read ${path}`, [`\`${path}\``, `#${seq}`], { compared: 'read' }),
  )
  const aside = lines.length === 0 ? null : plural(lines.length, 'path')
  return { title: 'Files read', aside, lines, nothing: 'None.', isLong: true }
}

function callSection({ succeeded, calls, pending }: StateView): StateSection {
  const lines = succeeded.map(({ tool, seq }) =>
    line(`success ${tool}`, [`\`${tool}\``, `last success #${seq}`], { compared: 'succeeded' }),
  )
  const open = pending.length === 0 ? '' : `, ${pending.length} running`
  const aside = `of ${plural(calls, 'finished call')}${open}`
  return { title: 'Tools succeeded', aside, lines, nothing: 'None yet.', isLong: true }
}

function triggerText({ next, lastSeq }: TriggerView): string {
  const parts = next.map(({ text, waitMs }) =>
    waitMs === undefined ? text : `${text} ${durationText(waitMs)}`,
  )
  if (lastSeq !== null) parts.push(`last at #${lastSeq}`)
  return parts.join(' · ')
}

function triggerSection({ view, digest }: StateFacts): StateSection {
  const isOnly = (name: string): boolean =>
    view.triggers.filter((other) => other.name === name).length === 1
  const lines = view.triggers.map((trigger) => {
    const { provider, name, deliveries, lastSeq, fileFired } = trigger
    const label = isOnly(name) ? name : `${name} (${provider})`
    return line(`trigger ${provider}`, [label, triggerText(trigger)], {
      compared: `${deliveries} delivered${lastSeq === null ? '' : `, last at #${lastSeq}`}${fileFired ? ', fired' : ''}`,
    })
  })
  const nothing = digest === null ? 'Not known without the config.' : 'No feedback is declared.'
  return { title: 'Feedback', aside: null, lines, nothing }
}

function tokensText(used: number, limit: number | undefined): string {
  if (limit !== undefined) return `${countText(used)} of ${countText(limit)}`
  return used === 0 ? 'none reported' : countText(used)
}

function stopsText({ view: { seq, stops }, finals }: StateFacts): string {
  const final = finals.filter((at) => at <= seq).length
  const checked = [
    ...(final > 0 && stops.attempts === final ? [] : [plural(stops.attempts - final, 'stop')]),
    ...(final === 0
      ? []
      : [final === 1 ? 'the final verification' : plural(final, 'final verification')]),
  ]
  return `${checked.join(' and ')}, ${countText(stops.blocks)} blocked`
}

function limitSection(facts: StateFacts): StateSection {
  const { deadlineAt, budget, usage, control, at } = facts.view
  const left = deadlineAt === null ? null : deadlineAt - at
  const deadline =
    left === null
      ? line('deadline', ['Deadline', 'none'])
      : line(
          'deadline',
          ['Deadline', left > 0 ? `${durationText(left)} left` : `overdue ${durationText(-left)}`],
          { compared: `${deadlineAt} ${left > 0 ? 'ahead' : 'passed'}` },
        )
  const more = [
    control === null
      ? []
      : [line('order', [`Order: ${control.action}`, `${control.by}: ${control.reason}`])],
    budget?.max_input_tokens === undefined
      ? []
      : [line('input', ['Input tokens', tokensText(usage.input, budget.max_input_tokens)])],
    budget?.max_output_tokens === undefined
      ? []
      : [line('output', ['Output tokens', tokensText(usage.output, budget.max_output_tokens)])],
  ].flat()
  return {
    title: 'Deadline and budget',
    aside: null,
    nothing: '',
    lines: [
      deadline,
      line('tokens', ['Tokens', tokensText(usage.total, budget?.max_total_tokens)]),
      ...more,
      line('stops', ['Stops', stopsText(facts)]),
    ],
  }
}

export interface MarkedLine extends StateLine {
  /** `+`: only in this state; `−`: only in the other; `was`: another value there; null: no difference. */
  readonly mark: '+' | '−' | 'was' | null
  readonly was: string | null
}

/** Lines that exist only in the other state come last. */
export function markedLines(shown: StateSection, other: StateSection): readonly MarkedLine[] {
  const there = new Map(other.lines.map((one) => [one.key, one]))
  const here = new Set(shown.lines.map(({ key }) => key))
  const gone = other.lines
    .filter(({ key }) => !here.has(key))
    .map((one): MarkedLine => ({ ...one, mark: '−', was: null }))
  return [...shown.lines.map((one) => marked(one, there.get(one.key))), ...gone]
}

function marked(one: StateLine, before: StateLine | undefined): MarkedLine {
  if (before === undefined) return { ...one, mark: '+', was: null }
  const isSame = one.compared === null || one.compared === before.compared
  return isSame ? { ...one, mark: null, was: null } : { ...one, mark: 'was', was: before.value }
}
