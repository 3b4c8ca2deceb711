// I/O that a command may use: two outputs and files by name. Tests pass their own.

export interface Io {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** The whole text; throws Unusable when it cannot be read. */
  readonly readText: (file: string) => Promise<string>
  /** Lines one by one, in constant memory; `-` is standard input. */
  readonly readLines: (file: string) => AsyncIterable<string>
}

/** Exit codes of every command. */
export const EXIT = { clean: 0, findings: 1, unusable: 2 } as const

/** Section of a command's help below its options: one row for each name, in the order given. */
export function formatHelpSection(title: string, rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, text]) => `  ${name}  ${text}`)
  return ['', `${title}:`, ...lines].join('\n')
}

/** Meanings of the exit codes, from 0. */
export const formatExitCodes = (...meanings: readonly string[]): string =>
  formatHelpSection('Exit codes', Object.fromEntries(meanings.entries()))

/** Input that cannot be used at all: one sentence, exit code 2. */
export class Unusable extends Error {}
