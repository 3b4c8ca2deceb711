export interface StrictnessNote {
  /** Pointer into the newer document, or into the older one for removed parts. */
  readonly pointer: string
  readonly message: string
  /** True: the two cannot be compared, so the newer one may be looser. Absent: the statement is certain. */
  readonly isUnproven?: true
}

export interface Judgment extends StrictnessNote {
  /** `looser` also covers differences that cannot be compared (`isUnproven`). */
  readonly side: 'stricter' | 'looser'
}

export function stricter(pointer: string, message: string): Judgment {
  return { side: 'stricter', pointer, message }
}

export function looser(pointer: string, message: string): Judgment {
  return { side: 'looser', pointer, message }
}

/** Counts as looser, but states only that strictness is not proven. */
export function unproven(pointer: string, message: string): Judgment {
  return { side: 'looser', pointer, message, isUnproven: true }
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

type Names = readonly string[] | 'every'

/** `says`: phrases for added names and for removed names. */
export function compareNames(
  [before, after]: readonly [Names, Names],
  { pointer, says }: { readonly pointer: string; readonly says: readonly [string, string] },
): readonly Judgment[] {
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
