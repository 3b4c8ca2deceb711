import {
  ConfigCreation,
  ConfigPage,
  ConfigUpdate,
  DiffAnswer,
  DiffRequest,
  DraftWrite,
  InheritanceAnswer,
  LintAnswer,
  LintRequest,
  ManagedConfig,
  ManagedDraft,
  type ManagedVersion,
  MandatoryBaseAnswer,
  SavedDraft,
  VersionPage,
  VersionText,
} from '@signalbox/wire'
import { z } from 'zod'
import type { VersionListRow } from '@/server/configs/config-detail.sql.ts'
import { compareConfigs } from '@/server/configs/config-differences.ts'
import { loadConfigPage, loadVersionPage, managedConfig } from '@/server/configs/config-pages.ts'
import { createConfig, loadVersionText, setArchived } from '@/server/configs/configs.ts'
import { type DraftView, openWorkbench, rebaseDraft, saveDraft } from '@/server/configs/drafts.ts'
import { loadInheritance, loadMandatoryBase } from '@/server/configs/inheritance.ts'
import type { ManagedConfigRow } from '@/server/configs/managed-configs.sql.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { judgeText } from '@/server/releases/judge-text.ts'
import {
  EXAMPLE_CONFIG,
  EXAMPLE_DIGEST,
  EXAMPLE_DRAFT,
  EXAMPLE_TEXT,
  EXAMPLE_VERSION,
} from './examples.ts'
import { managed } from './manage-gate.ts'
import { draftTag, preconditionFailed, readPrecondition } from './manage-tags.ts'
import { PageQuery } from './operation.ts'
import { jsonResponse } from './problem.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'
const MAX_DRAFT_BYTES = 32 * 1024 * 1024

const DRAFT_TAG = {
  name: 'ETag',
  description: 'Names the draft and its revision; send it back as If-Match.',
  example: '"drf_01JB2Q3V4W.7"',
}

const { author: _author, ...VERSION_TEXT } = {
  ...EXAMPLE_VERSION,
  text: EXAMPLE_TEXT,
  source: EXAMPLE_TEXT,
}

function toConfig({ ns, key, archivedAt, newestVersion, live }: ManagedConfigRow): ManagedConfig {
  return {
    ns,
    key,
    archived_at: archivedAt,
    newest_version: newestVersion,
    live: live.map(({ releaseId, releasedAt, ...pointer }) => ({
      ...pointer,
      release_id: releaseId,
      released_at: releasedAt,
    })),
  }
}

function toDraft(draft: DraftView): ManagedDraft {
  const { id, revision, text, baseVersion, updatedAt, updatedByName } = draft
  return {
    id,
    revision,
    text,
    base_version: baseVersion,
    updated_at: updatedAt,
    updated_by: updatedByName,
  }
}

function toVersion({ number, digest, note, author, createdAt }: VersionListRow): ManagedVersion {
  return { number, digest, note, author, created_at: createdAt }
}

function movedSentence(current: { readonly updatedByName: string | null } | null): string {
  if (current === null) return 'The draft was discarded or saved meanwhile. Read it again.'
  const who = current.updatedByName ?? 'Another user'
  return `${who} saved the draft meanwhile. Read it again, so that nothing is overwritten unseen.`
}

