// Rules with equal marks share one map, because a hundred rules would otherwise store everything a hundred times (measured: 50 rules, 10⁶
// events).
import { type Facts, fileFact } from '../../model/fact.ts'
import { emptyMap, getIn, type PersistentMap, setIn } from '../../model/persistent-map.ts'
import type { PendingCall, ReadMark, StateDraft } from '../../model/state.ts'
import { pathsFor } from './path-argument.ts'
import type { ReadMemory } from './policy.ts'

type Marks = PersistentMap<ReadMark>

interface Success {
  readonly seq: number
  readonly paths: PendingCall['paths']
  readonly facts: Facts | undefined
}

const NO_MARKS: Marks = emptyMap()

/** Marks of one rule, by path in normal form. `hash`: of the rule's id, if it is known. */
export function findMarks(reads: PersistentMap<Marks>, rule: string, hash?: number): Marks {
  return getIn(reads, rule, hash) ?? NO_MARKS
}

export function rememberReads(
  memories: readonly ReadMemory[],
  draft: StateDraft,
  success: Success,
): void {
  const made = new Map<Marks, { readonly key: string; readonly marks: Marks }>()
  for (const { rule, form } of memories) {
    const paths = pathsFor(success.paths, form).filter((path) => wasThere(path, success, draft))
    if (paths.length === 0) continue
    const before = findMarks(draft.reads, rule)
    const known = made.get(before)
    // No path in normal form contains the separator.
    const key = paths.join('\0')
    const marks = known?.key === key ? known.marks : marked(before, paths, success)
    made.set(before, { key, marks })
    draft.reads = setIn(draft.reads, rule, marks)
  }
}

/** A missing file cannot have been read. Semantics 1 does not check this. */
function wasThere(path: string, { facts }: Success, { semantics }: StateDraft): boolean {
  return semantics < 2 || fileFact(facts, path).exists === true
}

function marked(before: Marks, paths: readonly string[], { seq, facts }: Success): Marks {
  return paths.reduce((marks, path) => {
    const fingerprint = fileFact(facts, path).fingerprint ?? null
    return setIn(marks, path, { seq, fingerprint })
  }, before)
}
