// Opens the signed text of a bundle and compiles the config of one prompt. Pure: no network, no disk.
import type { CompiledConfig, CompileOptions, JsonValue } from '@signalbox/core'
import { compileChecked } from '@signalbox/core/lint'
import {
  type BundlePart,
  BundleV1,
  computeKeyId,
  type HeartbeatRequest,
  parseConfigText,
  textDigest,
  verifyText,
} from '@signalbox/wire'

export interface AppliedConfig {
  readonly config: CompiledConfig
  readonly digest: string
  readonly version: number
}

/** A version for a share of new sessions (a staged rollout). */
export interface Candidate extends AppliedConfig {
  /** Share of new sessions, per mille. */
  readonly share: number
  readonly salt: string
}

export interface Beside {
  /** null: the bundle has none, or it was rejected. */
  readonly candidate: Candidate | null
  readonly shadow: AppliedConfig | null
  readonly parts: readonly PartReport[]
}

export type PartReport = NonNullable<HeartbeatRequest['parts']>[number]

export interface OpenedBundle extends Beside {
  readonly revision: number
  /** Digest of the bundle, which is also its ETag. */
  readonly digest: string
  readonly key: string
  readonly project: string
  readonly environment: string
  /** null: the environment has no version of this prompt. */
  readonly applied: AppliedConfig | null
  /** True: running sessions move to `applied` if it is at least as strict as their version. */
  readonly tighten: boolean
}

export type OpenResult =
  | { readonly ok: true; readonly bundle: OpenedBundle }
  | {
      readonly ok: false
      readonly revision: number | null
      readonly reason: string
      /** An untrusted key signed the bundle. Key records may prove that key. */
      readonly isUnknownKey: boolean
      /** The revision is lower than one that was applied here. */
      readonly isSuperseded: boolean
      /** Project that a bundle with an unknown key claims, unproven; null: none. */
      readonly project: string | null
    }

export interface SignedBundle {
  readonly text: string
  readonly signature: string
}

function refuse(revision: number | null, reason: string, isSuperseded = false): OpenResult {
  return { ok: false, revision, reason, isUnknownKey: false, isSuperseded, project: null }
}

function refuseKey(value: unknown, [believed = '']: readonly string[]): OpenResult {
  const known =
    believed === '' ? 'trusts no key yet' : `trusts ${computeKeyId(believed).slice(0, SHOWN_ID)}`
  const reason = `The bundle has no valid signature by a key that this runtime trusts: it ${known}, and no key record leads to the signer's key.`
  const project = claimed(value, 'project')
  return {
    ok: false,
    revision: claimedRevision(value),
    reason,
    isUnknownKey: true,
    isSuperseded: false,
    project: typeof project === 'string' ? project : null,
  }
}

const SHOWN_ID = 12

export interface Place {
  readonly project: string
  readonly environment: string
}

export interface OpenOptions {
  readonly publicKeys: readonly string[]
  /** Place of this runtime; bundles for other places are refused. null: not known yet. */
  readonly place: Place | null
  /** Lower revisions were superseded in this installation and are refused. */
  readonly lowest: number
  readonly prompt: string
  readonly compile: CompileOptions
}

export function openBundle(
  signed: SignedBundle,
  { publicKeys, place, lowest, prompt, compile }: OpenOptions,
): OpenResult {
  const value = parseAppliedJson(signed.text)
  const key = publicKeys.find((one) => verifyText(signed.text, signed.signature, one))
  if (key === undefined) return refuseKey(value, publicKeys)
  const parsed = BundleV1.safeParse(value)
  if (!parsed.success)
    return refuse(
      claimedRevision(value),
      'This runtime does not support the version of the bundle.',
    )
  const { revision, project, environment, configs } = parsed.data
  if (place !== null && (place.project !== project || place.environment !== environment))
    return refuse(
      revision,
      `The bundle is for ${project}/${environment}, and this runtime belongs to ${place.project}/${place.environment}.`,
    )
  if (revision < lowest)
    return refuse(
      revision,
      `Revision ${revision} is older than revision ${lowest}, which was applied before.`,
      true,
    )
  const digest = textDigest(signed.text)
  const entry = configs.find(({ ns, key }) => `${ns}/${key}` === prompt)
  if (entry === undefined)
    return {
      ok: true,
      bundle: {
        revision,
        digest,
        key,
        project,
        environment,
        applied: null,
        tighten: false,
        ...NOTHING_BESIDE,
      },
    }
  const compiled = compileDocument(entry.document, compile)
  if (!compiled.ok) return refuse(revision, compiled.reason)
  const applied = { config: compiled.config, digest: entry.digest, version: entry.version }
  return {
    ok: true,
    bundle: {
      revision,
      digest,
      key,
      project,
      environment,
      applied,
      tighten: entry.tighten === true,
      ...openCandidateAndShadow(entry, compile),
    },
  }
}

function claimed(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

/** Revision that an unverified text claims, for reports only. */
function claimedRevision(value: unknown): number | null {
  const revision = claimed(value, 'revision')
  return typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 0
    ? revision
    : null
}

const MAX_REASON = 2000
const NOTHING_BESIDE: Beside = { candidate: null, shadow: null, parts: [] }

type Entry = BundleV1['configs'][number]

/** Opens candidate and shadow. A version that this runtime cannot enforce is reported as rejected; the version in force stays. */
function openCandidateAndShadow(entry: Entry, compile: CompileOptions): Beside {
  const prompt = `${entry.ns}/${entry.key}`
  const parts: PartReport[] = []
  const open = (part: BundlePart): AppliedConfig | null => {
    const given = entry[part]
    if (given === undefined) return null
    const { version, digest } = given
    const compiled = compileDocument(given.document, compile)
    const about = { part, prompt, version, digest }
    if (!compiled.ok) {
      const reason = compiled.reason.slice(0, MAX_REASON)
      parts.push({ ...about, state: 'rejected', reason })
      return null
    }
    parts.push({ ...about, state: 'ready' })
    return { config: compiled.config, digest, version }
  }
  const candidate = open('candidate')
  const shadow = open('shadow')
  const chance = entry.candidate
  return {
    candidate:
      candidate === null || chance === undefined
        ? null
        : { ...candidate, share: chance.share, salt: chance.salt },
    shadow,
    parts,
  }
}

function parseAppliedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Compiles a config document. `reason` gives the JSON pointer and message of the first error. */
export function compileDocument(
  document: unknown,
  options: CompileOptions,
):
  | {
      readonly ok: true
      readonly config: CompiledConfig
      /** Value from which the config's digest is computed. */
      readonly value: JsonValue
    }
  | { readonly ok: false; readonly reason: string } {
  const parsed = parseConfigText(JSON.stringify(document) ?? '')
  const result = parsed.ok ? compileChecked(parsed.document, options) : parsed
  if (parsed.ok && result.ok) return { ok: true, config: result.config, value: parsed.value }
  const first = result.problems.find((problem) => problem.severity === 'error')
  return {
    ok: false,
    reason: first === undefined ? 'The config is not valid.' : `${first.pointer}: ${first.message}`,
  }
}
