// What stands between a draft and a publish, each with its state and sentence. The server checks all of it again; these are
// shown so that nobody has to guess why the button waits.
import { plural } from '@signalbox/core/analysis'
import type { PublishTarget } from '@/server/configs/drafts.ts'
import type { StandingGate } from '@/server/releases/release-gates.ts'

export interface Gate {
  readonly id:
    | StandingGate['id']
    | 'permission'
    | 'saved'
    | 'valid'
    | 'base'
    | 'changed'
    | 'note'
    | 'name'
    | 'standing'
    | 'time'
  readonly passed: boolean
  readonly label: string
  /** Nothing is known and nothing is demanded, or it is judged later. */
  readonly isOpen?: true
  /** Of the tick that lets it pass. */
  readonly question?: string
}

/** What the server judges, and what the person says to it. */
export interface StandingFacts {
  /** Null while the server is asked. */
  readonly standing: readonly StandingGate[] | null
  readonly acknowledged: readonly string[]
  /** The release is planned: the server judges when the time comes. */
  readonly isLater: boolean
}

/** The server's gates as this screen shows them. */
export function standingGates({ standing, acknowledged, isLater }: StandingFacts): readonly Gate[] {
  if (standing === null) {
    const label = 'Asking the server about approvals and runtimes'
    return [{ id: 'standing', passed: isLater, label, isOpen: true }]
  }
  return standing.map(({ id, state, sentence, question }): Gate => {
    const isTicked = state === 'ask' && acknowledged.includes(id)
    const asks = question === null ? {} : { question }
    const open = state === 'open' ? { isOpen: true as const } : {}
    if (state === 'passed' || state === 'open' || isTicked) {
      return { id, passed: true, label: sentence, ...asks, ...open }
    }
    if (!isLater) return { id, passed: false, label: sentence, ...asks }
    return { id, passed: true, label: `${sentence} (judged at that time)`, ...asks, isOpen: true }
  })
}

export interface GateFacts extends StandingFacts {
  readonly target: PublishTarget
  readonly mayPublish: boolean
  /** Why not, when it is known. */
  readonly mayNotBecause?: string | null
  /** The server has the text, or will have it when asked. */
  readonly canSave: boolean
  readonly errors: number
  /** Number of the version that the draft was made from. */
  readonly baseVersion: number | null
  /** Digest of the text's document; null while it is not valid. */
  readonly digest: string | null
  readonly note: string
  readonly typedName: string
}

export function gatesOf(facts: GateFacts): readonly Gate[] {
  const { target, errors } = facts
  const { name, live } = target
  const gates: Gate[] = [
    {
      id: 'valid',
      passed: errors === 0,
      label: errors === 0 ? 'Valid' : `Not valid: ${plural(errors, 'error')}`,
    },
    baseGate(facts),
  ]
  if (live !== null && facts.digest === live.digest) {
    gates.push({ id: 'changed', passed: false, label: `${name} runs exactly this content already` })
  }
  if (!facts.canSave) {
    gates.push({ id: 'saved', passed: false, label: 'The draft is not saved yet' })
  }
  gates.push(...(errors === 0 ? standingGates(facts) : []))
  if (!facts.mayPublish) {
    const label =
      facts.mayNotBecause ??
      'Your role does not include release.publish; publishers and admins have it'
    gates.push({ id: 'permission', passed: false, label })
  }
  gates.push(...demandGates(target, facts))
  return gates
}

/** What an environment such as production asks of whoever releases there. */
export function demandGates(
  target: Pick<PublishTarget, 'name' | 'requiresNote' | 'requiresTypedName'>,
  words: { readonly note: string; readonly typedName: string },
): readonly Gate[] {
  const { name } = target
  const gates: Gate[] = []
  if (target.requiresNote) {
    const passed = words.note.trim() !== ''
    gates.push({ id: 'note', passed, label: passed ? 'Note written' : `${name} needs a note` })
  }
  if (target.requiresTypedName) {
    const passed = words.typedName === name
    gates.push({ id: 'name', passed, label: passed ? 'Name typed' : `Type “${name}” to confirm` })
  }
  return gates
}

function baseGate({ target, baseVersion }: GateFacts): Gate {
  const { name, live } = target
  const id = 'base'
  if (live === null) return { id, passed: true, label: `Nothing is live in ${name} yet` }
  if (baseVersion !== null && baseVersion >= live.number) {
    const label =
      baseVersion === live.number
        ? `Based on the live version (v${live.number})`
        : `Based on v${baseVersion}; ${name} runs v${live.number}`
    return { id, passed: true, label }
  }
  const from = baseVersion === null ? 'no version' : `v${baseVersion}`
  return {
    id,
    passed: false,
    label: `${name} runs v${live.number}, and this draft was made from ${from}`,
  }
}

/** Whether any content may go: what the screens of promotion share with that of a publish. */
export function isReady(gates: readonly Gate[]): boolean {
  return gates.every(({ passed }) => passed)
}

/** "Publish blocked because 2 things are missing" */
export function headline(gates: readonly Gate[], environment: string): string {
  const missing = gates.filter(({ passed }) => !passed).length
  if (missing === 0) return `Ready to publish to ${environment}`
  return `Publish blocked because ${plural(missing, 'thing')} ${missing === 1 ? 'is' : 'are'} missing`
}
