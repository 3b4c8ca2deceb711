import { plural } from '@signalbox/core/analysis'
import {
  type Gate,
  isJudgedWhenDue,
  isPassed,
  type ReleaseAnswers,
} from '@/server/releases/release-input.ts'

export interface ShownGate {
  /** `saved`, `asked`: gates of this dialog while the server cannot evaluate its own. */
  readonly id: Gate['id'] | 'saved' | 'asked'
  readonly passed: boolean
  readonly label: string
  /** True: the result is unknown, not required, or evaluated later. */
  readonly isOpen: boolean
  readonly question: string | null
  readonly claims?: Gate['claims']
}

const ANSWERED: { readonly [Id in Gate['id']]?: string } = {
  note_required: 'Note written',
  name_required: 'Name typed',
}

function toLocalGate(id: 'saved' | 'asked', label: string): ShownGate {
  return { id, passed: false, label, isOpen: id === 'asked', question: null }
}

export interface GateFacts {
  /** Null: the request is in progress. */
  readonly gates: readonly Gate[] | null
  readonly answers: ReleaseAnswers
  readonly isLater: boolean
  /** True: the server has the text, or it will be saved with the request. */
  readonly canSave: boolean
}

export function showGates({ gates, answers, isLater, canSave }: GateFacts): readonly ShownGate[] {
  return [
    ...(canSave ? [] : [toLocalGate('saved', 'The draft is not saved yet')]),
    ...(gates === null
      ? [toLocalGate('asked', 'Checking the requirements of this release')]
      : gates.map((gate) => showGate(gate, answers, isLater))),
  ]
}

function showGate(gate: Gate, answers: ReleaseAnswers, isLater: boolean): ShownGate {
  const { id, state, sentence, question, claims } = gate
  const passed = isPassed(gate, answers)
  if (!passed && isLater && isJudgedWhenDue(gate)) {
    const label =
      id === 'approvals'
        ? `${sentence}. Without the approval by the scheduled time, the release is refused`
        : `${sentence} (evaluated at that time)`
    return { id, passed: true, label, isOpen: true, question, claims }
  }
  // The claims themselves are shown below their gate.
  const short = claims === undefined ? sentence : (sentence.split('. ')[0] ?? sentence)
  const label = (passed && state === 'ask' ? ANSWERED[id] : undefined) ?? short
  return { id, passed, label, isOpen: state === 'open', question, claims }
}

export function headline(gates: readonly ShownGate[], environment: string): string {
  const missing = gates.filter(({ passed }) => !passed).length
  if (gates.some(({ id }) => id === 'asked')) return `Checking the requirements of ${environment}`
  if (missing === 0) return `Ready to publish to ${environment}`
  return `Publish blocked because ${plural(missing, 'thing')} ${missing === 1 ? 'is' : 'are'} missing`
}
