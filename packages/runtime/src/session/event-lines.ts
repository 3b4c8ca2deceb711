import type { CompiledConfig } from '@signalbox/core'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import type { ReadBack } from './recorded-session.ts'
import type { SessionOptions } from './session-options.ts'

export type WriteLine = (line: string) => void

export interface LineWriterParts {
  readonly write: WriteLine
  readonly journal: SessionOptions['journal']
  readonly config: CompiledConfig | null
  readonly before: ReadBack | null
  /** Receive each line after it is written, so that an observer's error cannot prevent the write. */
  readonly observers: readonly WriteLine[]
  readonly report: OnDiagnostic
}

/** Writes to the journal first, which must contain every line that the server may see. */
export function lineWriter({
  write,
  journal,
  config,
  before,
  observers,
  report,
}: LineWriterParts): WriteLine {
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
    for (const show of observers) {
      try {
        show(line)
      } catch (error) {
        report({ level: 'error', code: 'event_not_shown', message: describeError(error) })
      }
    }
  }
}