export const CONFIG_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/configs',
      group: 'Configs',
      summary: 'List configs',
      description: 'Lists configs by namespace and key, with the live version of each environment.',
      scope: 'read',
      query: PageQuery.extend({
        archived: z
          .enum(['true', 'false'])
          .default('false')
          .describe('true: archived configs instead.'),
      }),
      answers: {
        200: {
          description: 'A page.',
          schema: ConfigPage,
          example: { configs: [EXAMPLE_CONFIG], next: null },
        },
      },
    },
    async ({ scope, query }) => {
      const { after, limit, archived } = query
      const { rows, next } = await loadConfigPage(scope, {
        after,
        limit,
        archived: archived === 'true',
      })
      return jsonResponse({ configs: rows.map(toConfig), next })
    },
  ),
  managed(
    {
      method: 'POST',
      path: '/api/manage/v1/configs',
      group: 'Configs',
      summary: 'Create a config',
      description: 'Creates the config with a first draft.',
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
        409: { description: 'The project already has a config of this name.' },
      },
    },
    async ({ scope, body }) => {
      await createConfig(scope, { ...body, template: 'blank' })
      return jsonResponse(toConfig(await managedConfig(scope, body)), { status: 201 })
    },
  ),
  managed(
    {
      method: 'GET',
      path: CONFIG,
      group: 'Configs',
      summary: 'Read a config',
      scope: 'read',
      answers: {
        200: { description: 'The config.', schema: ManagedConfig, example: EXAMPLE_CONFIG },
      },
    },
    async ({ scope, parameters: prompt }) =>
      jsonResponse(toConfig(await managedConfig(scope, prompt))),
  ),
  managed(
    {
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
        409: {
          description:
            'The config is live in an environment, or others extend it, so it cannot be archived.',
        },
      },
    },
    async ({ scope, parameters: prompt, body }) => {
      await setArchived(scope, prompt, body.archived)
      return jsonResponse(toConfig(await managedConfig(scope, prompt)))
    },
  ),
  managed(
    {
      method: 'GET',
      path: `${CONFIG}/draft`,
      group: 'Configs',
      summary: 'Read the draft',
      description: 'Returns the open draft that all editors share. 404 when there is none.',
      scope: 'publish',
      answers: {
        200: {
          description: 'The draft.',
          schema: ManagedDraft,
          example: EXAMPLE_DRAFT,
          headers: [DRAFT_TAG],
        },
      },
    },
    async ({ scope, parameters: prompt }) => {
      const { draft } = await openWorkbench(scope, prompt)
      if (draft === null) {
        throw new ServiceError('not_found', `${prompt.ns}/${prompt.key} has no draft.`)
      }
      return jsonResponse(toDraft(draft), { headers: { etag: draftTag(draft) } })
    },
  ),
  managed(
    {
      method: 'PUT',
      path: `${CONFIG}/draft`,
      group: 'Configs',
      summary: 'Write the draft',
      description:
        'Requires `If-Match` with the tag of the draft that you read, or `If-None-Match: *` if there was none. 412 when the draft was saved meanwhile, so nothing is overwritten unseen.',
      scope: 'publish',
      headers: [
        {
          name: 'If-Match',
          description: 'Tag of the draft that you read.',
          example: '"drf_01JB2Q3V4W.7"',
        },
        { name: 'If-None-Match', description: '`*`: there was no draft.', example: '*' },
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
        412: { description: 'The draft was saved or discarded meanwhile.' },
        428: { description: 'Neither If-Match nor If-None-Match was sent.' },
      },
    },
    async ({ scope, parameters: prompt, request, body }) => {
      const seen = readPrecondition(request.headers)
      const { text, base_version: baseVersion } = body
      const saved = await saveDraft(scope, {
        ...prompt,
        text,
        seen,
        baseVersion: baseVersion ?? null,
      })
      if (!saved.ok) return preconditionFailed(movedSentence(saved.current))
      const { id, revision } = saved
      // Saving stores the base of a new draft only; an existing draft is rebased here.
      if (seen !== null && baseVersion !== undefined && baseVersion !== null) {
        const rebased = await rebaseDraft(scope, { ...prompt, id, revision, baseVersion })
        if (!rebased.ok) return preconditionFailed(movedSentence(null))
      }
      const { draft } = await openWorkbench(scope, prompt)
      const base_version = draft?.id === id ? draft.baseVersion : null
      return jsonResponse({ id, revision, base_version }, { headers: { etag: draftTag(saved) } })
    },
  ),
  managed(
    {
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
    },
    async ({ scope, parameters: prompt, query }) => {
      const { rows, next } = await loadVersionPage(scope, prompt, query)
      return jsonResponse({ versions: rows.map(toVersion), next })
    },
  ),
  managed(
    {
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
    },
    async ({ scope, parameters: prompt, request }) => {
      const { createdAt, ...version } = await loadVersionText(scope, prompt, prompt.number)
      const headers = { etag: `"${version.digest}"` }
      if (request.headers.get('if-none-match') === headers.etag) {
        return new Response(null, { status: 304, headers })
      }
      return jsonResponse({ ...version, created_at: createdAt }, { headers })
    },
  ),
  managed(
    {
      method: 'GET',
      path: `${CONFIG}/inheritance`,
      group: 'Configs',
      summary: 'Read where the rules come from',
      description:
        'The base of the newest version with the origin of each rule, and the configs that extend this one.',
      scope: 'read',
      answers: {
        200: {
          description: 'The inheritance.',
          schema: InheritanceAnswer,
          example: {
            version: 3,
            base: {
              extends: 'support/base@2',
              newest: 3,
              archived: false,
              origins: { order: 'own', secrets: 'base' },
            },
            extenders: [],
            mandatory: false,
          },
        },
      },
    },
    async ({ scope, parameters: prompt }) => {
      const { version, base, extenders, isMandatory } = await loadInheritance(scope, prompt)
      const { isArchived: archived, ...named } = base ?? { isArchived: false }
      return jsonResponse({
        version,
        base: base === null ? null : { ...named, archived },
        extenders,
        mandatory: isMandatory,
      })
    },
  ),
  managed(
    {
      method: 'GET',
      path: '/api/manage/v1/mandatory-base',
      group: 'Configs',
      summary: 'Read the mandatory base',
      description:
        'The config that every config must extend to be released, and the live versions that do not. Admins choose it in the console.',
      scope: 'read',
      answers: {
        200: {
          description: 'The mandatory base.',
          schema: MandatoryBaseAnswer,
          example: {
            base: { ns: 'support', key: 'base', newest_version: 3 },
            without: [{ ns: 'support/triage', key: 'answer', version: 3, environments: ['dev'] }],
          },
        },
      },
    },
    async ({ scope }) => {
      const { base, without } = await loadMandatoryBase(scope)
      const named =
        base === null ? null : { ns: base.ns, key: base.key, newest_version: base.newest }
      return jsonResponse({ base: named, without })
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/diff`,
      group: 'Configs',
      summary: 'Describe the differences',
      id: 'compare-in-words',
      description:
        'Compares two sides in words: each is the live version of an environment, a version, or a text.',
      scope: 'read',
      body: {
        schema: DiffRequest,
        example: { from: { environment: 'dev' }, to: { text: EXAMPLE_TEXT } },
        maxBytes: MAX_DRAFT_BYTES,
      },
      answers: {
        200: {
          description: 'Changes from one side to the other.',
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
    },
    async ({ scope, parameters: prompt, body }) =>
      jsonResponse(await compareConfigs(scope, prompt, body)),
  ),
  managed(
    {
      method: 'POST',
      path: '/api/manage/v1/lint',
      group: 'Configs',
      summary: 'Validate a text',
      id: 'check-a-text',
      description:
        'Runs the checks of a publish that hold in every environment: the text, with the custom rule types that runtimes of the project registered, the mandatory base, the claims, and whether the config is archived. Stores nothing.',
      scope: 'read',
      body: {
        schema: LintRequest,
        example: { text: EXAMPLE_TEXT, ns: 'support/triage', key: 'answer' },
        maxBytes: MAX_DRAFT_BYTES,
      },
      answers: {
        200: {
          description: 'The problems of the text, and whether it can be published.',
          schema: LintAnswer,
          example: { publishable: true, digest: EXAMPLE_DIGEST, problems: [] },
        },
      },
    },
    async ({ scope, body }) => {
      const { text, ...place } = body
      return jsonResponse(await judgeText(scope, text, place))
    },
  ),
]
