import { listReleasers } from './members.sql.ts'
import { includesRole, mayIn, type Role } from './permissions.ts'
import type { ProjectScope } from './scope.ts'

type PlacePermission = 'release.publish' | 'call.approve' | 'session.control'

const MOST_NAMED = 3

const AND = new Intl.ListFormat('en-GB')

/** Returns text such as `You need the publisher role in production. Ana and Marta have it.` */
export function describeNeed(
  need: string,
  /** Names of members who have it. */
  holders: readonly string[],
): string {
  const names = holders.slice(0, MOST_NAMED)
  const more = holders.length - names.length
  const who = AND.format(more > 0 ? [...names, `${more} more`] : names)
  const have = holders.length === 1 ? 'has' : 'have'
  return `You need the ${need}.${holders.length === 0 ? '' : ` ${who} ${have} it.`}`
}

type NeededRole = Exclude<Role, 'viewer'>

/** Reason why the member has not the rights of each role, with the admins, who give it; null: they have. */
export async function loadRoleRefusals({
  role,
  projectId,
}: ProjectScope): Promise<Readonly<Record<NeededRole, string | null>>> {
  const holders = role === 'admin' ? [] : await listReleasers(projectId)
  const admins = holders.filter((holder) => holder.role === 'admin').map(({ name }) => name)
  const refuse = (needed: NeededRole) =>
    includesRole(role, needed) ? null : describeNeed(`${needed} role`, admins)
  return {
    editor: refuse('editor'),
    publisher: refuse('publisher'),
    admin: refuse('admin'),
  }
}

export interface PlaceRight {
  readonly environment: string
  /** Reason why the member may not; null: they may. */
  readonly refusal: string | null
}

export async function loadPlaceRights(
  member: ProjectScope,
  permission: PlacePermission,
  environments: readonly string[],
): Promise<readonly PlaceRight[]> {
  const isOpen = (environment: string) => mayIn(member, permission, environment)
  const holders = environments.every(isOpen) ? [] : await listReleasers(member.projectId)
  return environments.map((environment) => ({
    environment,
    refusal: isOpen(environment)
      ? null
      : describeNeed(
          `publisher role in ${environment}`,
          holders
            .filter((holder) => mayIn(holder, permission, environment))
            .map(({ name }) => name),
        ),
  }))
}

export async function findPlaceRefusal(
  member: ProjectScope,
  permission: PlacePermission,
  environment: string,
): Promise<string | null> {
  const [right] = await loadPlaceRights(member, permission, [environment])
  return right?.refusal ?? null
}
