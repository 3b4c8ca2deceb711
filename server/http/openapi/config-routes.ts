// Routes of the management API about configs, drafts and versions.
import {
  ConfigCreation,
  ConfigPage,
  ConfigUpdate,
  DiffAnswer,
  DiffRequest,
  DraftWrite,
  LintAnswer,
  LintRequest,
  ManagedConfig,
  ManagedDraft,
  SavedDraft,
  VersionPage,
  VersionText,
} from '@signalbox/wire'
import { z } from 'zod'
import { EXAMPLE_DIGEST, PageQuery, route } from './api-route.ts'
import { EXAMPLE_CONFIG, EXAMPLE_DRAFT, EXAMPLE_TEXT, EXAMPLE_VERSION } from './examples.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'
const MAX_DRAFT_BYTES = 32 * 1024 * 1024

const DRAFT_TAG = {
  name: 'ETag',
  description: 'Names the draft and its revision; send it back as If-Match.',
  example: '"drf_01JB2Q3V4W.7"',
}

export const listConfigsRoute = route({
  method: 'GET',
  path: '/api/manage/v1/configs',
  group: 'Configs',
  summary: 'List configs',
  description: 'In order of namespace and key, with what each environment runs.',
  scope: 'read',
  query: PageQuery.extend({
    archived: z.enum(['true', 'false']).default('false').describe('true: archived ones instead.'),
  }),
  answers: {
    200: {
      description: 'A page.',
      schema: ConfigPage,
      example: { configs: [EXAMPLE_CONFIG], next: null },
    },
  },
})

export const createConfigRoute = route({
  method: 'POST',
  path: '/api/manage/v1/configs',
  group: 'Configs',
  summary: 'Create a config',
  description: 'Makes the config with a first draft.',
  scope: 'publish',
  body: {
    schema: ConfigCreation,
    example: { ns: 'support/triage', key: 'answer', text: EXAMPLE_TEXT },
    maxBytes: MAX_DRAFT_BYTES,
  },
  answers: {
    201: {
      description: 'The config.',
      schema: ManagedConfig,
      example: { ...EXAMPLE_CONFIG, newest_version: null, live: [] },
    },
    409: { description: 'The project has a config of this name.' },
  },
})

export const readConfigRoute = route({
  method: 'GET',
  path: CONFIG,
  group: 'Configs',
  summary: 'Read a config',
  scope: 'read',
  answers: { 200: { description: 'The config.', schema: ManagedConfig, example: EXAMPLE_CONFIG } },
})

export const updateConfigRoute = route({
  method: 'PATCH',
  path: CONFIG,
  group: 'Configs',
  summary: 'Archive or restore a config',
  scope: 'publish',
  body: { schema: ConfigUpdate, example: { archived: true } },
  answers: {
    200: {
      description: 'The config.',
      schema: ManagedConfig,
      example: { ...EXAMPLE_CONFIG, archived_at: 1_795_000_000_000, live: [] },
    },
    409: { description: 'An environment runs the config, so it cannot be archived.' },
  },
})

export const readDraftRoute = route({
  method: 'GET',
  path: `${CONFIG}/draft`,
  group: 'Configs',
  summary: 'Read the draft',
  description: 'The open draft that all editors share. 404 when there is none.',
  scope: 'publish',
  answers: {
    200: {
      description: 'The draft.',
      schema: ManagedDraft,
      example: EXAMPLE_DRAFT,
      headers: [DRAFT_TAG],
    },
  },
})

export const writeDraftRoute = route({
  method: 'PUT',
  path: `${CONFIG}/draft`,
  group: 'Configs',
  summary: 'Write the draft',
  description:
    'Needs `If-Match` with the tag of the draft that was seen, or `If-None-Match: *` when none was. 412 when somebody saved meanwhile: nothing is overwritten unseen.',
  scope: 'publish',
  headers: [
    {
      name: 'If-Match',
      description: 'The draft that was seen.',
      example: '"drf_01JB2Q3V4W.7"',
    },
    { name: 'If-None-Match', description: '`*`: no draft was seen.', example: '*' },
  ],
  body: {
    schema: DraftWrite,
    example: { text: EXAMPLE_TEXT, base_version: 3 },
    maxBytes: MAX_DRAFT_BYTES,
  },
  answers: {
    200: {
      description: 'Saved.',
      schema: SavedDraft,
      example: { id: 'drf_01JB2Q3V4W', revision: 8, base_version: 3 },
      headers: [DRAFT_TAG],
    },
    412: { description: 'Somebody saved or discarded the draft meanwhile.' },
    428: { description: 'Neither If-Match nor If-None-Match was sent.' },
  },
})

export const listVersionsRoute = route({
  method: 'GET',
  path: `${CONFIG}/versions`,
  group: 'Configs',
  summary: 'List versions',
  description: 'Newest first.',
  scope: 'read',
  query: PageQuery,
  answers: {
    200: {
      description: 'A page.',
      schema: VersionPage,
      example: { versions: [EXAMPLE_VERSION], next: null },
    },
  },
})

const { author: _author, ...VERSION_TEXT } = { ...EXAMPLE_VERSION, text: EXAMPLE_TEXT }

export const readVersionRoute = route({
  method: 'GET',
  path: `${CONFIG}/versions/{number}`,
  group: 'Configs',
  summary: 'Read a version',
  description: 'A version never changes; its tag is its digest.',
  scope: 'read',
  answers: {
    200: {
      description: 'The version with its text.',
      schema: VersionText,
      example: VERSION_TEXT,
      headers: [
        { name: 'ETag', description: 'The digest, quoted.', example: `"${EXAMPLE_DIGEST}"` },
      ],
    },
    304: { description: 'If-None-Match named this version.' },
  },
})

export const diffRoute = route({
  method: 'POST',
  path: `${CONFIG}/diff`,
  group: 'Configs',
  summary: 'Compare in words',
  description: 'Each side is what an environment runs, a version, or a text.',
  scope: 'read',
  body: {
    schema: DiffRequest,
    example: { from: { environment: 'dev' }, to: { text: EXAMPLE_TEXT } },
    maxBytes: MAX_DRAFT_BYTES,
  },
  answers: {
    200: {
      description: 'What changes from one side to the other.',
      schema: DiffAnswer,
      example: {
        same: false,
        from: { label: 'v3, live in dev', version: 3, digest: EXAMPLE_DIGEST },
        to: { label: 'the text', version: null, digest: `sha256:${'a0'.repeat(32)}` },
        changes: [
          {
            kind: 'changed',
            subject: 'Policy `order`',
            detail: '`deploy` needs `test` first → `deploy` needs `test` and `build` first',
          },
        ],
      },
    },
  },
})

export const lintRoute = route({
  method: 'POST',
  path: '/api/manage/v1/lint',
  group: 'Configs',
  summary: 'Check a text',
  description:
    'The checks of a publish, with the custom rule types that runtimes of the project registered. Stores nothing.',
  scope: 'read',
  body: {
    schema: LintRequest,
    example: { text: EXAMPLE_TEXT, ns: 'support/triage', key: 'answer' },
    maxBytes: MAX_DRAFT_BYTES,
  },
  answers: {
    200: {
      description: 'What is wrong, and whether it could be published.',
      schema: LintAnswer,
      example: { publishable: true, digest: EXAMPLE_DIGEST, problems: [] },
    },
  },
})
