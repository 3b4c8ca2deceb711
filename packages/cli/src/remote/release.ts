// A refusal lists every missing gate. A repeated command makes no second release.
import { createHash } from 'node:crypto'
import { type GUARD_METRICS, MadeRelease, type ManagedConfig } from '@signalbox/wire'
import type { Answered, ControlPlane } from './control-plane.ts'
import {
  type ConfigFolder,
  type LocalConfig,
  type Prompt,
  parsePrompt,
  promptName,
} from './folder.ts'
import { type PushOptions, pushOne } from './push.ts'
import { allConfigs, configPath, diffText, findConfig } from './remote-configs.ts'
import { type Row, refusedRow } from './report.ts'

export interface Demands {
  readonly note?: string
  readonly confirm?: string
  readonly acknowledge?: readonly string[]
  /** Share of new sessions, per mille; absent: all. */
  readonly share?: number
  /** Hours in which sessions of the release are compared with earlier ones. */
  readonly watch?: number
  /** Condition for automatic rollback, with `share` or `watch`. Absent: the server's default. */
  readonly guard?: Guard
  /** Running sessions move to the version immediately. */
  readonly tighten?: boolean
}

export interface Guard {
  readonly metric: (typeof GUARD_METRICS)[number]
  readonly ratio: number
  readonly min_sessions: number
}

function toReleaseBody({ note, confirm, acknowledge, share, watch, guard, tighten }: Demands) {
  return {
    ...(tighten === true && { tighten }),
    note,
    confirm,
    acknowledge,
    ...(share !== undefined && { stage: { share, guard } }),
    ...(watch !== undefined && { watch: { hours: watch, guard } }),
  }
}

const liveIn = (config: ManagedConfig | null, environment: string) =>
  config?.live.find((pointer) => pointer.environment === environment)

/** Idempotency key: the same for the same request in the same state, so that the server recognizes a repetition. */
function requestKey(...parts: readonly (string | number | null | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)
}

function toReleaseLine(prompt: Prompt, answered: Answered<MadeRelease>): Row {
  const { ns, key } = prompt
  if (!answered.ok) return refusedRow({ ns, key }, answered.refused)
  const { id, environment, version, previous_version: before, revision } = answered.value
  const at = { environment, version, revision }
  if (typeof answered.value.rollout_id === 'string') {
    const detail = `v${version} staged in ${environment} as revision ${revision}; the other sessions keep v${before}`
    return { ns, key, result: 'staged', detail, rollout: id, ...at }
  }
  const from = before === null ? '' : `, after v${before}`
  const detail = `v${version} released to ${environment} as revision ${revision}${from}`
  return { ns, key, result: 'released', detail, release: id, ...at }
}

const unchanged = ({ ns, key }: Prompt, detail: string): Row => ({
  ns,
  key,
  result: 'unchanged',
  detail,
})

export async function publish(
  plane: ControlPlane,
  folder: ConfigFolder,
  options: PushOptions & Demands & { readonly names: readonly string[]; readonly env: string },
): Promise<readonly Row[]> {
  const state = folder.readState()
  const rows: Row[] = []
  for (const local of folder.configs(options.names)) {
    rows.push(await publishOne(plane, local, { state, options }))
  }
  folder.writeState(state)
  return rows
}

async function publishOne(
  plane: ControlPlane,
  local: LocalConfig,
  more: {
    readonly state: Parameters<typeof pushOne>[2]['state']
    readonly options: PushOptions & Demands & { readonly env: string }
  },
): Promise<Row> {
  const { env, ...demands } = more.options
  const config = await findConfig(plane, local)
  const live = liveIn(config, env)
  if (live !== undefined) {
    const { same } = await diffText(plane, local, { environment: env, text: local.text })
    if (same) return unchanged(local, `${env} already runs it, as v${live.version}`)
  }
  const pushed = await pushOne(plane, local, more)
  if (!pushed.ok) return pushed.row
  const { id, revision } = pushed.draft
  const answered = await plane.ask({
    method: 'POST',
    path: `${configPath(local)}/publish`,
    body: { environment: env, ...toReleaseBody(demands) },
    headers: {
      'if-match': `"${id}.${revision}"`,
      'idempotency-key': requestKey(
        'publish',
        promptName(local),
        env,
        id,
        revision,
        live?.release_id,
      ),
    },
    schema: MadeRelease,
  })
  if (answered.ok) {
    const known = more.state.get(promptName(local))
    const { version } = answered.value
    if (known !== undefined) more.state.set(promptName(local), { ...known, version })
  }
  return toReleaseLine(local, answered)
}

/** Without names: promotes every config that is live in `from` and differs in `to`. */
export async function promote(
  plane: ControlPlane,
  options: Demands & {
    readonly names: readonly string[]
    readonly from: string
    readonly to: string
  },
): Promise<readonly Row[]> {
  const { names, from, to } = options
  const wanted = new Set(names.map((name) => promptName(parsePrompt(name))))
  const configs = (await allConfigs(plane)).filter((config) =>
    wanted.size === 0 ? liveIn(config, from) !== undefined : wanted.has(promptName(config)),
  )
  const rows: Row[] = []
  for (const config of configs) {
    const { ns, key } = config
    const [source, target] = [liveIn(config, from), liveIn(config, to)]
    if (source !== undefined && source.digest === target?.digest) {
      rows.push(unchanged(config, `${to} already runs it, as v${target.version}`))
      continue
    }
    const answered = await plane.ask({
      method: 'POST',
      path: `${configPath({ ns, key })}/promote`,
      body: { from, to, expected_live: target?.version ?? null, ...toReleaseBody(options) },
      headers: {
        'idempotency-key': requestKey(
          ...['promote', promptName(config), to, source?.version, target?.release_id],
        ),
      },
      schema: MadeRelease,
    })
    rows.push(toReleaseLine({ ns, key }, answered))
  }
  const found = new Set(configs.map(promptName))
  const missing = [...wanted].filter((name) => !found.has(name)).map(parsePrompt)
  const row = { result: 'missing', detail: 'the server has no such config', isFinding: true }
  return [...rows, ...missing.map((prompt) => ({ ...prompt, ...row }))]
}

export async function rollback(
  plane: ControlPlane,
  name: string,
  options: Pick<Demands, 'note' | 'tighten'> & {
    readonly env: string
    /** Absent: the previous version. */
    readonly to?: number
  },
): Promise<readonly Row[]> {
  const { env, to, ...demands } = options
  const prompt = parsePrompt(name)
  const live = liveIn(await findConfig(plane, prompt), env)
  const answered = await plane.ask({
    method: 'POST',
    path: `${configPath(prompt)}/rollback`,
    body: {
      environment: env,
      to,
      ...toReleaseBody(demands),
      ...(live && { expected_live: live.version }),
    },
    headers: {
      'idempotency-key': requestKey(
        ...['rollback', name, env, to, live?.release_id],
        ...(demands.tighten === true ? ['tighten'] : []),
      ),
    },
    schema: MadeRelease,
  })
  return [toReleaseLine(prompt, answered)]
}
