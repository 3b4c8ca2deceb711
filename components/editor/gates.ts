// What stands between a draft and a publish, each with its state and sentence. The server checks all of it again; these are
// shown so that nobody has to guess why the button waits.
import type { PublishTarget } from '@/server/services/drafts.ts'

export interface Gate {
  readonly id: 'permission' | 'saved' | 'valid' | 'base' | 'changed' | 'note' | 'name'
  readonly passed: boolean
  readonly label: string
}

export interface GateFacts {
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
      label: errors === 0 ? 'Valid' : `Not valid: ${errors === 1 ? '1 error' : `${errors} errors`}`,
    },
    baseGate(facts),
  ]
  if (live !== null && facts.digest === live.digest) {
    gates.push({ id: 'changed', passed: false, label: `${name} runs exactly this content already` })
  }
  if (!facts.canSave) {
    gates.push({ id: 'saved', passed: false, label: 'The draft is not saved yet' })
  }
  if (!facts.mayPublish) {
    const label =
      facts.mayNotBecause ??
      'Your role does not include release.publish; publishers and admins have it'
    gates.push({ id: 'permission', passed: false, label })
  }
  if (target.requiresNote) {
    const passed = facts.note.trim() !== ''
    gates.push({ id: 'note', passed, label: passed ? 'Note written' : `${name} needs a note` })
  }
  if (target.requiresTypedName) {
    const passed = facts.typedName === name
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

/** "Publish blocked because 2 things are missing" */
export function headline(gates: readonly Gate[], environment: string): string {
  const missing = gates.filter(({ passed }) => !passed).length
  if (missing === 0) return `Ready to publish to ${environment}`
  return `Publish blocked because ${missing === 1 ? '1 thing is' : `${missing} things are`} missing`
}
