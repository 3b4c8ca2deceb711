// Where a runtime keeps its spool and its last good bundle on disk.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { GuardrailError } from './guardrail-error.ts'
import type { OnlineOptions } from './guardrails-options.ts'

/** One folder per server and key, so that environments do not mix. */
export function dataFolder(options: OnlineOptions): string {
  const base = options.dataDir ?? path.join(os.homedir(), '.local', 'state', 'signalbox')
  const identity = createHash('sha256')
    .update(`${options.url}\n${options.apiKey}`)
    .digest('hex')
    .slice(0, 16)
  const folder = path.join(base, identity)
  try {
    fs.mkdirSync(path.join(folder, 'spool'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new GuardrailError(
      'bad_options',
      `The folder ${folder} cannot be written. Mend its permissions or set dataDir.`,
      error,
    )
  }
  return folder
}
