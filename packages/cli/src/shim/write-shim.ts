import fs from 'node:fs'
import { Unusable } from '../base/io.ts'
import type { Surroundings } from '../base/surroundings.ts'
import type { DaemonPaths } from '../daemon/daemon-paths.ts'
import { privateFolder } from '../daemon/private-files.ts'
import { shimText } from './shim-text.ts'

/** Harnesses time out after 600 s; some continue then. */
const MAX_SECONDS = 595

export interface ShimOptions {
  /** Absent: 595. */
  readonly maxSeconds?: number
  /** Same as in `ShimPlaces`. Absent: the bash of this machine. */
  readonly bash?: string | null
}

function findBash(): string | null {
  return ['/bin/bash', '/usr/bin/bash'].find((file) => fs.existsSync(file)) ?? null
}

/** Writes atomically; the same text again changes nothing. Throws Unusable when a path cannot be quoted. */
export function writeShim(
  paths: DaemonPaths,
  { node, entry }: Pick<Surroundings, 'node' | 'entry'>,
  { maxSeconds = MAX_SECONDS, bash = findBash() }: ShimOptions = {},
): void {
  for (const place of [paths.socket, node, entry]) {
    if (/['"\\\n]/.test(place))
      throw new Unusable(
        `The path ${place} has a quote, a backslash or a line break. Choose another.`,
      )
  }
  privateFolder(paths.folder)
  const fresh = `${paths.shim}.${process.pid}.new`
  fs.writeFileSync(fresh, shimText({ paths, node, entry, bash, maxSeconds }), {
    mode: 0o700,
  })
  fs.renameSync(fresh, paths.shim)
}

/** A caller that writes it into settings adds what happens when it cannot run. */
export function shimCall(shim: string, harness: string): string {
  return `'${shim}' ${harness}`
}
