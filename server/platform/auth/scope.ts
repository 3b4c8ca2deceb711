// Only session.ts and standing-order.ts (users) and api-key.ts (keys) mint scopes, so no service runs without the check (decision 30).

import type { AuthorizedProjectId } from '../ids.ts'
import type { KeyScopeName } from './key-scopes.kinds.ts'
import type { PublishIn, Role } from './permissions.ts'

declare const minted: unique symbol
declare const held: unique symbol

interface Minted {
  readonly [minted]: true
}

/** Adds proof of access to a stored row, whose project is a bare id. */
export interface InProject {
  readonly projectId: AuthorizedProjectId
}

/** Key of a row of an authorized project. Queries find nothing if it belongs to another project. */
export interface RowInProject extends InProject {
  readonly id: string
}

export interface ProjectScope extends Minted {
  readonly projectId: AuthorizedProjectId
  readonly userId: string
  readonly userName: string
  readonly role: Role
  /** Names of environments in which a publisher may release; null: all. Use `mayReleaseTo`. */
  readonly publishIn: PublishIn
  /** Key that acts as an admin; absent: a user. A key never grants what it lacks (people/key-limits.ts). */
  readonly key?: KeyScope<'admin'>
  /** Network address of the request; null: a job, or not known. */
  readonly origin: string | null
}

/** An API key's access to one environment of one project; `Held` is the scope that was required of it. */
export interface KeyScope<Held extends KeyScopeName = KeyScopeName> extends Minted {
  readonly [held]: Held
  readonly projectId: AuthorizedProjectId
  readonly environment: string
  readonly keyId: string
  /** Name in audit log and releases: `key ci (sbx_ab12cd34)`. */
  readonly keyName: string
  readonly scopes: readonly KeyScopeName[]
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null
  readonly origin: string | null
}

/** Actor that changes configs: a user, or a key with the scope `publish` (which releases to its own environment only). */
export type Actor = ProjectScope | KeyScope<'publish'>

/** Anyone whom the audit log can name. */
export type AuditedActor = Actor | KeyScope<'approvals:answer' | 'labels:write'>

export type ConfigReader = ProjectScope | KeyScope<'read' | 'publish'>

export function readActorId(actor: AuditedActor): string {
  return 'keyId' in actor ? actor.keyId : actor.userId
}

/** Target in which events may be stored: a key with the scope `ingest`, or a user's import by `importTarget`. */
export interface IngestTarget extends Minted {
  readonly projectId: AuthorizedProjectId
  readonly environment: string
}

/** Target of a user's import into an environment of their project. The caller must check that the environment exists. */
export function importTarget({ projectId }: ProjectScope, environment: string): IngestTarget {
  return { projectId, environment } as IngestTarget
}

/** Target of events that a key sent earlier. Only for auth/api-key.ts. */
export function mintKeyTarget(key: { readonly projectId: string; readonly environment: string }) {
  return { projectId: key.projectId, environment: key.environment } as IngestTarget
}

type Checked<Scope> = Omit<Scope, keyof Minted | typeof held | 'projectId'> & {
  readonly projectId: string
}

/** Only for auth/session.ts, auth/standing-order.ts and auth/system.ts. */
export function mintProjectScope(fields: Checked<ProjectScope>): ProjectScope {
  // The brand exists in types only, and only this module grants it.
  return fields as ProjectScope
}

/** Only for auth/session.ts and auth/api-key.ts. */
export function mintKeyScope<Held extends KeyScopeName>(
  fields: Checked<KeyScope<Held>>,
): KeyScope<Held> {
  return fields as KeyScope<Held>
}

/** Scope in which a key manages its project. The use case limits what it grants by `key`. */
export function mintActingScope(key: KeyScope<'admin'>): ProjectScope {
  const { projectId, environment, keyId: userId, keyName: userName, origin } = key
  const fields = { projectId, userId, userName, role: 'admin', publishIn: [environment] } as const
  return mintProjectScope({ ...fields, origin, key })
}
