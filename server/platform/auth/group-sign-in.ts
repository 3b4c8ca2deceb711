// At each sign-in the provider's groups decide about the user's roles, in the projects that its map names (specs/people.md).
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import {
  type BothTx,
  directoryReader,
  inBothTransactions,
  lockByName,
  type Tx,
} from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { SYSTEM_ID } from '../ids.ts'
import { logger } from '../observability/log.mjs'
import { recordAudit } from './audit.sql.ts'
import { decideGrants, type GroupGrant } from './group-roles.ts'
import {
  countAdmins,
  countMemberships,
  deleteMembership,
  type FoundMember,
  findGrantingProvider,
  findMember,
  type Grant,
  grantForLog,
  insertMembership,
  listGrantedProjects,
  lockMembers,
  type MemberPlace,
  updateGrant,
  wasRemoved,
} from './members.sql.ts'
import {
  findIdentityProvider,
  type GroupProvider,
  hasGroups,
  listIdentityProviders,
} from './oidc.ts'
import { firstProject, listProjects } from './projects.sql.ts'
import { systemProject } from './system.ts'

interface SigningIn {
  readonly id: string
  readonly email: string
}

interface Decision {
  readonly projectId: AuthorizedProjectId
  /** Null: no group gives a role in this project. */
  readonly grant: GroupGrant | null
  /** False: the map does not name the project, so a role that a person gave stays. */
  readonly isNamed: boolean
}

interface Change {
  readonly place: MemberPlace
  readonly email: string
  readonly provider: GroupProvider
  readonly member: FoundMember | null
  /** Null: no group gives a role in this project. */
  readonly grant: GroupGrant | null
  readonly origin: string | null
}

/** Null: the user's roles are edited by people. Then a password, too, signs them in. */
export async function findDecidingProvider(userId: string): Promise<GroupProvider | null> {
  const ids = listIdentityProviders()
    .filter(hasGroups)
    .map(({ id }) => id)
  if (ids.length === 0) return null
  const provider = findIdentityProvider(await findGrantingProvider(userId, ids))
  return hasGroups(provider) ? provider : null
}

export interface GroupArrival {
  readonly provider: GroupProvider
  readonly groups: readonly string[]
  /** Network address of the request; null: not known. */
  readonly origin: string | null
}

interface Applied {
  /** The groups give a role in some project. */
  readonly isGranted: boolean
  /** The user is the last admin of a project, and keeps that role without a group for it. */
  readonly isKept: boolean
  /** False: the user has no project, for example because an admin removed them. */
  readonly isMember: boolean
}

export async function applyGroups(
  { id: userId, email }: SigningIn,
  { provider, groups, origin }: GroupArrival,
): Promise<Applied> {
  return await inBothTransactions(async (both) => {
    const { directory } = both
    await lockByName(directory, `settle:${userId}`)
    const decisions = await listDecisions(directory, { userId, provider, groups })
    let isKept = false
    for (const { projectId, grant, isNamed } of decisions) {
      await lockMembers(directory, projectId)
      const place = { projectId, userId }
      const member = await findMember(directory, place)
      if (!isNamed && member !== null && member.grantedBy !== provider.id) continue
      const change = { place, email, provider, member, grant, origin }
      isKept = (await applyGrant(both, change)) === 'kept' || isKept
    }
    return {
      isGranted: decisions.some(({ grant }) => grant !== null),
      isKept,
      isMember: (await countMemberships(directory, userId)) > 0,
    }
  })
}

/** For a person without an account, before anything is written. Null: the groups give a role. */
export async function newcomerRefusal({
  provider,
  groups,
  email,
}: {
  readonly provider: GroupProvider
  readonly groups: readonly string[]
  readonly email: string
}): Promise<'no_group' | 'removed' | null> {
  const tx = directoryReader()
  const decisions = await listDecisions(tx, { userId: null, provider, groups })
  const given = decisions.filter(({ grant }) => grant !== null)
  if (given.length === 0) return 'no_group'
  for (const { projectId } of given) if (!(await wasRemoved({ projectId, email }, tx))) return null
  return 'removed'
}

