import { newId } from '@signalbox/wire'

declare const authorized: unique symbol

/** Queries about one project require it, so that an unchecked id does not compile. auth/system.ts gives it to jobs. */
export type AuthorizedProjectId = string & { readonly [authorized]: true }

/** `prefix` names the kind of object. TABLE_OF in auth/owning-project.sql.ts maps those of addresses to tables. */
export function freshId(prefix: string): string {
  return newId(prefix, { now: Date.now(), random: crypto.getRandomValues(new Uint8Array(16)) })
}

/** Signalbox as an author; no user has this id. */
export const SYSTEM_ID = 'signalbox'
