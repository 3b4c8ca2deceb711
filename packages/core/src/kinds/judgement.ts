// One difference between a newer version of a config and the previous one, and its direction.

/** A position in a document, and a statement about it. */
export interface StrictnessNote {
  /** In the newer document; in the older one for what is gone. */
  readonly pointer: string
  readonly message: string
  /** Absent: it is certain. True: the two cannot be compared here, so it may be looser or not. */
  readonly isUntold?: true
}

export interface Judgement extends StrictnessNote {
  /** `looser` also when it cannot be determined, which the note states. */
  readonly side: 'stricter' | 'looser'
}

export function stricter(pointer: string, message: string): Judgement {
  return { side: 'stricter', pointer, message }
}

export function looser(pointer: string, message: string): Judgement {
  return { side: 'looser', pointer, message }
}

/** Counts as looser without stating it as a fact. */
export function untold(pointer: string, message: string): Judgement {
  return { side: 'looser', pointer, message, isUntold: true }
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** Names, or every name that there is. */
type Names = readonly string[] | 'every'

/** Compares lists of which a longer one is stricter; `noun` names the items. */
export function compareNames(
  [before, after]: readonly [Names, Names],
  { pointer, says }: { readonly pointer: string; readonly says: readonly [string, string] },
): readonly Judgement[] {
  if (after === 'every') {
    return before === 'every' ? [] : [stricter(pointer, `${says[0]} every tool`)]
  }
  if (before === 'every') return [looser(pointer, `${says[0]} only ${quoted(after)}`)]
  const gone = before.filter((name) => !after.includes(name))
  const added = after.filter((name) => !before.includes(name))
  return [
    ...(gone.length === 0 ? [] : [looser(pointer, `${says[1]} ${quoted(gone)}`)]),
    ...(added.length === 0 ? [] : [stricter(pointer, `${says[0]} ${quoted(added)}`)]),
  ]
}
