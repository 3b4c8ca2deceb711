// Recalled events stay rows for a day, and are not written again unless events arrived.

import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import {
  type ArchivedPlace,
  ensurePartition,
  findArchived,
  listArchived,
  restoreRows,
} from './archive.sql.ts'
import { openArchive } from './open-archive.ts'
import { digestBytes, nameSegment, unpack } from './segment.ts'

/** A job may move the session to another file, or drop its day's partition, between two steps of a recall. */
const ATTEMPTS = 3

/** A file of the archive is missing, or is not as it was written. Only its operator can mend that, from a backup. */
class DamagedArchive extends ServiceError {
  constructor(sessionId: string, why: string) {
    super(
      'unavailable',
      `The events of session ${sessionId} are in the archive and cannot be read: ${why}. Restore the file from a backup of the archive.`,
    )
  }
}

/** Rejects with `unavailable`, and changes nothing, when the archive cannot be read or a file is not as it was written. */
export async function recallSession(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<void> {
  let why = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const place = await findArchived(projectId, sessionId)
    if (place === null) return
    const read = await readPart(projectId, place)
    if (!read.ok) {
      why = read.why
      continue
    }
    await ensurePartition(place.day)
    if (await restoreRows(projectId, { sessionId, place }, unpack(read.bytes))) return
  }
  if (why !== '') throw new DamagedArchive(sessionId, why)
  throw new ServiceError('unavailable', `Session ${sessionId} is being archived. Try again.`)
}

type ReadPart =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly why: string }

async function readPart(
  projectId: AuthorizedProjectId,
  { segment, start, bytes, digest }: ArchivedPlace,
): Promise<ReadPart> {
  const file = nameSegment({ projectId, digest: segment })
  const found = await openArchive()
    .read(file, { start, bytes })
    .catch((error: unknown) => {
      logger.error({ file, cause: String(error) }, 'the archive cannot be read')
      throw new ServiceError(
        'unavailable',
        'The archive cannot be read now. The log of the server has the reason.',
      )
    })
  if (found === null) return { ok: false, why: `the file ${file} is missing` }
  if (digestBytes(found) === digest) return { ok: true, bytes: found }
  return { ok: false, why: `the file ${file} is not as it was written` }
}

/** Recalls those of the sessions that are archived. Those whose file is damaged have no rows afterwards; the log names them. */
export async function recallSessions(
  projectId: AuthorizedProjectId,
  ids: readonly string[],
): Promise<void> {
  for (const id of await listArchived(projectId, ids)) {
    await recallSession(projectId, id).catch((error: unknown) => {
      if (!(error instanceof DamagedArchive)) throw error
      logger.error({ cause: error.message }, 'an archived session cannot be read')
    })
  }
}
