// The gate for planned actions of a user: their membership and role at the time of the action, not at the time of planning.
import 'server-only'
import { memberScopeFields } from './members.sql.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'
import { systemProject } from './system.ts'

/** Null when the person is no member of the project any more. */
export async function loadMemberScope(where: {
  readonly projectId: string
  readonly userId: string
}): Promise<ProjectScope | null> {
  const member = await memberScopeFields({ ...where, projectId: systemProject(where.projectId) })
  return member === null ? null : mintProjectScope({ ...where, ...member, origin: null })
}
