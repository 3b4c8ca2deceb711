// The gates are those of the console; a refusal names everything that is missing (specs/config-as-code.md).

import {
  computeDigest,
  EnvironmentList,
  EnvironmentName,
  type ListedRelease,
  MadeRelease,
  PromoteRequest,
  PromptKey,
  PromptNs,
  PublishRequest,
  ReleaseAdoption,
  ReleasePage,
  ReleaseProblem,
  RollbackRequest,
} from '@signalbox/wire'
import { liveNumber, loadReleasePage, versionBefore } from '@/server/configs/config-pages.ts'
import type { ProjectReleaseRow } from '@/server/configs/managed-configs.sql.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { type Adoption, loadAdoption } from '@/server/releases/adoption.ts'
import {
  type Asking,
  type Gate,
  isJudgedWhenDue,
  isPassed,
} from '@/server/releases/release-input.ts'
import type {
  MadeRelease as MadeReleaseRow,
  Refusal,
  ReleaseResult,
} from '@/server/releases/release-outcome.ts'
import { reviewRelease } from '@/server/releases/release-review.ts'
import type { Subject } from '@/server/releases/release-subject.ts'
import { promoteVersion, publishDraft, rollBack } from '@/server/releases/releases.ts'
import type { NamedRequest } from '@/server/releases/repeated-request.ts'
import type { Stage } from '@/server/releases/staged-rollout-life.ts'
import { EXAMPLE_ADOPTION, EXAMPLE_MADE_RELEASE, EXAMPLE_RELEASE } from './examples.ts'
import { managed } from './manage-gate.ts'
import { preconditionFailed, readPrecondition } from './manage-tags.ts'
import { PageQuery } from './operation.ts'
import { jsonResponse, problemResponse } from './problem.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  description:
    'A text of your choice, 1 to 100 characters. Sending the same request again returns the release that the first one made; a different request with the same text is refused with 409.',
  example: 'build-4711-dev',
}

const REFUSED = {
  description:
    'The environment or the config does not allow the release now; `gates` lists what is missing.',
  schema: ReleaseProblem,
  contentType: 'application/problem+json',
  example: {
    type: 'about:blank',
    title: 'Release refused',
    status: 409,
    detail: 'A release to production needs a note. Say what changes and why.',
    code: 'note_required',
    gates: [
      {
        gate: 'note_required',
        detail: 'A release to production needs a note. Say what changes and why.',
      },
      {
        gate: 'name_required',
        detail: 'Type "production" exactly to confirm a release to production. Send it as confirm.',
      },
    ],
  },
}

const MADE = { description: 'The release.', schema: MadeRelease, example: EXAMPLE_MADE_RELEASE }

function toRelease(row: ProjectReleaseRow): ListedRelease {
  const { previousVersion, createdAt, ...rest } = row
  return { ...rest, previous_version: previousVersion, created_at: createdAt }
}

function toMadeRelease({
  id,
  environment,
  version,
  previousVersion,
  revision,
  rolloutId,
}: MadeReleaseRow): MadeRelease {
  const made = { id, environment, version, previous_version: previousVersion, revision }
  return { ...made, rollout_id: rolloutId }
}

function toAdoption({ createdAt, runtimes, ...adoption }: Adoption): ReleaseAdoption {
  const { id, environment, version, revision, status, applied, total } = adoption
  return {
    id,
    environment,
    version,
    revision,
    status,
    applied,
    total,
    created_at: createdAt,
    runtimes: runtimes.map(({ id, name, state, reason }) => ({ id, name, state, reason })),
  }
}

interface Asked {
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly note: string | null
  readonly typedName: string | null
  readonly acknowledged: readonly Asking[]
}

type Guard = Stage['guard']

interface SaidGuard {
  readonly metric: Guard['metric']
  readonly ratio: number
  readonly min_sessions: number
}

interface SaidReach {
  readonly stage?: { readonly share: number; readonly guard?: SaidGuard }
  readonly watch?: { readonly hours: number; readonly guard?: SaidGuard }
  readonly tighten?: boolean
}

const USUAL: SaidGuard = { metric: 'denials', ratio: 1.5, min_sessions: 20 }

function toGuard({ metric, ratio, min_sessions: minSessions }: SaidGuard = USUAL): Guard {
  return { metric, ratio, minSessions }
}

function toReach({ stage, watch, tighten = false }: SaidReach) {
  return {
    tighten,
    ...(stage && { stage: { share: stage.share, guard: toGuard(stage.guard) } }),
    ...(watch && { watch: { hours: watch.hours, guard: toGuard(watch.guard) } }),
  }
}

interface Wish {
  readonly asked: Asked
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly subject: Subject
}

