// Rows of the control plane in the words of the wire, each checked by the compiler against its schema.
import type {
  ListedRelease,
  MadeRelease as MadeReleaseV1,
  ManagedConfig,
  ManagedDraft,
  ManagedVersion,
  ReleaseAdoption,
} from '@signalbox/wire'
import type { VersionListRow } from '@/server/configs/config-detail.sql.ts'
import type { DraftView } from '@/server/configs/drafts.ts'
import type { ManagedConfigRow, ProjectReleaseRow } from '@/server/configs/managed-configs.sql.ts'
import type { Adoption } from '@/server/releases/adoption.ts'
import type { MadeRelease } from '@/server/releases/release-outcome.ts'

export function toConfig({
  ns,
  key,
  archivedAt,
  newestVersion,
  live,
}: ManagedConfigRow): ManagedConfig {
  return {
    ...{ ns, key, archived_at: archivedAt, newest_version: newestVersion },
    live: live.map(({ releaseId, releasedAt, ...pointer }) => ({
      ...pointer,
      ...{ release_id: releaseId, released_at: releasedAt },
    })),
  }
}

export function toDraft(draft: DraftView): ManagedDraft {
  const { id, revision, text, baseVersion, updatedAt, updatedByName } = draft
  return {
    ...{ id, revision, text, base_version: baseVersion },
    ...{ updated_at: updatedAt, updated_by: updatedByName },
  }
}

export function toVersion({
  number,
  digest,
  note,
  author,
  createdAt,
}: VersionListRow): ManagedVersion {
  return { number, digest, note, author, created_at: createdAt }
}

export function toRelease(row: ProjectReleaseRow): ListedRelease {
  const { previousVersion, createdAt, ...rest } = row
  return { ...rest, previous_version: previousVersion, created_at: createdAt }
}

export function toMadeRelease({
  id,
  environment,
  version,
  previousVersion,
  revision,
  rolloutId,
}: MadeRelease): MadeReleaseV1 {
  const made = { id, environment, version, previous_version: previousVersion, revision }
  return { ...made, rollout_id: rolloutId }
}

export function toAdoption({ createdAt, runtimes, ...adoption }: Adoption): ReleaseAdoption {
  const { id, environment, version, revision, status, applied, total } = adoption
  return {
    ...{ id, environment, version, revision, status, applied, total },
    created_at: createdAt,
    runtimes: runtimes.map(({ id, name, state, reason }) => ({ id, name, state, reason })),
  }
}
