// Proof that a caller was let into a project. Only session.ts (people) and api-key.ts (runtimes) mint it, so a service
// that takes a scope cannot be called without the check.
import type { Role } from './permissions.ts'

declare const minted: unique symbol

interface Minted {
  readonly [minted]: true
}

/** A person's access to one project. */
export interface ProjectScope extends Minted {
  readonly projectId: string
  readonly userId: string
  readonly userName: string
  readonly role: Role
}

export type KeyScopeName = 'ingest' | 'read' | 'publish'

/** An API key's access to one environment of one project. */
export interface KeyScope extends Minted {
  readonly projectId: string
  readonly environment: string
  readonly keyId: string
  readonly scopes: readonly KeyScopeName[]
}

/** Called by auth/session.ts and auth/api-key.ts only. */
export function mintProjectScope(fields: Omit<ProjectScope, typeof minted>): ProjectScope {
  // The brand exists in types only; this module is the one place that grants it.
  return fields as ProjectScope
}

/** Called by auth/session.ts and auth/api-key.ts only. */
export function mintKeyScope(fields: Omit<KeyScope, typeof minted>): KeyScope {
  return fields as KeyScope
}