interface ShownGate {
  readonly gate: string
  readonly detail: string
}

/** Everything that the release lacks, so that the caller can fix it in one step. */
async function missingGates(
  scope: ConfigReader,
  { asked, kind, subject }: Wish,
  { reason, message }: Refusal,
): Promise<readonly ShownGate[]> {
  const { ns, key, environment } = asked
  const reviewed = await reviewRelease(scope, { ns, key, environment, kind, subject })
  const gates = reviewed.ok ? reviewed.review.gates : reviewed.gates
  const missing = gates.filter((gate) => !isPassed(gate, asked))
  const words = missing.filter(({ id }) => id === 'note_required' || id === 'name_required')
  const shown = [...words, ...missing.filter(isJudgedWhenDue)].map(showGate)
  return shown.some(({ gate }) => gate === reason)
    ? shown
    : [{ gate: reason, detail: message }, ...shown]
}

function showGate({ id, sentence, question }: Gate): ShownGate {
  const acknowledging = question === null ? '' : ` Acknowledge "${id}" to release nevertheless.`
  const how = id === 'name_required' ? ' Send it as confirm.' : acknowledging
  return { gate: id, detail: `${sentence}.${how}` }
}

async function toReleaseResponse(
  scope: ConfigReader,
  wish: Wish,
  result: ReleaseResult,
): Promise<Response> {
  if (result.ok) return jsonResponse(toMadeRelease(result.release), { status: 201 })
  const { reason, message, problems } = result
  if (reason === 'stale') return preconditionFailed(message)
  const gates = await missingGates(scope, wish, result)
  return problemResponse({
    status: 409,
    title: 'Release refused',
    detail: gates.find(({ gate }) => gate === reason)?.detail ?? message,
    code: reason,
    gates,
    ...(problems.length === 0 ? {} : { problems }),
  })
}

/** Idempotency-Key of the request, with the digest of the whole request; null: it has none. Rejects with `invalid` for an invalid key. */
function parseNamedRequest({ url, headers }: Request, body: object): NamedRequest | null {
  const key = headers.get('idempotency-key')
  if (key === null) return null
  if (!/^[\x21-\x7e]{1,100}$/.test(key)) {
    const message = 'An Idempotency-Key has 1 to 100 printable characters without spaces.'
    throw new ServiceError('invalid', message, 'Idempotency-Key')
  }
  const { pathname } = new URL(url)
  return { key, digest: computeDigest({ pathname, seen: headers.get('if-match'), body }) }
}

function toReleaseDemands(
  prompt: { readonly ns: string; readonly key: string },
  environment: string,
  said: {
    readonly note?: string
    readonly confirm?: string
    readonly acknowledge?: readonly Asking[]
  },
): Asked {
  const { note = null, confirm = null, acknowledge = [] } = said
  const { ns, key } = prompt
  return { ns, key, environment, note, typedName: confirm, acknowledged: acknowledge }
}

/** Live version of `from`. Rejects with `invalid` when there is none. */
async function promoted(
  scope: ConfigReader,
  prompt: { readonly ns: string; readonly key: string },
  { from, version }: { readonly from?: string | undefined; readonly version?: number | undefined },
): Promise<number> {
  if (version !== undefined) return version
  const number = from === undefined ? null : await liveNumber(scope, prompt, from)
  if (number !== null) return number
  const message = `${from} runs no version of ${prompt.ns}/${prompt.key}, so there is nothing to promote.`
  throw new ServiceError('invalid', message, 'from')
}

