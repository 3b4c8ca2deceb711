// Result of an import: one line for each entry of the permission files, and the restrictions that become rules.

/** Precedence of a permission file, highest first. */
export const LEVELS = ['managed', 'local', 'project', 'user'] as const
export type Level = (typeof LEVELS)[number]

/** Level of a file that is not in its usual place, by its name. */
export function guessLevel(name: string): Level {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  if (/^(?:managed|requirements)/.test(base)) return 'managed'
  return base.includes('.local.') ? 'local' : 'project'
}

export interface PermissionFile {
  /** Shown in the report. Codex's rules have a name that ends in `.rules`. */
  readonly name: string
  readonly level: Level
  readonly text: string
}

/**
 * `exact`: the rules decide as the entry did. `stricter`: they also refuse or ask about other calls. `not_needed`: the entry restricts
 * nothing that is not restricted without it. `not_carried`: the entry restricts something that the rules do not.
 */
export type Conversion = 'exact' | 'stricter' | 'not_needed' | 'not_carried'

export interface ReportLine {
  /** Name of the file. */
  readonly file: string
  /** The entry as people write it, such as `deny Bash(git push:*)`. */
  readonly entry: string
  readonly conversion: Conversion
  /** Sentence about the rules that replace the entry, or the reason why there are none. */
  readonly becomes: string
  /** Ids of the rules. */
  readonly rules: readonly string[]
}

/** One condition under which calls are denied, or a reviewer is asked. */
export interface Restriction {
  readonly effect: 'deny' | 'ask'
  /** Canonical names; `every`: tools without known names, and only for `deny`. */
  readonly tools: readonly string[] | 'every'
  /** CEL; null: every call. */
  readonly when: string | null
  /** Names of the harness that need a canonical one, with it. */
  readonly aliases?: { readonly [native: string]: string }
}

/** An entry with what it becomes. */
export interface Converted extends Omit<ReportLine, 'rules'> {
  readonly restrictions: readonly Restriction[]
}

/** Entry and file of a conversion that is not finished. */
export interface Place {
  readonly file: string
  readonly entry: string
}

export function notNeeded(place: Place, becomes: string): Converted {
  return { ...place, conversion: 'not_needed', becomes, restrictions: [] }
}

/** `restrictions`: carry the part of the entry that can be carried. */
export function notCarried(
  place: Place,
  becomes: string,
  restrictions: readonly Restriction[] = [],
): Converted {
  return { ...place, conversion: 'not_carried', becomes, restrictions }
}
