// Permissions: one table from each action to the lowest role that has it (specs/console.md).
import { ServiceError } from '../base/errors.ts'

/** Each role has the rights of the roles before it. */
const ROLES = ['viewer', 'editor', 'publisher', 'admin'] as const

export type Role = (typeof ROLES)[number]

export type Permission =
  | 'read'
  | 'draft.edit'
  | 'release.publish'
  | 'release.approve'
  | 'annotation.write'
  | 'label.write'
  | 'view.share'
  | 'alert.acknowledge'
  | 'alert.manage'
  | 'stream.manage'
  | 'call.approve'
  | 'session.control'
  | 'environment.manage'
  | 'key.manage'
  | 'member.manage'
  | 'project.manage'
  | 'demo.run'
  | 'session.import'
  | 'runtime.refresh'

const NEEDS = {
  read: 'viewer',
  'draft.edit': 'editor',
  'release.publish': 'publisher',
  'release.approve': 'publisher',
  'annotation.write': 'editor',
  'label.write': 'editor',
  'view.share': 'editor',
  'alert.acknowledge': 'editor',
  // Messages leave the server, so choosing a destination affects every member.
  'alert.manage': 'admin',
  'stream.manage': 'admin',
  'call.approve': 'publisher',
  'session.control': 'publisher',
  'environment.manage': 'admin',
  'key.manage': 'admin',
  'member.manage': 'admin',
  'project.manage': 'admin',
  'demo.run': 'editor',
  'session.import': 'editor',
  'runtime.refresh': 'editor',
} satisfies Record<Permission, Role>

export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

export function may(role: Role, permission: Permission): boolean {
  return includesRole(role, NEEDS[permission])
}

/** Throws `forbidden`, naming the role that is needed. */
export function requirePermission(role: Role, permission: Permission): void {
  if (may(role, permission)) return
  throw new ServiceError('forbidden', `You need the ${NEEDS[permission]} role.`)
}

/** Names of environments in which a publisher may release, approve calls and pause sessions; null: all. Has no meaning for other roles. */
export type PublishIn = readonly string[] | null

export interface Member {
  readonly role: Role
  readonly publishIn: PublishIn
}

export function mayReleaseTo(member: Member, environment: string): boolean {
  return mayIn(member, 'release.publish', environment)
}

export function mayIn(member: Member, permission: Permission, environment: string): boolean {
  if (!may(member.role, permission)) return false
  return (
    member.role === 'admin' || member.publishIn === null || member.publishIn.includes(environment)
  )
}
