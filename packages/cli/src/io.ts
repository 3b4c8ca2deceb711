// Input and output of a command: two outputs, and files by name. Tests pass their own.

export interface Io {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** The whole text. Throws Unusable when the file cannot be read. */
  readonly readText: (file: string) => Promise<string>
  /** Yields lines in constant memory; `-` is standard input. */
  readonly readLines: (file: string) => AsyncIterable<string>
}

export const EXIT = { clean: 0, findings: 1, unusable: 2 } as const

/** Formats a section of a command's help below its options: one row per name, in the given order. Further lines of a text are indented. */
export function formatHelpSection(title: string, rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, text]) => {
    const start = `  ${name}  `
    return `${start}${text.replaceAll('\n', `\n${' '.repeat(start.length)}`)}`
  })
  return ['', `${title}:`, ...lines].join('\n')
}

/** `meanings`: in order of the exit codes, from 0. */
export const formatExitCodes = (...meanings: readonly string[]): string =>
  formatHelpSection('Exit codes', Object.fromEntries(meanings.entries()))

/** Unusable input: one sentence, exit code 2. */
export class Unusable extends Error {}
