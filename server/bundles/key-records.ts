import { canonicalJson, MOST_KEY_RECORDS, textDigest } from '@signalbox/wire'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { sharedRead } from '@/server/platform/shared-read.ts'
import { listKeyRecords } from './signing-keys.sql.ts'

interface KeyRecords {
  /** Canonical JSON. */
  readonly text: string
  /** Digest of `text`; runtimes compare it to detect changes. */
  readonly digest: string
}

/** Excludes records that lead to a revoked key. Concurrent callers share one read, because every heartbeat calls it. */
export const keyRecords = sharedRead(
  async (projectId: AuthorizedProjectId): Promise<KeyRecords> => {
    const records = await listKeyRecords(projectId)
    const text = canonicalJson({ records: records.slice(-MOST_KEY_RECORDS) })
    return { text, digest: textDigest(text) }
  },
)
