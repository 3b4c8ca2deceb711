// Releases: publish a draft, promote a version, roll back to an earlier one. Each is one transaction: version, pointer,
// bundle, release row and audit entry appear together or not at all (specs/bundles.md). Locks are taken in one order,
// environment then config, so that releases of an environment happen one after another and versions number without holes.
import type { Problem } from '@signalbox/core'
import { type Actor, actorIdOf } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import { freshId } from '../ids.ts'
import { actorOf, recordAudit } from '../repositories/audit.ts'
import { type ConfigRow, lockConfig, type PromptName } from '../repositories/configs.ts'
import { findOpenDraft, setDraftBase } from '../repositories/drafts.ts'
import {
  type EnvironmentRow,
  findEnvironment,
  lockEnvironment,
} from '../repositories/environments.ts'
import {
  insertRelease,
  type ReleaseKind,
  setPointer,
  wasReleased,
} from '../repositories/releases.ts'
import { listCustomTypes } from '../repositories/runtimes.ts'
import { inTransaction, type Tx } from '../repositories/transaction.ts'
import {
  findLiveVersion,
  findNewestVersion,
  findVersion,
  insertVersion,
  type VersionRow,
} from '../repositories/versions.ts'
import { publishBundle } from './bundles.ts'
import { checkConfigText } from './config-text.ts'
import { notify } from './live-bus.ts'

export interface MadeRelease {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly previousVersion: number | null
  readonly revision: number
}

/**
 * `stale`: the draft was saved after the caller looked. `problems`: the text cannot be published. `unchanged`: the
 * environment runs this content already. `behind`: the environment runs a newer version than the draft was made from.
 * `moved`: the environment's version changed after the caller looked.
 */
export type RefusalReason =
  | 'stale'
  | 'problems'
  | 'unchanged'
  | 'behind'
  | 'moved'
  | 'note_required'
  | 'name_required'
  | 'archived'

export interface Refusal {
  readonly ok: false
  readonly reason: RefusalReason
  /** A sentence for the person who asked. */
  readonly message: string
  /** Only with `problems`. */
  readonly problems: readonly Problem[]
}

export type ReleaseResult = { readonly ok: true; readonly release: MadeRelease } | Refusal

function refuse(
  reason: RefusalReason,
  message: string,
  problems: readonly Problem[] = [],
): Refusal {
  return { ok: false, reason, message, problems }
}

interface Asked extends PromptName {
  readonly environment: string
  readonly note: string | null
  /** The environment's name as typed; null when not asked for. */
  readonly typedName: string | null
}

/** What an environment such as production demands before anything new goes live there. */
function missingDemand(environment: EnvironmentRow, asked: Asked): Refusal | null {
  const { name } = environment
  if (environment.requiresNote && (asked.note ?? '').trim() === '') {
    return refuse('note_required', `A release to ${name} needs a note. Say what changes and why.`)
  }
  if (environment.requiresTypedName && asked.typedName !== name) {
    return refuse('name_required', `Type "${name}" exactly to confirm a release to ${name}.`)
  }
  return null
}

/** The way to an environment that a release goes to: a key has only its own. */
async function requireEnvironment(scope: Actor, name: string): Promise<EnvironmentRow> {
  const environment = await findEnvironment({ projectId: scope.projectId, name })
  if (environment === null)
    throw new ServiceError('not_found', `There is no environment "${name}".`, 'environment')
  if ('keyId' in scope && scope.environment !== name) {
    const message = `This API key belongs to ${scope.environment}, so it cannot release to ${name}. Use a key of ${name} with the scope "publish".`
    throw new ServiceError('forbidden', message, 'environment')
  }
  return environment
}

interface Locked {
  readonly config: ConfigRow
  readonly live: VersionRow | null
}

async function lockBoth(
  tx: Tx,
  scope: Actor,
  where: PromptName & { readonly environmentId: string },
): Promise<Locked> {
  const { ns, key, environmentId } = where
  await lockEnvironment(tx, environmentId)
  const config = await lockConfig(tx, { projectId: scope.projectId, ns, key })
  if (config === null) throw new ServiceError('not_found', `There is no config "${ns}/${key}".`)
  return { config, live: await findLiveVersion({ environmentId, configId: config.id }, tx) }
}

const ARCHIVED = 'This config is archived. Restore it first.'

const ACTION = {
  publish: 'release.published',
  promote: 'release.promoted',
  rollback: 'release.rolled_back',
} as const satisfies Record<ReleaseKind, string>

interface Move extends Locked {
  readonly environment: EnvironmentRow
  readonly version: VersionRow
  readonly kind: ReleaseKind
  readonly note: string | null
}

/** Moves the pointer and makes the bundle that carries it. Only with both locks held. */
async function release(tx: Tx, scope: Actor, move: Move): Promise<ReleaseResult> {
  const { config, live, environment, version, kind } = move
  const { projectId } = scope
  const note = move.note === null || move.note.trim() === '' ? null : move.note.trim()
  const id = freshId('rel')
  const ids = { environmentId: environment.id, configId: config.id, versionId: version.id }
  await setPointer(tx, { ...ids, releaseId: id })
  const { revision } = await publishBundle(tx, environment.id)
  await insertRelease(tx, {
    ...ids,
    id,
    projectId,
    previousId: live?.id ?? null,
    kind,
    revision,
    note,
    authorId: actorIdOf(scope),
  })
  const name = `${config.ns}/${config.key}`
  const place = { config: name, environment: environment.name }
  await recordAudit(tx, {
    projectId,
    ...actorOf(scope),
    action: ACTION[kind],
    target: id,
    before: { ...place, version: live?.number ?? null },
    after: { ...place, version: version.number, digest: version.digest, revision, note },
  })
  await notify(tx, { project: projectId, kind: 'config', id: config.id })
  const previousVersion = live?.number ?? null
  const made = { id, environment: environment.name, version: version.number, previousVersion }
  return { ok: true, release: { ...made, revision } }
}

