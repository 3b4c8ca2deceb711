// Routes of the management API about releases, environments, export and import.
import {
  EnvironmentList,
  EnvironmentName,
  ExportV1,
  ImportAnswer,
  ImportRequest,
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
import { ExportQuery, PageQuery, route } from './api-route.ts'
import {
  EXAMPLE_ADOPTION,
  EXAMPLE_EXPORT,
  EXAMPLE_MADE_RELEASE,
  EXAMPLE_RELEASE,
} from './examples.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  description:
    'A text of your choice, 1 to 100 characters. The same request sent again answers with the release that the first one made; another request under the same text is refused with 409.',
  example: 'build-4711-dev',
}

const REFUSED = {
  description:
    'The environment or the config does not allow it now; `gates` names what is missing.',
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
        detail: 'Type "production" exactly to confirm a release to production.',
      },
    ],
  },
}

const MADE = { description: 'The release.', schema: MadeRelease, example: EXAMPLE_MADE_RELEASE }

export const publishRoute = route({
  method: 'POST',
  path: `${CONFIG}/publish`,
  group: 'Releases',
  summary: 'Publish the draft',
  description:
    'Makes a version of the draft that `If-Match` names and releases it, under the same gates as in the console: to every new session, to every one under watch, or to a share of them.',
  scope: 'publish',
  headers: [
    {
      name: 'If-Match',
      description: 'The draft that was seen.',
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
})

export const promoteRoute = route({
  method: 'POST',
  path: `${CONFIG}/promote`,
  group: 'Releases',
  summary: 'Promote a version',
  description: 'Releases what another environment runs, or a version by its number.',
  scope: 'publish',
  headers: [IDEMPOTENCY],
  body: {
    schema: PromoteRequest,
    example: { from: 'dev', to: 'staging', expected_live: 2, note: 'as in dev' },
  },
  answers: { 201: MADE, 409: REFUSED },
})

export const rollbackRoute = route({
  method: 'POST',
  path: `${CONFIG}/rollback`,
  group: 'Releases',
  summary: 'Roll back',
  description: 'Releases a version that ran in the environment before.',
  scope: 'publish',
  headers: [IDEMPOTENCY],
  body: {
    schema: RollbackRequest,
    example: { environment: 'production', to: 2, note: 'denies too much' },
  },
  answers: { 201: MADE, 409: REFUSED },
})

export const listReleasesRoute = route({
  method: 'GET',
  path: '/api/manage/v1/releases',
  group: 'Releases',
  summary: 'List releases',
  description: 'Newest first.',
  scope: 'read',
  query: PageQuery.extend({
    ns: PromptNs.optional().describe('Only of this namespace.'),
    key: PromptKey.optional().describe('Only of this prompt; with `ns`.'),
    environment: EnvironmentName.optional().describe('Only to this environment.'),
  }),
  answers: {
    200: {
      description: 'A page.',
      schema: ReleasePage,
      example: { releases: [EXAMPLE_RELEASE], next: null },
    },
  },
})

export const readReleaseRoute = route({
  method: 'GET',
  path: '/api/manage/v1/releases/{id}',
  group: 'Releases',
  summary: 'Read how far a release has got',
  description: 'It is live only when every connected runtime reports that it applied it.',
  scope: 'read',
  answers: {
    200: { description: 'Its adoption.', schema: ReleaseAdoption, example: EXAMPLE_ADOPTION },
  },
})

export const listEnvironmentsRoute = route({
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
            ...{ name: 'dev', position: 0, revision: 12, requires_note: false },
            ...{ requires_confirm: false, requires_backtest: false, required_approvals: 0 },
          },
        ],
      },
    },
  },
})

export const exportRoute = route({
  method: 'GET',
  path: '/api/manage/v1/export',
  group: 'Transfer',
  summary: 'Export the project',
  description:
    'Every config with all its versions, and what each environment runs. No secrets and no drafts; events only of pinned cases, where they are asked for.',
  scope: 'read',
  query: ExportQuery,
  answers: { 200: { description: 'The file.', schema: ExportV1, example: EXAMPLE_EXPORT } },
})

export const importRoute = route({
  method: 'POST',
  path: '/api/manage/v1/import',
  group: 'Transfer',
  summary: 'Import configs',
  description:
    'Adds configs, versions and pinned cases that are missing, in one transaction. Sent again it changes nothing. A config whose versions differ from those of the file, or whose cases rest on other events than are stored here, is a conflict, and then nothing is imported. Releases are never made: promote the versions afterwards.',
  scope: 'publish',
  body: {
    schema: ImportRequest,
    example: { dry_run: true, document: EXAMPLE_EXPORT },
    maxBytes: 64 * 1024 * 1024,
  },
  answers: {
    200: {
      description: 'What was done, or would be.',
      schema: ImportAnswer,
      example: {
        applied: false,
        configs: [
          {
            ns: 'support/triage',
            key: 'answer',
            action: 'create',
            detail: 'new, with 1 version',
            versions_added: 1,
            cases_added: 0,
          },
        ],
        releases_missing: [],
      },
    },
    409: {
      description: 'Conflicts; nothing was imported.',
      schema: ReleaseProblem,
      contentType: 'application/problem+json',
      example: {
        type: 'about:blank',
        title: 'Conflict',
        status: 409,
        detail: '1 config differs from the file: support/triage/answer. Nothing was imported.',
        code: 'conflict',
      },
    },
  },
})
