import 'server-only'
import type { PointerPlace } from '@/server/environments/environments.sql.ts'
import { toPublishIn } from '@/server/platform/auth/members.sql.ts'
import { mayReleaseTo, type Role } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'

export interface ApprovalRow {
  readonly personId: string
  /** Null when they have left. */
  readonly person: string | null
  readonly digest: string
  readonly decision: 'approved' | 'refused'
  /** Live version at that time; null for none. */
  readonly liveVersion: number | null
  readonly note: string | null
  readonly at: number
  /** The user may still approve for the environment: they are a member, and their role includes it. */
  readonly isEntitled: boolean
}

interface StoredApproval extends Omit<ApprovalRow, 'isEntitled'> {
  readonly environment: string
  /** Role of their membership; null: they have left. */
  readonly role: Role | null
  readonly publishIn: readonly string[] | null
}

const MOST_APPROVALS = 200

/** Approvals of any content of the config for the environment, newest first. */
export async function listApprovals(
  { projectId, environmentId, configId }: PointerPlace,
  tx: Tx = reader(),
): Promise<readonly ApprovalRow[]> {
  const rows = await tx.$queryRaw<StoredApproval[]>`
    SELECT a.person_id AS "personId", u.name AS person, a.digest, a.decision::text AS decision,
      a.live_version AS "liveVersion", a.note, (extract(epoch FROM a.at) * 1000)::float8 AS at,
      e.name AS environment, m.role::text AS role, m.publish_in AS "publishIn"
    FROM approvals a JOIN environments e ON e.id = a.environment_id LEFT JOIN users u ON u.id = a.person_id
      LEFT JOIN memberships m ON m.project_id = a.project_id AND m.user_id = a.person_id
    WHERE a.project_id = ${projectId} AND a.environment_id = ${environmentId} AND a.config_id = ${configId}
    ORDER BY a.at DESC, a.person_id LIMIT ${MOST_APPROVALS}`
  return rows.map(({ environment, role, publishIn, ...row }) => {
    const member = role === null ? null : { role, publishIn: toPublishIn(publishIn ?? []) }
    return { ...row, isEntitled: member !== null && mayReleaseTo(member, environment) }
  })
}

export interface ApprovalInput extends PointerPlace {
  readonly digest: string
  readonly personId: string
  readonly decision: 'approved' | 'refused'
  readonly liveVersion: number | null
  readonly note: string | null
}

/** Saves the user's decision on this content and replaces their earlier one. */
export async function saveApproval(tx: Tx, input: ApprovalInput): Promise<void> {
  const { environmentId, configId, digest, personId, decision, liveVersion, note } = input
  await tx.approval.upsert({
    where: {
      environmentId_configId_digest_personId: { environmentId, configId, digest, personId },
    },
    create: input,
    update: { decision, liveVersion, note, at: new Date() },
  })
}

export interface RequestRow extends PointerPlace {
  readonly digest: string
  readonly text: string
  readonly liveVersion: number | null
  /** Draft of a publish; null for a promotion. */
  readonly draftId: string | null
  /** Version of a promotion; null for a publish. */
  readonly version: number | null
  readonly editedBy: string
  readonly note: string | null
  readonly requestedBy: string
  readonly requestedAt: number
}

export async function findRequest(
  { projectId, environmentId, configId }: PointerPlace,
  tx: Tx = reader(),
): Promise<RequestRow | null> {
  const row = await tx.approvalRequest.findUnique({
    where: { environmentId_configId: { environmentId, configId }, projectId },
  })
  return row === null ? null : { ...row, projectId, requestedAt: row.requestedAt.getTime() }
}

/** Replaces an earlier request for the same config and environment. */
export async function saveRequest(tx: Tx, row: Omit<RequestRow, 'requestedAt'>): Promise<void> {
  const { environmentId, configId } = row
  await tx.approvalRequest.upsert({
    where: { environmentId_configId: { environmentId, configId } },
    create: row,
    update: { ...row, requestedAt: new Date() },
  })
}

/** True when there was one. `digest` absent: a request for any content. */
export async function deleteRequest(
  tx: Tx,
  { projectId, environmentId, configId, digest }: PointerPlace & { readonly digest?: string },
): Promise<boolean> {
  const where = { projectId, environmentId, configId, ...(digest === undefined ? {} : { digest }) }
  const { count } = await tx.approvalRequest.deleteMany({ where })
  return count > 0
}

export interface ListedRequest extends RequestRow {
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly requiredApprovals: number
  readonly requester: string | null
  readonly editor: string | null
}

const MOST_REQUESTS = 100

/** All open requests of the project, oldest first. */
export async function listRequests(
  scope: Pick<ProjectScope, 'projectId'>,
): Promise<readonly ListedRequest[]> {
  return await reader().$queryRaw<ListedRequest[]>`
    SELECT r.environment_id AS "environmentId", r.config_id AS "configId", r.project_id AS "projectId",
      r.digest, r.text, r.live_version AS "liveVersion", r.draft_id AS "draftId", r.version,
      r.edited_by AS "editedBy", r.note, r.requested_by AS "requestedBy",
      (extract(epoch FROM r.requested_at) * 1000)::float8 AS "requestedAt",
      c.ns, c.key, e.name AS environment, e.required_approvals AS "requiredApprovals",
      u.name AS requester, w.name AS editor
    FROM approval_requests r JOIN configs c ON c.id = r.config_id
    JOIN environments e ON e.id = r.environment_id
    LEFT JOIN users u ON u.id = r.requested_by LEFT JOIN users w ON w.id = r.edited_by
    WHERE r.project_id = ${scope.projectId}
    ORDER BY r.requested_at, r.config_id LIMIT ${MOST_REQUESTS}`
}
