// Facts: what only the shell can look up. They are recorded in the event that needed them, so that every later
// evaluation sees the same answer. A fact that is absent is unknown, and unknown denies (specs/guardrails.md).

/** What was known of one file at the time of the event. */
export interface FileFact {
  readonly exists: boolean | 'unknown'
  /** Absent: unknown. */
  readonly kind?: 'file' | 'directory'
  /** Identity of the content, e.g. `sha256:…`. Absent: unknown. */
  readonly fingerprint?: string
}

export interface Facts {
  /** Keyed by the path in normal form (relative to the workspace, see path.ts). */
  readonly files?: { readonly [path: string]: FileFact }
}

/** What the shell must look up before it hands the event to `step`. */
export interface FactRequest {
  /** Paths in normal form, each once, in first-needed order. */
  readonly files: readonly string[]
}

const UNKNOWN_FILE: FileFact = { exists: 'unknown' }

export function fileFact(facts: Facts | undefined, path: string): FileFact {
  const files = facts?.files
  if (files === undefined || !Object.hasOwn(files, path)) return UNKNOWN_FILE
  return files[path] ?? UNKNOWN_FILE
}
