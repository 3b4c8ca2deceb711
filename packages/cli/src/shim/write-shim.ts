// Puts the shim beside the socket, and says how hooks call it.
import fs from 'node:fs'
import type { DaemonPaths } from '../daemon/daemon-paths.ts'
import { privateFolder } from '../daemon/private-files.ts'
import { Unusable } from '../io.ts'
import type { Surroundings } from '../surroundings.ts'
import { shimText } from './shim-text.ts'

/** Whole or not at all; the same text again changes nothing. Throws Unusable when a path could not be quoted. */
export function writeShim(
  paths: DaemonPaths,
  { node, entry }: Pick<Surroundings, 'node' | 'entry'>,
  maxSeconds?: number,
): void {
  for (const place of [paths.socket, node, entry]) {
    if (/['"\\\n]/.test(place))
      throw new Unusable(
        `The path ${place} has a quote, a backslash or a line break. Choose another.`,
      )
  }
  privateFolder(paths.folder)
  const limit = maxSeconds === undefined ? {} : { maxSeconds }
  const fresh = `${paths.shim}.${process.pid}.new`
  fs.writeFileSync(fresh, shimText({ socket: paths.socket, node, entry, ...limit }), {
    mode: 0o700,
  })
  fs.renameSync(fresh, paths.shim)
}

/** The command line that asks about one hook. Whoever writes it into settings adds what is to happen when it cannot run. */
export function shimCall(shim: string, harness: string): string {
  return `'${shim}' ${harness}`
}
