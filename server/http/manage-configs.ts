// /api/manage/v1 about configs: list, create, read, archive, draft, versions, difference, lint (specs/config-as-code.md).

import { compareConfigs, judgeText } from '@/server/configs/config-differences.ts'
import { configPage, managedConfig, versionPage } from '@/server/configs/config-pages.ts'
import { createConfig, setArchived, versionText } from '@/server/configs/configs.ts'
import { openWorkbench, rebaseDraft, saveDraft } from '@/server/configs/drafts.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { toConfig, toDraft, toVersion } from './manage-answers.ts'
import { managed } from './manage-gate.ts'
import { draftTag, preconditionFailed, readPrecondition } from './manage-tags.ts'
import {
  createConfigRoute,
  diffRoute,
  lintRoute,
  listConfigsRoute,
  listVersionsRoute,
  readConfigRoute,
  readDraftRoute,
  readVersionRoute,
  updateConfigRoute,
  writeDraftRoute,
} from './openapi/config-routes.ts'
import { jsonResponse } from './problem.ts'

export const getConfigs = managed(listConfigsRoute, async ({ scope, query }) => {
  const { after, limit, archived } = query
  const { rows, next } = await configPage(scope, { after, limit, archived: archived === 'true' })
  return jsonResponse({ configs: rows.map(toConfig), next })
})

export const postConfig = managed(createConfigRoute, async ({ scope, body }) => {
  await createConfig(scope, { ...body, template: 'blank' })
  return jsonResponse(toConfig(await managedConfig(scope, body)), { status: 201 })
})

export const getManagedConfig = managed(readConfigRoute, async ({ scope, prompt }) =>
  jsonResponse(toConfig(await managedConfig(scope, prompt))),
)

export const patchConfig = managed(updateConfigRoute, async ({ scope, prompt, body }) => {
  await setArchived(scope, prompt, body.archived)
  return jsonResponse(toConfig(await managedConfig(scope, prompt)))
})

export const getDraft = managed(readDraftRoute, async ({ scope, prompt }) => {
  const { draft } = await openWorkbench(scope, prompt)
  if (draft === null) {
    throw new ServiceError('not_found', `${prompt.ns}/${prompt.key} has no draft.`)
  }
  return jsonResponse(toDraft(draft), { headers: { etag: draftTag(draft) } })
})

export const putDraft = managed(writeDraftRoute, async ({ scope, prompt, request, body }) => {
  const precondition = readPrecondition(request.headers)
  if (!precondition.ok) return precondition.response
  const { seen } = precondition
  const { text, base_version: baseVersion } = body
  const saved = await saveDraft(scope, { ...prompt, text, seen, baseVersion: baseVersion ?? null })
  if (!saved.ok) return preconditionFailed(movedSentence(saved.current))
  const { id, revision } = saved
  // A new draft has its base; one that there was is told of another.
  if (seen !== null && baseVersion !== undefined && baseVersion !== null) {
    const rebased = await rebaseDraft(scope, { ...prompt, id, revision, baseVersion })
    if (!rebased.ok) return preconditionFailed(movedSentence(null))
  }
  const { draft } = await openWorkbench(scope, prompt)
  const base_version = draft?.id === id ? draft.baseVersion : null
  return jsonResponse({ id, revision, base_version }, { headers: { etag: draftTag(saved) } })
})

function movedSentence(current: { readonly updatedByName: string | null } | null): string {
  if (current === null) return 'The draft was discarded or saved meanwhile. Read it again.'
  const who = current.updatedByName ?? 'Somebody'
  return `${who} saved the draft meanwhile. Read it again, so that nothing is overwritten unseen.`
}

export const getVersions = managed(listVersionsRoute, async ({ scope, prompt, query }) => {
  const { rows, next } = await versionPage(scope, prompt, query)
  return jsonResponse({ versions: rows.map(toVersion), next })
})

export const getVersion = managed(readVersionRoute, async ({ scope, prompt, number, request }) => {
  const { createdAt, ...version } = await versionText(scope, prompt, number)
  const headers = { etag: `"${version.digest}"` }
  if (request.headers.get('if-none-match') === headers.etag) {
    return new Response(null, { status: 304, headers })
  }
  return jsonResponse({ ...version, created_at: createdAt }, { headers })
})

export const postDiff = managed(diffRoute, async ({ scope, prompt, body }) =>
  jsonResponse(await compareConfigs(scope, prompt, body)),
)

export const postLint = managed(lintRoute, async ({ scope, body }) => {
  const { text, ...place } = body
  return jsonResponse(await judgeText(scope, text, place))
})