export interface PublishRequest extends Asked {
  readonly draftId: string
  /** The draft revision that the person looked at. */
  readonly revision: number
}

/**
 * Makes a version of the draft (or takes the one that has its content already) and releases it. Of two publishes of one
 * draft at once, the second finds its content live and is refused as `unchanged`.
 */
export async function publishDraft(scope: Actor, request: PublishRequest): Promise<ReleaseResult> {
  const environment = await requireEnvironment(scope, request.environment)
  const customTypes = await listCustomTypes(scope)
  return await inTransaction(async (tx) => {
    const environmentId = environment.id
    const { ns, key } = request
    const locked = await lockBoth(tx, scope, { ns, key, environmentId })
    const { config, live } = locked
    if (config.archivedAt !== null) return refuse('archived', ARCHIVED)
    const draft = await findOpenDraft({ projectId: scope.projectId, configId: config.id }, tx)
    if (draft?.id !== request.draftId || draft.revision !== request.revision) {
      return refuse('stale', 'The draft changed after you looked at it. Review it again.')
    }
    const checked = checkConfigText(draft.text, { ns, key, customTypes })
    if (!checked.ok) {
      const count = checked.problems.filter(({ severity }) => severity === 'error').length
      const noun = count === 1 ? '1 problem' : `${count} problems`
      return refuse(
        'problems',
        `The draft has ${noun}, so it cannot be published.`,
        checked.problems,
      )
    }
    const { digest, value: document } = checked
    const refusal = refuseMove(environment, request, { live, digest, base: draft.baseVersion })
    if (refusal !== null) return refusal
    const version =
      (await findNewestVersion({ configId: config.id, digest }, tx)) ??
      (await insertVersion(tx, {
        ...{ projectId: scope.projectId, configId: config.id, digest, document },
        text: draft.text,
        note: request.note,
        authorId: actorIdOf(scope),
      }))
    await setDraftBase(tx, {
      id: draft.id,
      revision: draft.revision,
      baseVersion: version.number,
    })
    const move = { ...locked, environment, version, kind: 'publish', note: request.note } as const
    return await release(tx, scope, move)
  })
}

function refuseMove(
  environment: EnvironmentRow,
  request: Asked,
  draft: {
    readonly live: VersionRow | null
    readonly digest: string
    readonly base: number | null
  },
): Refusal | null {
  const { live, digest, base } = draft
  const { name } = environment
  if (live?.digest === digest) {
    return refuse(
      'unchanged',
      `${name} runs exactly this content already, as v${live.number}. There is nothing to publish.`,
    )
  }
  if (live !== null && (base === null || base < live.number)) {
    const from = base === null ? 'no version' : `v${base}`
    return refuse(
      'behind',
      `${name} runs v${live.number}, and this draft was made from ${from}. Review the difference and update the draft first.`,
    )
  }
  return missingDemand(environment, request)
}

export interface MoveRequest extends Asked {
  /** Number of the version to release. */
  readonly version: number
  /** Version that the person saw running in the environment; null for none. */
  readonly expectedLive: number | null
}

async function moveTo(
  scope: Actor,
  request: MoveRequest,
  kind: 'promote' | 'rollback',
): Promise<ReleaseResult> {
  const environment = await requireEnvironment(scope, request.environment)
  return await inTransaction(async (tx) => {
    const environmentId = environment.id
    const { ns, key, note } = request
    const locked = await lockBoth(tx, scope, { ns, key, environmentId })
    const { config, live } = locked
    const moved = refuseFrom(locked, request)
    if (moved !== null) return moved
    const version = await findVersion({ configId: config.id, number: request.version }, tx)
    if (version === null)
      throw new ServiceError('not_found', `There is no version ${request.version}.`)
    if (live?.digest === version.digest) {
      const message = `${environment.name} runs v${live.number} already, with exactly this content.`
      return refuse('unchanged', message)
    }
    if (kind === 'promote') {
      const missing = missingDemand(environment, request)
      if (missing !== null) return missing
    } else await requireReleasedBefore(tx, environment, version)
    return await release(tx, scope, { ...locked, environment, version, kind, note })
  })
}

/** Whether the place is still as the person saw it. */
function refuseFrom({ config, live }: Locked, request: MoveRequest): Refusal | null {
  if (config.archivedAt !== null) return refuse('archived', ARCHIVED)
  const now = live?.number ?? null
  if (now === request.expectedLive) return null
  const runs = now === null ? 'nothing' : `v${now}`
  const message = `${request.environment} runs ${runs} now; somebody changed it meanwhile. Look again.`
  return refuse('moved', message)
}

/** Going back asks for no confirmation, so it must not be a way to bring something new to production. */
async function requireReleasedBefore(
  tx: Tx,
  environment: EnvironmentRow,
  version: VersionRow,
): Promise<void> {
  const where = { environmentId: environment.id, versionId: version.id }
  if (await wasReleased(tx, where)) return
  throw new ServiceError(
    'invalid',
    `v${version.number} never ran in ${environment.name}, so this is not a roll back. Promote it instead.`,
  )
}

/** Releases a version that exists to another environment, under that environment's demands. */
export function promoteVersion(scope: Actor, request: MoveRequest): Promise<ReleaseResult> {
  return moveTo(scope, request, 'promote')
}

/** Releases a version that ran in the environment before. Needs neither note nor typed name. */
export function rollBack(
  scope: Actor,
  request: Omit<MoveRequest, 'typedName'>,
): Promise<ReleaseResult> {
  return moveTo(scope, { ...request, typedName: null }, 'rollback')
}
