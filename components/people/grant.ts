import type { inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@/server/trpc/root.ts'

export type Member = inferRouterOutputs<AppRouter>['members']['list'][number]
export type Role = Member['role']

/** Each role includes the rights of the previous ones. */
export const ROLES = ['viewer', 'editor', 'publisher', 'admin'] as const satisfies readonly Role[]

export interface GrantInput {
  readonly role: Role
  /** Null: every environment. */
  readonly publishIn: string[] | null
}

export function grantText({ role, publishIn }: Pick<Member, 'role' | 'publishIn'>): string {
  if (role !== 'publisher' || publishIn === null) return role
  return `publisher of ${publishIn.length === 0 ? 'nothing' : publishIn.join(', ')}`
}
