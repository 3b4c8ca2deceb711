// Fresh ids: wire's form, fed with this process's clock and random source.
import { newId } from '@signalbox/wire'

declare const authorized: unique symbol

/**
 * Id of a project that the caller may access: scopes hold it, and auth/system.ts gives it to jobs. Queries about one project take it, so
 * that none compiles with an unchecked id.
 */
export type AuthorizedProjectId = string & { readonly [authorized]: true }

/** `prefix` as in specs/glossary.md: key, usr, cfg, drf, ver, rel, rt, aud, prj, env. */
export function freshId(prefix: string): string {
  return newId(prefix, { now: Date.now(), random: crypto.getRandomValues(new Uint8Array(16)) })
}

/** Signalbox itself as an author; no user has this id. */
export const SYSTEM_ID = 'signalbox'
