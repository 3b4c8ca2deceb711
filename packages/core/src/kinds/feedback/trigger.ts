// A condition is a field of TriggerDocument and its lines here.
import { plural, secondsText } from '../../model/count-text.ts'
import { pointerTo } from '../../model/json.ts'
import { pathInDocument } from '../../model/path.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProviderState } from '../../model/state.ts'
import type { TriggerCondition, TriggerDocument } from '../../model/trigger.ts'
import { error } from '../base/place.ts'

export interface Moment {
  /** Epoch ms. */
  readonly at: number
  /** Number of finished calls of the prompt, including this one. */
  readonly calls: number
  /** True when the trigger's file exists; `unknown` does not fire. */
  readonly fileExists: boolean | 'unknown'
  readonly fileFired: boolean
}

type Seen = Omit<Moment, 'fileExists'>

type Condition = (trigger: TriggerDocument, state: ProviderState, moment: Moment) => boolean

/** In the order in which a delivery lists the conditions. */
const HOLDS = {
  every_n_calls: ({ every_n_calls: calls }, state, moment) =>
    calls !== undefined && moment.calls - state.callsAtDelivery >= calls,
  every_n_seconds: ({ every_n_seconds: seconds }, state, moment) =>
    seconds !== undefined && secondsSince(state, moment.at) >= seconds,
  on_file_created: (_trigger, _state, moment) => !moment.fileFired && moment.fileExists === true,
} as const satisfies { readonly [Name in TriggerCondition]: Condition }

// Object.keys is typed as a list of strings.
const CONDITIONS = Object.keys(HOLDS) as readonly TriggerCondition[]

const NONE: readonly TriggerCondition[] = []

export interface CompiledTrigger {
  readonly trigger: TriggerDocument
  /** In the order in which a delivery lists them. */
  readonly conditions: readonly TriggerCondition[]
  /** Normal form of the trigger's file; null: the trigger has no file, or the file is outside the workspace. */
  readonly file: string | null
}

export function compileTrigger(trigger: TriggerDocument): CompiledTrigger {
  const conditions = CONDITIONS.filter((condition) => trigger[condition] !== undefined)
  const filename = trigger.on_file_created?.filename
  return { trigger, conditions, file: filename === undefined ? null : pathInDocument(filename) }
}

/** True: one of the conditions fired because a file exists. */
export function firedByFile(conditions: readonly TriggerCondition[]): boolean {
  return conditions.includes('on_file_created')
}

/** Returns the conditions and not a boolean, because the record names those that fired. */
export function firedConditions(
  { trigger, conditions }: CompiledTrigger,
  state: ProviderState,
  moment: Moment,
): readonly TriggerCondition[] {
  let fired: TriggerCondition[] | null = null
  for (const condition of conditions) {
    if (!HOLDS[condition](trigger, state, moment)) continue
    fired ??= []
    fired.push(condition)
  }
  return fired ?? NONE
}

/** Infinity before the first delivery, so that the first opportunity fires. */
function secondsSince(state: ProviderState, at: number): number {
  return state.deliveredAt === null ? Number.POSITIVE_INFINITY : (at - state.deliveredAt) / 1000
}

/** Text about the next time a condition fires. `waitMs`: remaining time, to append to the text. Absent: the text is complete. */
export interface NextFiring {
  readonly text: string
  readonly waitMs?: number
}

interface ConditionWords {
  readonly label: string
  readonly control: 'number' | 'file'
  readonly placeholder: string
  /** Noun phrase for the fired condition, to follow "because of". */
  readonly cause: string
  /** null: the trigger lacks the condition. */
  describe(trigger: TriggerDocument): string | null
  /** null: the trigger lacks it. */
  next(trigger: TriggerDocument, state: ProviderState, moment: Seen): NextFiring | null
  errors(trigger: TriggerDocument, pointer: string): readonly Problem[]
}

export const TRIGGER_WORDS = {
  every_n_calls: {
    label: 'Every n calls',
    control: 'number',
    placeholder: '–',
    cause: 'the number of calls',
    describe: ({ every_n_calls: calls }) => {
      if (calls === undefined) return null
      return calls === 1 ? 'after every call' : `every ${plural(calls, 'call')}`
    },
    next: ({ every_n_calls: calls }, { callsAtDelivery }, moment) => {
      if (calls === undefined) return null
      const left = Math.max(0, calls - (moment.calls - callsAtDelivery))
      const next = left <= 1 ? 'after the next call' : `after ${plural(left, 'call')}`
      return {
        text: calls === 1 ? 'after every call' : `every ${plural(calls, 'call')}, next ${next}`,
      }
    },
    errors: () => [],
  },
  every_n_seconds: {
    label: 'Every n seconds',
    control: 'number',
    placeholder: '–',
    cause: 'the time that passed',
    describe: ({ every_n_seconds: seconds }) =>
      seconds === undefined ? null : `every ${secondsText(seconds)}`,
    next: ({ every_n_seconds: seconds }, { deliveredAt }, { at }) => {
      if (seconds === undefined) return null
      const every = `every ${seconds} s, next`
      const waitMs = deliveredAt === null ? 0 : Math.max(0, deliveredAt + seconds * 1000 - at)
      return waitMs === 0 ? { text: `${every} at the next call` } : { text: `${every} in`, waitMs }
    },
    errors: () => [],
  },
  on_file_created: {
    label: 'Once when a file exists',
    control: 'file',
    placeholder: 'AGENTS.md',
    cause: 'a file that was created',
    describe: ({ on_file_created: created }) =>
      created === undefined ? null : `once when \`${created.filename}\` exists`,
    next: ({ on_file_created: file }, _state, { fileFired }) => {
      if (file === undefined) return null
      const name = `\`${file.filename}\``
      return { text: fileFired ? `${name}: fired, not again` : `when ${name} exists` }
    },
    errors: ({ on_file_created: created }, pointer) => {
      if (created === undefined || pathInDocument(created.filename) !== null) return []
      const message = `The file "${created.filename}" lies outside the workspace. Use a path inside it.`
      return [error(pointerTo(pointer, 'on_file_created'), 'file_outside_workspace', message)]
    },
  },
} as const satisfies { readonly [Condition in TriggerCondition]: ConditionWords }

export function describeTrigger(trigger: TriggerDocument): string {
  const words: readonly ConditionWords[] = Object.values(TRIGGER_WORDS)
  return words.flatMap((condition) => condition.describe(trigger) ?? []).join(' or ') || 'never'
}

/** Clause about the least distance of two warnings; empty: a warning may follow every call. */
export function describeCadence(trigger: TriggerDocument): string {
  return trigger.every_n_calls === 1 ? '' : `, at most ${describeTrigger(trigger)}`
}

export function nextFirings(
  trigger: TriggerDocument,
  state: ProviderState,
  moment: Seen,
): readonly NextFiring[] {
  const words: readonly ConditionWords[] = Object.values(TRIGGER_WORDS)
  return words.flatMap((condition) => condition.next(trigger, state, moment) ?? [])
}

export function triggerErrors(trigger: TriggerDocument, pointer: string): readonly Problem[] {
  if (CONDITIONS.every((condition) => trigger[condition] === undefined)) {
    const [last = '', ...others] = CONDITIONS.toReversed()
    const message = `The trigger has no condition, so it never fires. Add ${others.reverse().join(', ')} or ${last}.`
    return [error(pointer, 'empty_trigger', message)]
  }
  const words: readonly ConditionWords[] = Object.values(TRIGGER_WORDS)
  return words.flatMap((condition) => condition.errors(trigger, pointer))
}
