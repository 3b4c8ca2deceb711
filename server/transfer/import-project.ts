// Adds missing configs, versions, pinned cases and claims in one transaction, all or nothing. Importing it again changes nothing. Live versions
// never change, because releases have gates and an import has none. Each statement covers all configs of the file.
import { FOLDED_EVENT_TYPES, plural } from '@signalbox/core/analysis'
import { describeQuestion } from '@signalbox/core/prove'
import { computeDigest, type ExportV1 } from '@signalbox/wire'
import { recallSessions } from '@/server/archive/recall.ts'
import { addCarriedLog, insertCases, listPinned } from '@/server/backtests/pinned-cases.sql.ts'
import { insertClaims, listClaimed } from '@/server/claims/claims.sql.ts'
import { MOST_CLAIMS } from '@/server/claims/claims.ts'
import { archiveConfigs, type ConfigRow, takeConfigs } from '@/server/configs/configs.sql.ts'
import { insertVersions, listDigests, listLiveVersions } from '@/server/configs/versions.sql.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { type ReadConfig, type ReadFile, readFile } from './import-file.ts'

export interface ImportedConfig {
  readonly ns: string
  readonly key: string
  readonly action: 'create' | 'add_versions' | 'add_cases' | 'unchanged' | 'conflict'
  readonly detail: string
  readonly versionsAdded: number
  readonly casesAdded: number
  readonly claimsAdded: number
}

export interface MissingRelease {
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly live: number | null
  readonly environmentExists: boolean
}

export interface ImportResult {
  readonly applied: boolean
  readonly configs: readonly ImportedConfig[]
  readonly releasesMissing: readonly MissingRelease[]
}

class Undo extends Error {}

