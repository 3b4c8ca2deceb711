// One thing that a newer version of a config does otherwise than the version before, and to which side.

/** A place in a document, and what is so there. */
export interface StrictnessNote {
  /** In the newer document; in the older one for what is gone. */
  readonly pointer: string
  readonly message: string
  /** Absent: it is so. True: the two cannot be compared here, so that it may be looser or not. */
  readonly isUntold?: true
}

export interface Judgement extends StrictnessNote {
  /** `looser` also where it cannot be told, which the note says. */
  readonly side: 'stricter' | 'looser'
}

export function stricter(pointer: string, message: string): Judgement {
  return { side: 'stricter', pointer, message }
}

export function looser(pointer: string, message: string): Judgement {
  return { side: 'looser', pointer, message }
}

/** Counts as looser, and is not said to be. */
export function untold(pointer: string, message: string): Judgement {
  return { side: 'looser', pointer, message, isUntold: true }
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** Names, or every name that there is. */
type Names = readonly string[] | 'every'

/** A list of which more is stricter; `noun` says what becomes of the names. */
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