export const RELEASE_ENDPOINTS = [
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/publish`,
      group: 'Releases',
      summary: 'Publish the draft',
      description:
        'Creates a version of the draft in `If-Match` and releases it, under the same gates as in the console: to all new sessions, to all with a watch, or to a share of them.',
      scope: 'publish',
      headers: [
        {
          name: 'If-Match',
          description: 'Tag of the draft that you read.',
          example: '"drf_01JB2Q3V4W.7"',
          isRequired: true,
        },
        IDEMPOTENCY,
      ],
      body: {
        schema: PublishRequest,
        example: { environment: 'dev', note: 'build before deploy' },
      },
      answers: {
        201: MADE,
        409: REFUSED,
        412: { description: 'The draft changed meanwhile.' },
        428: { description: 'If-Match is missing.' },
      },
    },
    async ({ scope, parameters: prompt, request, body }) => {
      const seen = readPrecondition(request.headers)
      const { id: draftId, revision } = seen ?? { id: '', revision: 0 }
      const asked = toReleaseDemands(prompt, body.environment, body)
      const named = parseNamedRequest(request, body)
      const wished = { ...asked, ...toReach(body), draftId, revision, named }
      const result = await publishDraft(scope, wished)
      const subject = { kind: 'draft', draftId, revision } as const
      return await toReleaseResponse(scope, { asked, kind: 'publish', subject }, result)
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/promote`,
      group: 'Releases',
      summary: 'Promote a version',
      description: 'Releases the live version of another environment, or a version by its number.',
      scope: 'publish',
      headers: [IDEMPOTENCY],
      body: {
        schema: PromoteRequest,
        example: { from: 'dev', to: 'staging', expected_live: 2, note: 'as in dev' },
      },
      answers: { 201: MADE, 409: REFUSED },
    },
    async ({ scope, parameters: prompt, request, body }) => {
      const { to: environment, expected_live: expected } = body
      const asked = toReleaseDemands(prompt, environment, body)
      const version = await promoted(scope, prompt, body)
      const expectedLive =
        expected === undefined ? await liveNumber(scope, prompt, environment) : expected
      const named = parseNamedRequest(request, body)
      const wished = { ...asked, ...toReach(body), version, expectedLive, named }
      const result = await promoteVersion(scope, wished)
      const subject = { kind: 'version', version } as const
      return await toReleaseResponse(scope, { asked, kind: 'promote', subject }, result)
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/rollback`,
      group: 'Releases',
      summary: 'Roll back',
      description: 'Releases a version that was live in the environment before.',
      scope: 'publish',
      headers: [IDEMPOTENCY],
      body: {
        schema: RollbackRequest,
        example: { environment: 'production', to: 2, note: 'denies too much' },
      },
      answers: { 201: MADE, 409: REFUSED },
    },
    async ({ scope, parameters: prompt, request, body }) => {
      const { environment, to, expected_live: expected } = body
      const asked = toReleaseDemands(prompt, environment, body)
      const version = to ?? (await versionBefore(scope, prompt, environment))
      const expectedLive = expected ?? (await liveNumber(scope, prompt, environment))
      const named = parseNamedRequest(request, body)
      const { tighten } = toReach(body)
      const result = await rollBack(scope, { ...asked, version, expectedLive, named, tighten })
      const subject = { kind: 'version', version } as const
      return await toReleaseResponse(scope, { asked, kind: 'rollback', subject }, result)
    },
  ),
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/releases',
      group: 'Releases',
      summary: 'List releases',
      description: 'Newest first.',
      scope: 'read',
      query: PageQuery.extend({
        ns: PromptNs.optional().describe('Only releases of this namespace.'),
        key: PromptKey.optional().describe('Only releases of this prompt; requires `ns`.'),
        environment: EnvironmentName.optional().describe('Only releases to this environment.'),
      }),
      answers: {
        200: {
          description: 'A page.',
          schema: ReleasePage,
          example: { releases: [EXAMPLE_RELEASE], next: null },
        },
      },
    },
    async ({ scope, query }) => {
      const { ns = null, key = null, environment = null, ...page } = query
      const { rows, next } = await loadReleasePage(scope, { ns, key, environment }, page)
      return jsonResponse({ releases: rows.map(toRelease), next })
    },
  ),
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/releases/{id}',
      group: 'Releases',
      summary: 'Read the adoption of a release',
      id: 'read-how-far-a-release-has-got',
      description:
        'Returns the adoption of a release. It is live only when every connected runtime reports that it applied it.',
      scope: 'read',
      answers: {
        200: { description: 'Its adoption.', schema: ReleaseAdoption, example: EXAMPLE_ADOPTION },
      },
    },
    async ({ scope, parameters: { id } }) =>
      jsonResponse(toAdoption(await loadAdoption(scope, id))),
  ),
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/environments',
      group: 'Releases',
      summary: 'List environments',
      scope: 'read',
      answers: {
        200: {
          description: 'In order of promotion.',
          schema: EnvironmentList,
          example: {
            environments: [
              {
                name: 'dev',
                position: 0,
                revision: 12,
                requires_note: false,
                requires_confirm: false,
                requires_backtest: false,
                required_approvals: 0,
                rollback_skips_approval: true,
              },
            ],
          },
        },
      },
    },
    async ({ scope }) => {
      const environments = await listEnvironments(scope.projectId)
      return jsonResponse({
        environments: environments.map(
          ({ name, position, revision, requiresNote, requiresTypedName, ...more }) => ({
            name,
            position,
            revision,
            requires_note: requiresNote,
            requires_confirm: requiresTypedName,
            requires_backtest: more.requiresBacktest,
            required_approvals: more.requiredApprovals,
            rollback_skips_approval: more.rollbackSkipsApproval,
          }),
        ),
      })
    },
  ),
]
