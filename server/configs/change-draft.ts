// Changes that the product makes to a draft on behalf of an editor.
import type { ConfigDocument, ConfigSource } from '@signalbox/core'
import { parseConfigSource } from '@signalbox/wire'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import type { Actor, ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { loadBases } from './bases.sql.ts'
import { resolveConfigText } from './config-text-input.ts'
import { findConfig, type PromptName } from './configs.sql.ts'
import { findOpenDraft } from './drafts.sql.ts'
import { openWorkbench, saveDraft } from './drafts.ts'
import { findLiveVersion, findNewestVersion } from './versions.sql.ts'

export interface DraftDocuments {
  /** As written: without the rules of a base. */
  readonly own: ConfigSource
  readonly flat: ConfigDocument
}

/** Null: the text has errors. */
async function readDraftText(
  projectId: AuthorizedProjectId,
  text: string,
): Promise<DraftDocuments | null> {
  const source = parseConfigSource(text)
  const resolved = resolveConfigText(text, await loadBases({ projectId }, [text]))
  return source.ok && resolved.ok ? { own: source.document, flat: resolved.document } : null
}

/** The draft with the rules of its base, or else the version that the editor starts from; null: there is neither, or it has errors. */
export async function findDraftDocument(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<ConfigDocument | null> {
  const config = await findConfig(scope, prompt)
  if (config === null) return null
  const { projectId } = scope
  const { id: configId } = config
  const draft = await findOpenDraft({ projectId, configId })
  if (draft !== null) return (await readDraftText(projectId, draft.text))?.flat ?? null
  const [first] = await listEnvironments(projectId)
  const place = { projectId, environmentId: first?.id ?? '', configId }
  const version = (await findLiveVersion(place)) ?? (await findNewestVersion({ configId }))
  return version === null ? null : ((await readDraftText(projectId, version.source))?.flat ?? null)
}

/**
 * Changes the open draft, or makes one of the version that the editor starts from. Rejects with `conflict` when the text has errors or another
 * editor saved meanwhile, and with what `change` throws.
 */
export async function changeDraft(
  scope: Actor,
  { ns, key }: PromptName,
  change: (documents: DraftDocuments) => Promise<ConfigSource>,
): Promise<void> {
  const { draft, base } = await openWorkbench(scope, { ns, key })
  const text = draft?.text ?? base?.text ?? JSON.stringify({ schema_version: 1, ns, key })
  const documents = await readDraftText(scope.projectId, text)
  if (documents === null) {
    throw new ServiceError(
      'conflict',
      'The draft has errors. Fix them in the editor, then try again.',
    )
  }
  const changed = await change(documents)
  const saved = await saveDraft(scope, {
    ...{ ns, key, text: `${JSON.stringify(changed, null, 2)}\n` },
    baseVersion: base?.number ?? null,
    seen: draft === null ? null : { id: draft.id, revision: draft.revision },
  })
  if (!saved.ok) {
    throw new ServiceError('conflict', 'Another editor saved the draft meanwhile. Try again.')
  }
}
