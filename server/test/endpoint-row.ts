import type { z } from 'zod'
import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import type { Role } from '@/server/platform/auth/permissions.ts'
import type { Tenant } from './tenant.ts'

export interface KeyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface KeyRow {
  readonly auth: 'key'
  readonly needs: KeyScopeName
  /** Status when the caller may and the rows are their own. Absent: 200. */
  readonly passes?: 200 | 201 | 204 | 403 | 404 | 409 | 422
  /** Status when the request names rows of another project, or of another environment unless `sibling` differs. */
  readonly foreign: 200 | 201 | 204 | 403 | 404 | 422
  /** Status for a key of the same project and another environment; where it is good, the whole project is answered for. */
  readonly sibling?: 200 | 201 | 204 | 403 | 404
  /** Status for a key of another project and another environment. Absent: that of any foreign key. */
  readonly stranger?: 403 | 404
  readonly refusal?: string
  readonly input?: (tenant: Tenant) => KeyInput | Promise<KeyInput>
}

export interface LoginRow {
  readonly auth: 'login'
  /** The lowest role that may; absent: any. */
  readonly needs?: Role
  /** Status for members of another project: their own answer, or not found where the request names a row. */
  readonly foreign: 200 | 404
  /** Schema of the address's query. Absent: no query. */
  readonly query?: z.ZodObject
  readonly input: (tenant: Tenant) => KeyInput
}

export type EndpointRow =
  | KeyRow
  | LoginRow
  | { readonly auth: 'open' }
  /** Takes a token of the operator's own, held to by server/http/metrics.db.test.ts. */
  | { readonly auth: 'monitoring' }
  /** Held to by server/test/access-table.ts. */
  | { readonly auth: 'procedures' }
  /** better-auth's own endpoints, held to by server/http/accounts.db.test.ts. */
  | { readonly auth: 'accounts' }
