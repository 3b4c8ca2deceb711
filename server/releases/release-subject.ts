// Subject of a release: the text of a draft at a revision, or a version. Read inside the transaction that uses it.

import type { ConfigDocument, JsonValue, Problem } from '@signalbox/core'
import { plural } from '@signalbox/core/analysis'
import { parseConfigText } from '@signalbox/wire'
import { findBaseById, loadBases } from '@/server/configs/bases.sql.ts'
import { checkConfigText } from '@/server/configs/config-text.ts'
import type { ConfigRow } from '@/server/configs/configs.sql.ts'
import { type DraftRow, findOpenDraft } from '@/server/configs/drafts.sql.ts'
import { findVersion, type VersionRow } from '@/server/configs/versions.sql.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

/** `revision`: of the draft that the user reviewed. */
export type Subject =
  | { readonly kind: 'draft'; readonly draftId: string; readonly revision: number }
  | { readonly kind: 'version'; readonly version: number }

export interface Content {
  readonly digest: string
  readonly text: string
  /** The parsed text. `document` is null for a version that another build wrote. */
  readonly value: JsonValue
  readonly document: ConfigDocument | null
  /** Text as written, which may have `extends`; `text` is the flat document. */
  readonly source: string
  /** Null: it extends nothing. */
  readonly base: ContentBase | null
  readonly editedBy: string
  /** Null: a version. */
  readonly draft: DraftRow | null
  /** Null: a draft. */
  readonly version: VersionRow | null
}

export interface ContentBase {
  readonly versionId: string
  readonly configId: string
  /** `ns/key@version` */
  readonly reference: string
}

export interface UnreadContent {
  readonly ok: false
  readonly reason: 'stale' | 'problems'
  readonly message: string
  readonly problems: readonly Problem[]
}

export type ReadContent = { readonly ok: true; readonly content: Content } | UnreadContent

export interface ContentPlace {
  readonly projectId: AuthorizedProjectId
  readonly config: ConfigRow
  readonly customTypes: readonly string[]
}

async function readDraft(
  tx: Tx,
  place: ContentPlace,
  draft: DraftRow | null,
): Promise<ReadContent> {
  if (draft === null) {
    const message = 'The draft changed after you looked at it. Review it again.'
    return { ok: false, reason: 'stale', message, problems: [] }
  }
  const { ns, key } = place.config
  const { customTypes } = place
  const bases = await loadBases(place, [draft.text], tx)
  const checked = checkConfigText(draft.text, { ns, key, customTypes, bases })
  if (!checked.ok) {
    const count = checked.problems.filter(({ severity }) => severity === 'error').length
    const noun = plural(count, 'problem')
    const message = `The draft has ${noun}, so it cannot be published.`
    return { ok: false, reason: 'problems', message, problems: checked.problems }
  }
  const { digest, value, document, text, extends: reference } = checked
  const { text: source, updatedBy: editedBy } = draft
  const found = reference === null ? undefined : bases.get(reference)
  const base = found === undefined || reference === null ? null : toContentBase(found, reference)
  const content = { digest, text, source, base, value, document, editedBy, draft, version: null }
  return { ok: true, content }
}

function toContentBase(
  { versionId, configId }: Omit<ContentBase, 'reference'>,
  reference: string,
): ContentBase {
  return { versionId, configId, reference }
}

/** The open draft at any revision, for callers that compare its digest instead: schedules and open approval requests. */
export async function readDraftNow(
  tx: Tx,
  place: ContentPlace,
  draftId: string,
): Promise<ReadContent> {
  const { projectId, config } = place
  const draft = await findOpenDraft({ projectId, configId: config.id }, tx)
  return await readDraft(tx, place, draft?.id === draftId ? draft : null)
}

/** Rejects with `not_found` for a version that does not exist. */
export async function readContent(
  tx: Tx,
  place: ContentPlace,
  subject: Subject,
): Promise<ReadContent> {
  const { projectId, config } = place
  if (subject.kind === 'draft') {
    const draft = await findOpenDraft({ projectId, configId: config.id }, tx)
    const isSeen = draft?.id === subject.draftId && draft.revision === subject.revision
    return await readDraft(tx, place, isSeen ? draft : null)
  }
  const version = await findVersion({ configId: config.id, number: subject.version }, tx)
  if (version === null)
    throw new ServiceError('not_found', `There is no version ${subject.version}.`)
  const parsed = parseConfigText(version.text)
  const { digest, text, source, baseVersionId, editedBy, authorId } = version
  const base = await findBaseById({ projectId }, baseVersionId, tx)
  const content = {
    digest,
    text,
    source,
    base:
      base === null || baseVersionId === null
        ? null
        : toContentBase({ versionId: baseVersionId, configId: base.configId }, base.reference),
    version,
    draft: null,
    editedBy: editedBy ?? authorId,
    value: parsed.ok ? parsed.value : null,
    document: parsed.ok ? parsed.document : null,
  }
  return { ok: true, content }
}