/** `dryRun`: only returns what would happen. A conflict changes nothing. Rejects with `invalid` when a digest, number or log differs. */
export async function importProject(
  actor: Actor,
  document: ExportV1,
  { dryRun }: { readonly dryRun: boolean },
): Promise<ImportResult> {
  const file = readFile(document)
  let result: ImportResult = { applied: false, configs: [], releasesMissing: [] }
  // The events that are stored here are compared with those of the file.
  await recallSessions(
    actor.projectId,
    file.logs.map(({ session }) => session),
  )
  try {
    await inTransaction(async (tx) => {
      const pairs = await matched(tx, actor.projectId, file)
      const unlike = await addLogs(tx, actor.projectId, file)
      const configs = pairs.map((pair) => toImportedConfig(pair, unlike))
      const releasesMissing = await missingReleases(tx, actor, pairs)
      const isRefused = configs.some(({ action }) => action === 'conflict')
      const applied = !dryRun && !isRefused
      result = { applied, configs, releasesMissing }
      if (!applied) throw new Undo()
      await add(tx, { actor, from: document.project, pairs })
      if (configs.some(({ action }) => action !== 'unchanged')) await noteImport(tx, actor, configs)
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
  }
  return result
}

interface Pair {
  readonly config: ReadConfig
  readonly row: ConfigRow & { readonly isNew: boolean }
  /** Digests of its versions here, from version 1 on. */
  readonly digests: readonly string[]
  readonly addedCases: ReadConfig['cases']
  readonly addedClaims: ReadConfig['claims']
  /** Claims of the file that expect the other answer than the config's own. */
  readonly contradicted: ReadConfig['claims']
  /** True: the config would have more claims than it may. */
  readonly hasTooMany: boolean
}

async function matched(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { configs }: ReadFile,
): Promise<readonly Pair[]> {
  const rows = await takeConfigs(tx, projectId, configs)
  const ids = rows.map(({ id }) => id)
  const digestsByConfig = new Map(
    (await listDigests(tx, ids)).map(({ configId, digests }) => [configId, digests]),
  )
  const toEventPlaceKey = (configId: string, session: string, seq: number) =>
    `${configId} ${session} ${seq}`
  const pinned = new Set(
    (await listPinned(tx, ids)).map((row) => toEventPlaceKey(row.configId, row.sessionId, row.seq)),
  )
  const toClaimKey = (configId: string, question: string) => `${configId} ${question}`
  const kept = await listClaimed(tx, ids)
  const claimed = new Map(
    kept.map(({ configId, questionDigest, expect }) => [
      toClaimKey(configId, questionDigest),
      expect,
    ]),
  )
  const filesByConfig = new Map(configs.map((config) => [`${config.ns}/${config.key}`, config]))
  return rows.flatMap((row) => {
    const config = filesByConfig.get(`${row.ns}/${row.key}`)
    if (config === undefined) return []
    const addedCases = config.cases.filter(
      ({ session, seq }) => !pinned.has(toEventPlaceKey(row.id, session, seq)),
    )
    const own = ({ question }: ReadConfig['claims'][number]) =>
      claimed.get(toClaimKey(row.id, computeDigest(question)))
    const addedClaims = config.claims.filter((claim) => own(claim) === undefined)
    const contradicted = config.claims.filter(
      (claim) => (own(claim) ?? claim.expect) !== claim.expect,
    )
    const count = kept.filter(({ configId }) => configId === row.id).length
    const hasTooMany = addedClaims.length > 0 && count + addedClaims.length > MOST_CLAIMS
    const digests = digestsByConfig.get(row.id) ?? []
    return [{ config, row, digests, addedCases, addedClaims, contradicted, hasTooMany }]
  })
}

/** Adds missing events of the logs that cases need. Returns the sessions whose events here differ. */
async function addLogs(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { logs }: ReadFile,
): Promise<ReadonlySet<string>> {
  const unlike = new Set<string>()
  for (const { session: sessionId, upTo, events } of logs.toSorted((a, b) =>
    a.session < b.session ? -1 : 1,
  )) {
    const log = { projectId, sessionId, upTo, types: FOLDED_EVENT_TYPES }
    if (!(await addCarriedLog(tx, { ...log, events: JSON.stringify(events) }))) {
      unlike.add(sessionId)
    }
  }
  return unlike
}

function toImportedConfig(
  { config, row, digests, addedCases, addedClaims, contradicted, hasTooMany }: Pair,
  unlike: ReadonlySet<string>,
): ImportedConfig {
  const { ns, key, versions, cases } = config
  const none = { ns, key, versionsAdded: 0, casesAdded: 0, claimsAdded: 0 }
  const other = digests.findIndex((digest, place) => {
    const version = versions[place]
    return version !== undefined && version.digest !== digest
  })
  if (other !== -1) {
    const detail = `v${other + 1} here has other content than in the file`
    return { ...none, action: 'conflict', detail }
  }
  const forged = cases.find(({ session }) => unlike.has(session))
  if (forged !== undefined) {
    const detail = `its cases rest on ${forged.session}, of which other events are stored here`
    return { ...none, action: 'conflict', detail }
  }
  const [opposite] = contradicted
  if (opposite !== undefined) {
    const detail = `it has the claim ${describeQuestion(opposite.question)} with the other answer`
    return { ...none, action: 'conflict', detail }
  }
  if (hasTooMany) {
    return { ...none, action: 'conflict', detail: `it would have more than ${MOST_CLAIMS} claims` }
  }
  const added = { versionsAdded: Math.max(0, versions.length - digests.length) }
  const counts = { casesAdded: addedCases.length, claimsAdded: addedClaims.length }
  const told = { ...none, ...added, ...counts }
  const beside = [
    ...(addedCases.length === 0 ? [] : [plural(addedCases.length, 'pinned case')]),
    ...(addedClaims.length === 0 ? [] : [plural(addedClaims.length, 'claim')]),
  ]
  const withCases = beside.map((words) => ` and ${words}`).join('')
  const count = plural(told.versionsAdded, 'version')
  if (row.isNew) return { ...told, action: 'create', detail: `new, with ${count}${withCases}` }
  if (told.versionsAdded > 0) {
    const detail = `${count} after v${digests.length}${withCases}`
    return { ...told, action: 'add_versions', detail }
  }
  if (beside.length > 0) return { ...told, action: 'add_cases', detail: beside.join(' and ') }
  return { ...told, action: 'unchanged', detail: 'is here already' }
}

const CHUNK = 1_000

async function add(
  tx: Tx,
  {
    actor,
    from,
    pairs,
  }: { readonly actor: Actor; readonly from: string; readonly pairs: readonly Pair[] },
): Promise<void> {
  const { projectId } = actor
  const authorId = readActorId(actor)
  const versions = pairs.flatMap(({ config, row, digests }) =>
    config.versions.slice(digests.length).map(({ number, digest, text, note, document }) => ({
      projectId,
      configId: row.id,
      number,
      digest,
      text,
      note,
      document,
      authorId,
      editedBy: authorId,
      // An export holds flat texts.
      source: null,
      baseVersionId: null,
    })),
  )
  for (const part of chunked(versions)) await insertVersions(tx, part)
  const cases = pairs.flatMap(({ row, addedCases }) =>
    addedCases.map(({ session, seq, kind, call_id, name, recorded, expected, ...one }) => ({
      projectId,
      configId: row.id,
      sessionId: session,
      seq,
      kind,
      callId: call_id,
      name,
      recorded,
      expected,
      note: one.note,
      environment: one.environment,
      configDigest: one.config_digest,
      createdBy: authorId,
      importedFrom: from,
    })),
  )
  for (const part of chunked(cases)) await insertCases(tx, part)
  const claims = pairs.flatMap(({ row, addedClaims }) =>
    addedClaims.map((claim) => ({
      projectId,
      configId: row.id,
      ...claim,
      createdBy: authorId,
    })),
  )
  for (const part of chunked(claims)) await insertClaims(tx, part)
  const archived = pairs.filter(({ config, row }) => row.isNew && config.archived)
  await archiveConfigs(tx, { projectId, ids: archived.map(({ row }) => row.id), at: new Date() })
  if (versions.length + claims.length > 0) await notify(tx, { project: projectId, kind: 'config' })
  if (cases.length > 0) await notify(tx, { project: projectId, kind: 'backtest' })
}

function chunked<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const chunks = Math.ceil(rows.length / CHUNK)
  return Array.from({ length: chunks }, (_, n) => rows.slice(n * CHUNK, (n + 1) * CHUNK))
}

async function missingReleases(
  tx: Tx,
  { projectId }: Actor,
  pairs: readonly Pair[],
): Promise<readonly MissingRelease[]> {
  const environments = new Map(
    (await listEnvironments(projectId, tx)).map(({ name, id }) => [name, id]),
  )
  const live = new Map(
    (
      await listLiveVersions(
        tx,
        pairs.map(({ row }) => row.id),
      )
    ).map((pointer) => [`${pointer.configId} ${pointer.environmentId}`, pointer]),
  )
  return pairs.flatMap(({ config: { ns, key, live: claimed, versions }, row }) =>
    claimed.flatMap(({ environment, version }) => {
      const environmentId = environments.get(environment)
      const now = live.get(`${row.id} ${environmentId}`)
      if (now !== undefined && now.digest === versions[version - 1]?.digest) return []
      const environmentExists = environmentId !== undefined
      return [{ ns, key, environment, version, live: now?.number ?? null, environmentExists }]
    }),
  )
}

async function noteImport(tx: Tx, actor: Actor, configs: readonly ImportedConfig[]): Promise<void> {
  const changed = configs.filter(({ action }) => action !== 'unchanged')
  await recordAudit(tx, {
    projectId: actor.projectId,
    ...toAuditActor(actor),
    action: 'project.imported',
    target: actor.projectId,
    after: {
      configs: changed.slice(0, 100).map(({ ns, key, detail }) => `${ns}/${key}: ${detail}`),
      count: changed.length,
    },
  })
}