/** Every project that the map names or in which the provider gave a role, in the order of their locks. */
async function listDecisions(
  tx: Tx,
  {
    userId,
    provider,
    groups,
  }: {
    readonly userId: string | null
    readonly provider: GroupProvider
    readonly groups: readonly string[]
  },
): Promise<readonly Decision[]> {
  const { slug: oldest } = await firstProject(tx)
  const named = new Set(provider.groups.map.map(({ project = oldest }) => project))
  const projects = await listProjects(tx)
  const missing = [...named].filter((one) => !projects.some(({ slug }) => slug === one))
  if (missing.length > 0) {
    logger.warn({ cause: provider.id, missing }, 'groups name projects that do not exist')
  }
  const grants = decideGrants(provider.groups, groups, oldest)
  const granted =
    userId === null ? [] : await listGrantedProjects(tx, { userId, grantedBy: provider.id })
  return projects
    .map(({ id, slug }) => ({
      id,
      slug,
      grant: grants.find((one) => one.project === slug) ?? null,
    }))
    .filter(({ id, slug, grant }) => named.has(slug) || grant !== null || granted.includes(id))
    .map(({ id, slug, grant }) => ({
      projectId: systemProject(id),
      grant,
      isNamed: named.has(slug),
    }))
}

async function applyGrant(both: BothTx, change: Change): Promise<'kept' | 'done'> {
  const { place, email, member, grant } = change
  if (member === null) {
    if (grant === null || (await wasRemoved({ ...place, email }, both.directory))) return 'done'
    await insertMembership(both, { ...place, ...toGrant(grant) }, toSource(change, grant))
    await record(both.cell, change, { action: 'member.joined', after: { email, ...forLog(grant) } })
    return 'done'
  }
  if (grant !== null && isSame(member, grant, change.provider.id)) return 'done'
  const isLastAdmin =
    member.role === 'admin' &&
    grant?.role !== 'admin' &&
    (await countAdmins(both.directory, place.projectId)) === 1
  const before = grantForLog(member)
  if (isLastAdmin) {
    const after = { ...forLog(grant), ...grantForLog(member) }
    await record(both.cell, change, { action: 'member.last_admin_kept', before, after })
    return 'kept'
  }
  if (grant === null) {
    await deleteMembership(both, place)
    const entry = { before: { email: member.email, ...before }, after: forLog(null) }
    await record(both.cell, change, { action: 'member.removed', ...entry })
  } else {
    await updateGrant(both, { ...place, ...toGrant(grant) }, toSource(change, grant))
    const after = forLog(grant)
    await record(both.cell, change, { action: 'member.role_changed', before, after })
  }
  return 'done'
}

const toGrant = ({ role, publishIn }: GroupGrant): Grant => ({ role, publishIn })

const toSource = ({ provider }: Change, { groups }: GroupGrant) => ({
  grantedBy: provider.id,
  grantedGroups: groups,
})

function isSame(member: FoundMember, { role, publishIn, groups }: GroupGrant, by: string): boolean {
  return (
    member.grantedBy === by &&
    member.role === role &&
    JSON.stringify([member.publishIn, member.grantedGroups]) === JSON.stringify([publishIn, groups])
  )
}

function forLog(grant: GroupGrant | null): JsonObject {
  return grant === null ? { groups: [] } : { ...grantForLog(grant), groups: [...grant.groups] }
}

async function record(
  tx: Tx,
  { place: { projectId, userId: target }, provider, origin }: Change,
  {
    after,
    ...entry
  }: { readonly action: string; readonly before?: JsonObject; readonly after: JsonObject },
): Promise<void> {
  const actor = { actorId: SYSTEM_ID, actor: `groups of ${provider.label}`, origin }
  const told = { ...after, provider: provider.id }
  await recordAudit(tx, { projectId, target, ...actor, ...entry, after: told })
}
