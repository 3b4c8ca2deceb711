export interface Io {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** The whole text. Throws Unusable when the file cannot be read. */
  readonly readText: (file: string) => Promise<string>
  /** Yields lines in constant memory; `-` is standard input. */
  readonly readLines: (file: string) => AsyncIterable<string>
}

export const EXIT = { clean: 0, findings: 1, unusable: 2 } as const

export function formatHelpSection(title: string, rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, text]) => {
    const start = `  ${name}  `
    return `${start}${text.replaceAll('\n', `\n${' '.repeat(start.length)}`)}`
  })
  return ['', `${title}:`, ...lines].join('\n')
}

export const formatExitCodes = (...meanings: readonly string[]): string =>
  formatHelpSection('Exit codes', Object.fromEntries(meanings.entries()))

/** Unusable input: one sentence, exit code 2. */
export class Unusable extends Error {}
