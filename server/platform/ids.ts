// Fresh ids: wire's form, fed with this process's clock and random source.
import { newId } from '@signalbox/wire'

/** `prefix` as in specs/glossary.md: key, usr, cfg, drf, ver, rel, rt, aud, prj, env. */
export function freshId(prefix: string): string {
  return newId(prefix, { now: Date.now(), random: crypto.getRandomValues(new Uint8Array(16)) })
}

/** Signalbox itself as an author; no user has this id. */
export const SYSTEM_ID = 'signalbox'
