import { EnvironmentName, GUARD_METRICS, ReleaseProblem, VersionNumber } from '@signalbox/wire'
import { z } from 'zod'
import { ReleaseInput, ShareInput } from '@/server/releases/release-input.ts'
import {
  loadStagedRollout,
  type RolloutView,
} from '@/server/staged-rollouts/staged-rollout-overview.ts'
import {
  type CohortResult,
  changeShare,
  setShadowVersion,
  stopRollout,
} from '@/server/staged-rollouts/staged-rollouts.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse, problemResponse } from './problem.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'
const ROLLOUT = '/api/manage/v1/rollouts/{id}'

const At = z.int().describe('Epoch milliseconds.')
const Name = z.string().nullable().describe('Name of the user or key; null if deleted.')

const Rollout = z.object({
  id: z.string(),
  environment: z.string(),
  kind: z.enum(['staged', 'watch']).describe('watch: every new session has the version.'),
  state: z.enum(['running', 'completed', 'stopped', 'rolled_back', 'passed']),
  version: z.int(),
  base_version: z.int().describe('Version that the other sessions have.'),
  share: z.int().describe('Share of new sessions, per mille.'),
  guard: z.object({
    metric: z.enum(GUARD_METRICS),
    ratio: z.number(),
    min_sessions: z.int(),
    verdict: z.enum(['too_few', 'no_worse', 'worse']),
  }),
  note: z.string().nullable(),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why it ended, or why a worse version is still live; null: it runs, or the state says it.',
    ),
  author: Name,
  created_at: At,
  ends_at: At.nullable().describe('End of a watch; null: it is staged.'),
  settled_at: At.nullable().describe('Null: it runs.'),
})

const EXAMPLE_ROLLOUT: z.infer<typeof Rollout> = {
  id: 'roll_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  environment: 'dev',
  kind: 'staged',
  state: 'running',
  version: 4,
  base_version: 3,
  share: 100,
  guard: { metric: 'denials', ratio: 1.5, min_sessions: 20, verdict: 'too_few' },
  note: null,
  reason: null,
  author: 'key ci (sbx_ab12cd34)',
  created_at: 1_795_000_000_000,
  ends_at: null,
  settled_at: null,
}

const Shadow = z.object({ environment: z.string(), version: z.int(), since: At })

function toRollout(row: RolloutView): z.infer<typeof Rollout> {
  const { id, environment, kind, state, version, share, note, reason, author, guard } = row
  return {
    ...{ id, environment, kind, state, version, share, note, reason, author },
    base_version: row.baseVersion,
    guard: {
      metric: guard.metric,
      ratio: guard.ratio,
      min_sessions: guard.minSessions,
      verdict: guard.verdict,
    },
    created_at: row.createdAt,
    ends_at: row.endsAt,
    settled_at: row.settledAt,
  }
}

const { note } = ReleaseInput.shape
const Note = note.describe('Reason, kept with the rollout.')

const ShareRequest = z.strictObject({
  share: ShareInput.describe('Share of new sessions, per mille.'),
  note: Note,
  confirm: ReleaseInput.shape.typedName.describe(
    'Name of the environment, where a larger share requires it.',
  ),
})

const StopRequest = z.strictObject({ note: Note })

const ShadowRequest = z.strictObject({
  environment: EnvironmentName.describe('Environment of the key.'),
  version: VersionNumber.nullable().describe('Version to compare; null ends the comparison.'),
})

const REFUSED = {
  description: 'The rollout ended, nothing would change, or the environment requires more.',
  schema: ReleaseProblem,
  contentType: 'application/problem+json',
  example: {
    type: 'about:blank',
    title: 'Change refused',
    status: 409,
    detail: 'A release to production needs a note. Say what changes and why.',
    code: 'note_required',
    errors: [
      {
        pointer: '/note',
        detail: 'A release to production needs a note. Say what changes and why.',
      },
    ],
  },
}

const DONE = { 204: { description: 'Done.' }, 409: REFUSED }

/** Field of the request that a refusal is about, by its reason. */
const FIELDS: Readonly<Record<string, string>> = {
  note_required: '/note',
  name_required: '/confirm',
}

/** `unchanged`: field that has its value already. Absent: the request has no such field. */
function toChangeResponse(result: CohortResult, unchanged?: string): Response {
  if (result.ok) return new Response(null, { status: 204 })
  const { reason: code, message: detail } = result
  const pointer = code === 'unchanged' ? unchanged : FIELDS[code]
  const errors = pointer === undefined ? {} : { errors: [{ pointer, detail }] }
  return problemResponse({ status: 409, title: 'Change refused', detail, code, ...errors })
}

export const ROLLOUT_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: `${CONFIG}/rollouts`,
      group: 'Releases',
      summary: 'List the rollouts of a config',
      description:
        'Lists staged rollouts and watched releases, newest first, and the shadow versions.',
      scope: 'read',
      answers: {
        200: {
          description: 'The newest 20.',
          schema: z.object({
            rows: z.array(Rollout),
            next: z.null(),
            shadows: z.array(Shadow),
          }),
          example: {
            rows: [EXAMPLE_ROLLOUT],
            next: null,
            shadows: [{ environment: 'dev', version: 4, since: 1_795_000_000_000 }],
          },
        },
      },
    },
    async ({ scope, parameters: prompt }) => {
      const { rollouts, shadows } = await loadStagedRollout(scope, prompt)
      return jsonResponse({
        rows: rollouts.map(toRollout),
        next: null,
        shadows: shadows.map(({ environment, version, since }) => ({
          environment,
          version,
          since,
        })),
      })
    },
  ),
  managed(
    {
      method: 'PATCH',
      path: ROLLOUT,
      group: 'Releases',
      summary: 'Change the share of a staged rollout',
      description:
        'A larger share requires what the environment requires of a release; a smaller one requires nothing.',
      scope: 'publish',
      body: { schema: ShareRequest, example: { share: 250, note: 'no more denials than before' } },
      answers: DONE,
    },
    async ({ scope, parameters: { id: rolloutId }, body: { share, note: why, confirm } }) =>
      toChangeResponse(
        await changeShare(scope, { rolloutId, share, note: why, typedName: confirm }),
        '/share',
      ),
  ),
  managed(
    {
      method: 'POST',
      path: `${ROLLOUT}/stop`,
      group: 'Releases',
      summary: 'Stop a rollout',
      description:
        'New sessions get the previous version again; running ones keep theirs. A watch ends, and its release stays.',
      scope: 'publish',
      body: { schema: StopRequest, example: { note: 'denies too much' } },
      answers: DONE,
    },
    async ({ scope, parameters: { id: rolloutId }, body: { note: why } }) =>
      toChangeResponse(await stopRollout(scope, { rolloutId, note: why })),
  ),
  managed(
    {
      method: 'PUT',
      path: `${CONFIG}/shadow`,
      group: 'Releases',
      summary: 'Set the shadow version',
      description:
        'Starts, replaces or ends the version that is evaluated beside the live one and acts on nothing.',
      scope: 'publish',
      body: { schema: ShadowRequest, example: { environment: 'dev', version: 4 } },
      answers: DONE,
    },
    async ({ scope, parameters: { ns, key }, body }) =>
      toChangeResponse(await setShadowVersion(scope, { ns, key, ...body }), '/version'),
  ),
]
