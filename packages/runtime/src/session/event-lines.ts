// Writes a session's lines to its journal, to the log shared by the sessions of the process, and to observers.
import type { CompiledConfig } from '@signalbox/core'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import type { ReadBack } from './recorded-session.ts'
import type { SessionOptions } from './session-options.ts'

export type WriteLine = (line: string) => void

/** Writes to the journal first, which must contain every line that the server may see. */
export function journaled(
  write: WriteLine,
  { journal }: SessionOptions,
  { config, before }: { readonly config: CompiledConfig | null; readonly before: ReadBack | null },
): WriteLine {
  let isReady = false
  const prepare = () => {
    // The process may have been killed between journal and log, so the last line is written again. The server stores an event once.
    if (before === null) journal?.begin(config?.document ?? null)
    else write(before.last.line)
    isReady = true
  }
  return (line) => {
    if (!isReady) prepare()
    journal?.append(line)
    write(line)
  }
}

/** Writes before it shows the line, so that an observer's error cannot prevent the write. */
export function mirrored(
  write: WriteLine,
  show: WriteLine | undefined,
  report: OnDiagnostic,
): WriteLine {
  if (show === undefined) return write
  return (line) => {
    write(line)
    try {
      show(line)
    } catch (error) {
      report({ level: 'error', code: 'event_not_shown', message: describeError(error) })
    }
  }
}
