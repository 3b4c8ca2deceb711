// Proof that a caller was let into a project. Only session.ts and standing-order.ts (people) and api-key.ts (keys) mint it, so
// a service that takes a scope cannot be called without the check, nor with a key that lacks the scope (decision 30).

import type { AuthorizedProjectId } from '../ids.ts'
import type { PublishIn, Role } from './permissions.ts'

declare const minted: unique symbol
declare const held: unique symbol

interface Minted {
  readonly [minted]: true
}

/** Adds the proof of access that a stored row lacks, because its project is a bare id. */
export interface InProject {
  readonly projectId: AuthorizedProjectId
}

/** A person's access to one project. */
export interface ProjectScope extends Minted {
  readonly projectId: AuthorizedProjectId
  readonly userId: string
  readonly userName: string
  readonly role: Role
  /** Environments to which a publisher may release; null: everywhere. Use `mayReleaseTo`. */
  readonly publishIn: PublishIn
  /** Network address that asked; null: a job, or not known. */
  readonly origin: string | null
}

export type KeyScopeName = 'ingest' | 'read' | 'publish'

/** An API key's access to one environment of one project, requested as one with the scope `Held`. */
export interface KeyScope<Held extends KeyScopeName = KeyScopeName> extends Minted {
  readonly [held]: Held
  readonly projectId: AuthorizedProjectId
  readonly environment: string
  readonly keyId: string
  /** Name in audit log and releases: `key ci (sbx_ab12cd34)`. */
  readonly keyName: string
  readonly scopes: readonly KeyScopeName[]
  /** Network address that asked; null: not known. */
  readonly origin: string | null
}

/** Actor that changes configs: a user, or a key that holds `publish` (which releases to its own environment only). */
export type Actor = ProjectScope | KeyScope<'publish'>

/** Reader of configs: users, keys with `read`, and keys that change them. */
export type ConfigReader = ProjectScope | KeyScope<'read' | 'publish'>

/** Id of the user or the key, as authors of drafts, versions and releases are stored. */
export function readActorId(actor: Actor): string {
  return 'keyId' in actor ? actor.keyId : actor.userId
}

/** Target in which events may be stored. A key with `ingest` is one; `importTarget` grants a user's. */
export interface IngestTarget extends Minted {
  readonly projectId: AuthorizedProjectId
  readonly environment: string
}

/** Target of a user's import into an environment of their project; server/transfer/import-session.ts checks that it exists. */
export function importTarget({ projectId }: ProjectScope, environment: string): IngestTarget {
  return { projectId, environment } as IngestTarget
}

/** Fields of a scope whose project was checked, before they become a scope. */
type Checked<Scope> = Omit<Scope, keyof Minted | typeof held | 'projectId'> & {
  readonly projectId: string
}

/** Called by auth/session.ts, auth/standing-order.ts and auth/system.ts only. */
export function mintProjectScope(fields: Checked<ProjectScope>): ProjectScope {
  // The brand exists in types only; this module is the one place that grants it.
  return fields as ProjectScope
}

/** Called by auth/session.ts and auth/api-key.ts only. */
export function mintKeyScope<Held extends KeyScopeName>(
  fields: Checked<KeyScope<Held>>,
): KeyScope<Held> {
  return fields as KeyScope<Held>
}
