// The gate for planned actions of a user: reads their membership and role at the time of the action, not of the planning.
import 'server-only'
import { memberScopeFields } from './members.sql.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'
import { systemProject } from './system.ts'

/** Null when the user is no longer a member of the project. */
export async function loadMemberScope(where: {
  readonly projectId: string
  readonly userId: string
}): Promise<ProjectScope | null> {
  const member = await memberScopeFields({ ...where, projectId: systemProject(where.projectId) })
  return member === null ? null : mintProjectScope({ ...where, ...member, origin: null })
}
