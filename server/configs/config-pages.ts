// Configs, versions and releases as the management API pages through them. Only this module reads its cursors.

import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import {
  formatCursor,
  placeAfter,
  promptCursor,
  promptPlace,
  refuseCursor,
} from '@/server/platform/sql/keyset.ts'
import type { VersionListRow } from './config-detail.sql.ts'
import {
  findEarlierRelease,
  findManagedConfig,
  listConfigPage,
  listReleasePage,
  listVersionPage,
  type ManagedConfigRow,
  type ProjectReleaseRow,
  type ReleaseFilter,
} from './managed-configs.sql.ts'

export interface PageRequest {
  readonly after?: string | undefined
  readonly limit: number
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Null: this is the last page. */
  readonly next: string | null
}

/** `rows` has one row more than the page if there is a next page. */
function toConfigPage<Row>(
  rows: readonly Row[],
  { limit }: PageRequest,
  cursor: (last: Row) => string,
): Page<Row> {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page, next: rows.length > limit && last !== undefined ? cursor(last) : null }
}

export async function loadConfigPage(
  scope: ConfigReader,
  page: PageRequest & { readonly archived: boolean },
): Promise<Page<ManagedConfigRow>> {
  const { archived, after: cursor, limit } = page
  const after = cursor === undefined ? null : (promptPlace(cursor) ?? refuseCursor())
  const rows = await listConfigPage(scope, { archived, after, limit: limit + 1 })
  return toConfigPage(rows, page, promptCursor)
}

export interface Prompt {
  readonly ns: string
  readonly key: string
}

/** Rejects with `not_found`. */
export async function managedConfig(
  scope: ConfigReader,
  prompt: Prompt,
): Promise<ManagedConfigRow> {
  const config = await findManagedConfig(scope, prompt)
  if (config !== null) return config
  throw new ServiceError('not_found', `There is no config "${prompt.ns}/${prompt.key}".`)
}

/** Rejects with `not_found`. */
export async function loadVersionPage(
  scope: ConfigReader,
  prompt: Prompt,
  page: PageRequest,
): Promise<Page<VersionListRow>> {
  const { id: configId } = await managedConfig(scope, prompt)
  const before = page.after === undefined ? 2_147_483_647 : Number(page.after)
  if (!Number.isInteger(before) || before < 1 || before > 2_147_483_647) refuseCursor()
  const rows = await listVersionPage(scope, { configId, before, limit: page.limit + 1 })
  return toConfigPage(rows, page, (last) => String(last.number))
}

export async function loadReleasePage(
  scope: ConfigReader,
  filter: ReleaseFilter,
  page: PageRequest,
): Promise<Page<ProjectReleaseRow>> {
  const before = placeAfter(page.after)
  const rows = await listReleasePage(scope, { filter, before, limit: page.limit + 1 })
  return toConfigPage(rows, page, ({ createdAt, id }) => formatCursor({ at: createdAt, id }))
}

/** Number of the live version; null: none. Rejects with `not_found` for an unknown config. */
export async function liveNumber(
  scope: ConfigReader,
  prompt: Prompt,
  environment: string,
): Promise<number | null> {
  const { live } = await managedConfig(scope, prompt)
  return live.find((pointer) => pointer.environment === environment)?.version ?? null
}

/** The newest version below the live one that was released to the environment. Rejects with `invalid` when there is none. */
export async function versionBefore(
  scope: ConfigReader,
  prompt: Prompt,
  environment: string,
): Promise<number> {
  const { id: configId } = await managedConfig(scope, prompt)
  const number = await liveNumber(scope, prompt, environment)
  const earlier =
    number === null ? null : await findEarlierRelease(scope, { configId, environment, number })
  if (earlier !== null) return earlier
  const runs = number === null ? 'runs nothing of it' : `ran no version before v${number}`
  const message = `${environment} ${runs}, so there is nothing to roll back to.`
  throw new ServiceError('invalid', message, 'to')
}
