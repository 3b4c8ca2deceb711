// Permissions: one table from each action to the roles that have it (specs/console.md).
import { ServiceError } from '../base/errors.ts'

export type Role = 'viewer' | 'editor' | 'publisher' | 'admin'

export type Permission =
  | 'read'
  | 'draft.edit'
  | 'release.publish'
  | 'release.approve'
  | 'annotation.write'
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

const HOLDERS = {
  read: ['viewer', 'editor', 'publisher', 'admin'],
  'draft.edit': ['editor', 'publisher', 'admin'],
  'release.publish': ['publisher', 'admin'],
  'release.approve': ['publisher', 'admin'],
  'annotation.write': ['editor', 'publisher', 'admin'],
  'view.share': ['editor', 'publisher', 'admin'],
  'alert.acknowledge': ['editor', 'publisher', 'admin'],
  // Messages leave the server, so choosing a destination affects every member.
  'alert.manage': ['admin'],
  'stream.manage': ['admin'],
  'call.approve': ['publisher', 'admin'],
  'session.control': ['publisher', 'admin'],
  'environment.manage': ['admin'],
  'key.manage': ['admin'],
  'member.manage': ['admin'],
  'project.manage': ['admin'],
  'demo.run': ['editor', 'publisher', 'admin'],
  'session.import': ['editor', 'publisher', 'admin'],
  'runtime.refresh': ['editor', 'publisher', 'admin'],
} satisfies Record<Permission, readonly Role[]>

export function may(role: Role, permission: Permission): boolean {
  const holders: readonly Role[] = HOLDERS[permission]
  return holders.includes(role)
}

/** Throws `forbidden`, naming the permission, when the role lacks it. */
export function requirePermission(role: Role, permission: Permission): void {
  if (may(role, permission)) return
  throw new ServiceError('forbidden', `Your role ${role} does not include ${permission}.`)
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
