// Read without locks; the release evaluates all of it again.

import { findMandatoryBase } from '@/server/configs/bases.sql.ts'
import { findConfig } from '@/server/configs/configs.sql.ts'
import { findLiveVersion, findVersionNumber } from '@/server/configs/versions.sql.ts'
import { findEnvironment } from '@/server/environments/environments.sql.ts'
import { loadMemberNames } from '@/server/platform/auth/members.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { reader } from '@/server/platform/db/transaction.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { judgeContent } from './claim-gates.ts'
import {
  archivedGates,
  contentGates,
  demandGates,
  findWholeReleaseReason,
  mandatoryGates,
  unreadGate,
} from './place-gates.ts'
import { findRequest } from './release-approvals.sql.ts'
import { outsideFacts, type Standing, standingGates } from './release-gates.ts'
import type { Gate } from './release-input.ts'
import type { PlaceName } from './release-place.ts'
import { toPointerPlace } from './release-place.ts'
import { releaseRefusal } from './release-right.ts'
import { readContent, type Subject } from './release-subject.ts'
import { readRunning } from './running-versions.sql.ts'
import { type Tightening, toTightening } from './tightening.ts'

export interface AskedApproval {
  readonly by: string | null
  readonly at: number
  readonly note: string | null
  /** False: the text was edited after the request. */
  readonly isForThis: boolean
}

export interface ReleaseReview extends Standing {
  readonly digest: string
  /** Number of the version, or the number that publishing would give it. */
  readonly version: number
  readonly live: number | null
  /** Name of the last editor; null when they have left. */
  readonly editor: string | null
  readonly request: AskedApproval | null
  readonly tightening: Tightening
  /** Text of the flat document, under which the session of a broken claim can be shown; null: there is none. */
  readonly exampleText: string | null
}

interface Reviewed {
  readonly whyOnlyToAll: string | null
}

export type ReviewResult =
  | (Reviewed & { readonly ok: true; readonly review: ReleaseReview })
  /** The text has errors or was saved meanwhile, so most gates cannot be evaluated yet. */
  | (Reviewed & { readonly ok: false; readonly message: string; readonly gates: readonly Gate[] })

function permissionGates(refusal: string | null): readonly Gate[] {
  return refusal === null
    ? []
    : [{ id: 'permission', state: 'missing', sentence: refusal, question: null }]
}

function hasExample({ claims = [] }: Gate): boolean {
  return claims.some(({ example }) => example !== null)
}

/** Rejects with `not_found`. */
export async function reviewRelease(
  scope: ConfigReader,
  input: PlaceName & {
    readonly kind: 'publish' | 'promote' | 'rollback'
    readonly subject: Subject
  },
): Promise<ReviewResult> {
  const { projectId } = scope
  const { ns, key, kind, subject } = input
  const [environment, config] = await Promise.all([
    findEnvironment({ projectId, name: input.environment }),
    findConfig(scope, { ns, key }),
  ])
  if (environment === null || config === null) {
    throw new ServiceError('not_found', 'There is no such config or environment.')
  }
  const where = toPointerPlace({ environment, config })
  const [forbidden, customTypes, facts, live, request, running, mandatory] = await Promise.all([
    releaseRefusal(scope, environment.name),
    listCustomTypes(scope),
    outsideFacts(scope, input),
    findLiveVersion(where),
    findRequest(where),
    readRunning(projectId, input),
    findMandatoryBase(scope),
  ])
  const read = await readContent(reader(), { projectId, config, customTypes }, subject)
  const last = [
    ...archivedGates({ config }),
    ...permissionGates(forbidden),
    ...(kind === 'rollback' ? [] : demandGates(environment)),
  ]
  const toAll = findWholeReleaseReason({ environment, live })
  if (!read.ok) {
    const gates = [unreadGate(read), ...last]
    return { ok: false, whyOnlyToAll: toAll, message: read.message, gates }
  }
  const { content } = read
  const judged = kind === 'rollback' ? null : await judgeContent(where, content)
  const question = { environment, config, live, content, kind, judged, ...facts }
  const { digest } = content
  const [standing, version, names] = await Promise.all([
    standingGates(reader(), question),
    content.version?.number ??
      findVersionNumber({
        configId: config.id,
        digest,
        baseVersionId: content.base?.versionId ?? null,
      }),
    loadMemberNames([content.editedBy, ...(request === null ? [] : [request.requestedBy])]),
  ])
  const asked =
    request === null
      ? null
      : {
          by: names.get(request.requestedBy) ?? null,
          at: request.requestedAt,
          note: request.note,
          isForThis: request.digest === content.digest,
        }
  const editor = names.get(content.editedBy) ?? null
  return {
    ok: true,
    whyOnlyToAll: toAll,
    review: {
      ...standing,
      gates: [
        ...contentGates({ environment, live }, content, kind),
        ...mandatoryGates(mandatory, { config, content, kind }),
        ...standing.gates,
        ...last,
      ],
      digest,
      version,
      live: live?.number ?? null,
      editor,
      request: asked,
      tightening: toTightening(running, content),
      exampleText: standing.gates.some(hasExample) ? content.text : null,
    },
  }
}
